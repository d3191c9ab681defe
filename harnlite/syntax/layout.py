"""The layout of the tokens of a text: brackets, lines and statement boundaries."""

from __future__ import annotations

from harnlite.syntax.tokens import BLOCK_BRACES, BRACES, CLOSERS, OPENERS, ROUND, STATEMENT_ENDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.builder import Workshop
    from harnlite.syntax.tokens import Token


class Layout:
    """The layout of the tokens of one machine; unmatched brackets are ignored."""

    def __init__(self, shop: Workshop, tokens: list[Token], begin: int) -> None:
        self.shop = shop
        self.tokens = tokens
        self.begin = begin
        self._depths: list[int] | None = None

    @property
    def depths(self) -> list[int]:
        """Return the bracket depth of each token; brackets have the depth of the text around them."""
        if self._depths is None:
            depth = 0
            uncounted = self.shop.unclosed | self.shop.strays
            self._depths = []
            for token in self.tokens:
                counts = token.start not in uncounted
                if token.kind in CLOSERS and counts:
                    depth -= 1
                self._depths.append(depth)
                if token.kind in OPENERS and counts:
                    depth += 1
        return self._depths

    def depth_inside(self, brackets: list[Token]) -> int:
        """Return the depth inside the innermost of the given open brackets."""
        if not brackets:
            return 0
        opener = brackets[-1]
        return self.depths[self.index_of(opener)] + (opener.start not in self.shop.unclosed)

    def index_of(self, wanted: Token) -> int:
        """Return the index of a token."""
        tokens = self.tokens
        low, high = 0, len(tokens) - 1
        while low < high:
            middle = (low + high) // 2
            if tokens[middle].start < wanted.start:
                low = middle + 1
            else:
                high = middle
        return low

    def begins_line(self, index: int) -> bool:
        """Return whether a token is the first of its line."""
        if index == 0:
            return True
        before = self.tokens[index - 1]
        return before.kind == "NL" or "\n" in self.shop.text[before.end : self.tokens[index].start]

    def statement_index(self, index: int) -> int:
        """Return the index of the first token of the statement that contains a token."""
        tokens, depths = self.tokens, self.depths
        depth = depths[index]
        while index > 0:
            index -= 1
            if depths[index] < depth:
                depth = depths[index]
                if tokens[index].kind in BLOCK_BRACES:
                    return index + 1
            if depths[index] == depth and tokens[index].kind in STATEMENT_ENDS:
                return index + 1
        return 0

    def statement_start(self, index: int) -> int:
        """Return the offset at which the text of the statement that contains a token starts."""
        first = self.statement_index(index)
        return self.tokens[first - 1].end if first else self.begin

    def groups(self, start: int, end: int, depth: int) -> list[tuple[int, int]]:
        """Return the indices of the pairs of braces at a given depth between two indices."""
        tokens, depths = self.tokens, self.depths
        found = []
        at = start
        while at < end:
            if tokens[at].kind in BLOCK_BRACES and depths[at] == depth:
                close = at + 1
                while close < end and depths[close] > depth:
                    close += 1
                if tokens[close].kind == "RB":
                    found.append((at, close))
                at = close
            at += 1
        return found

    def suspect(self, opener: Token, index: int) -> Token:
        """Return the brace that is most likely unclosed: its `}` is indented less than the line that opens it."""
        if opener.kind in ROUND:
            return opener
        source = self.shop.source
        waiting: list[Token] = []
        for at in range(self.index_of(opener) + 1, index):
            token = self.tokens[at]
            if token.kind in BRACES:
                waiting.append(token)
            elif token.kind == "RB" and waiting:
                inner = waiting.pop()
                line = source.line(source.position(inner.start).line)
                indent = len(line) - len(line.lstrip())
                if self.begins_line(at) and source.position(token.start).column <= indent:
                    return inner
        return opener
