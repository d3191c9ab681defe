"""Parse a template: the nesting of its directives."""

from __future__ import annotations

from harnlite.template_language.errors import TemplateError
from harnlite.template_language.expressions import ExpressionParser
from harnlite.template_language.nodes import Bare, For, If, Include, Insert, Text
from harnlite.template_language.scanner import Scanner
from harnlite.template_language.tokens import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.template_language.errors import Place
    from harnlite.template_language.nodes import Expression, Node
    from harnlite.template_language.scanner import Piece

_DEEPEST = 100
"""How many blocks may be nested, so that rendering does not need a deep stack."""
_TWO = 2


def _ignore() -> None:
    return


def parse(text: str, poll: Callable[[], object] = _ignore) -> list[Node]:
    """Return the nodes of a template; the callback is called at each directive. Raise TemplateError."""
    return _Parser(text, poll).parsed()


class _Open:
    """A block whose `{{ end }}` is still missing."""

    __slots__ = ("else_place", "node", "outer")

    def __init__(self, node: If | For, outer: list[Node]) -> None:
        self.node = node
        self.outer = outer
        self.else_place: Place | None = None


class _Parser:
    """Keeps a stack of the open blocks, so that nested blocks do not nest Python's calls."""

    __slots__ = ("_body", "_open", "_scanner")

    def __init__(self, text: str, poll: Callable[[], object]) -> None:
        self._scanner = Scanner(text, poll)
        self._body: list[Node] = []
        self._open: list[_Open] = []

    def parsed(self) -> list[Node]:
        """Return the nodes."""
        for piece in self._scanner.pieces():
            if piece.is_text:
                self._body.append(Text(piece.text, piece.place))
            else:
                self._directive(piece)
        if self._open:
            innermost = self._open[-1]
            word = "else" if innermost.else_place else "if" if isinstance(innermost.node, If) else "for"
            place = innermost.else_place or innermost.node.place
            raise TemplateError(place, f"`{{{{ {word} }}}}` missing matching `{{{{ end }}}}`")
        return self._body

    def _directive(self, piece: Piece) -> None:
        word = piece.text.split(None, 1)[0] if piece.text else ""
        rest = piece.text[len(word) :]
        offset = piece.offset + len(word)
        if word == "if":
            node = If(piece.place)
            self._begin(node, self._branch(node, rest, offset, piece.place))
        elif word == "elif":
            self._elif(rest, offset, piece.place)
        elif word == "else":
            self._else(piece.place)
        elif word == "end" and not rest:
            self._end(piece.place)
        elif word == "for":
            loop = loop_in(rest, offset, piece.place)
            self._begin(loop, loop.body)
        elif word == "include":
            target, bindings = ExpressionParser(rest, offset, piece.place).include()
            self._body.append(Include(target, bindings, piece.place))
        else:
            expression = ExpressionParser(piece.text, piece.offset, piece.place)
            bare = expression.bare_name()
            inserted = Insert(expression.whole(), piece.place) if bare is None else Bare(bare, piece.place)
            self._body.append(inserted)

    def _begin(self, node: If | For, body: list[Node]) -> None:
        if len(self._open) >= _DEEPEST:
            raise TemplateError(node.place, "blocks are nested too deeply")
        self._body.append(node)
        self._open.append(_Open(node, self._body))
        self._body = body

    def _branch(self, node: If, text: str, offset: int, place: Place) -> list[Node]:
        body: list[Node] = []
        node.branches.append((_expression(text, offset, place), body))
        return body

    def _elif(self, text: str, offset: int, place: Place) -> None:
        block = self._open[-1] if self._open else None
        if block is None or not isinstance(block.node, If) or block.else_place:
            raise TemplateError(place, "unexpected `{{ elif }}`")
        self._body = self._branch(block.node, text, offset, place)

    def _else(self, place: Place) -> None:
        block = self._open[-1] if self._open else None
        if block is None or block.else_place:
            raise TemplateError(place, "unexpected `{{ else }}`")
        block.else_place = place
        self._body = block.node.otherwise

    def _end(self, place: Place) -> None:
        if not self._open:
            raise TemplateError(place, "unexpected `{{ end }}`")
        self._body = self._open.pop().outer


def _expression(text: str, offset: int, place: Place) -> Expression:
    return ExpressionParser(text, offset, place).whole()


def loop_in(text: str, offset: int, place: Place) -> For:
    """Return a loop without its body; the text is what follows the word `for`."""
    split = _position_of_in(text)
    if split < 0:
        raise TemplateError(place, "expected `in` in for-loop")
    names = tuple(name.strip() for name in text[:split].split(","))
    if len(names) > _TWO or not all(map(is_name, names)):
        raise TemplateError(place, f"invalid for-loop variable{'s' if len(names) > 1 else ''}")
    start = split + len("in")
    return For(names, _expression(text[start:], offset + start, place), place)


def _position_of_in(text: str) -> int:
    """Return the position of the word `in`, or -1; the text begins with white space."""
    at = text.find("in")
    while at >= 0:
        after = at + len("in")
        if text[at - 1 : at].isspace() and (after == len(text) or text[after].isspace()):
            return at
        at = text.find("in", after)
    return -1
