"""The lexer, which converts a text to tokens with their positions, including line ends."""

from __future__ import annotations

import re

from harnlite.diagnostics.diagnostic import ERROR, Diagnostic, Label
from harnlite.diagnostics.source import Span
from harnlite.syntax.strings import lay_out, unescape
from harnlite.syntax.tokens import (
    SYMBOL_KINDS,
    WORD_KINDS,
    Interpolation,
    Piece,
    StringToken,
    TemplateToken,
    Token,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ClassVar

    from harnlite.diagnostics.source import Source

_DIGITS = r"[0-9](?:_?[0-9])*"
_TOKEN = re.compile(
    r"[ \t\r]*+("
    r"(?!r\")[a-zA-Z_]\w*+"
    r"|[(){}\[\],:;@]"
    r"|\n[ \t\r\n]*+"
    r"|[=+%<>!]=?|\.(?:\.\.)?|-[>=]?"
    r"|[0-9]++(?![\w.])"
    r'|"[^"\\$\n]*+(?:(?:\\[^\n]|\$(?!\{))[^"\\$\n]*+)*+"(?!")'
    r"|\*[*=]?|\|[|>]?|&&|\?[?.]?|/(?![/*])=?"
    r"|//[^\n]*+"
    r"|[^\W\da-zA-Z_]\w*+"
    r"|)",
    re.DOTALL,
)
"""A token of a usual form, or nothing before one of the odd forms."""

_ODD_NUMBER, _RAW_QUOTE, _QUOTE, _BLOCK, _JOIN, _OTHER, _END = range(1, 8)
_ODD = re.compile(r'([0-9])|(r(?="))|(")|(/\*)|(\\\r?\n)|(.)|(\Z)', re.DOTALL)
_SILENT = frozenset({_BLOCK, _JOIN})
"""The odd forms that may occur between a doc comment and the declaration that it describes."""

_KINDS = {word: (word, kind) for word, kind in {**SYMBOL_KINDS, **WORD_KINDS}.items()}
_FORMS = {"\n": "NL", **dict.fromkeys("0123456789", "INT"), '"': "STRING", "/": "COMMENT", "": "ODD"}
"""The forms of texts that are neither words nor symbols, by their first character."""

_NUMBER_FORM = re.compile(
    rf"(?P<INT>0x[0-9a-fA-F](?:_?[0-9a-fA-F])*|0b[01](?:_?[01])*)(?!\w)"
    rf"|(?P<DURATION>{_DIGITS}(?:ms|[smhdw]))(?!\w)"
    rf"|(?P<FLOAT>{_DIGITS}(?:\.{_DIGITS}(?:[eE][+-]?{_DIGITS})?|[eE][+-]?{_DIGITS}))"
    rf"|(?P<DECIMAL>{_DIGITS})",
)
_ONE_LINE_PIECE = re.compile(r'(?:[^"\\$\n]++|\\[^\n]|\$(?!\{))*+')
_TRIPLE_PIECE = re.compile(r'(?:[^"$]++|\$(?!\{)|"(?!""))*+')
_RAW = re.compile(r'"[^"\n]*"')
_BLOCK_EDGE = re.compile(r"/\*|\*/")
_DOC_MARGIN = re.compile(r"^[ \t]*\*? ?", re.MULTILINE)

MAX_ERRORS = 200
"""The maximum number of errors that are reported."""

_CHARACTER_HELP = {
    "#": "comments start with `//`",
    "'": 'strings are written with double quotes: `"…"`',
    "`": 'strings are written with double quotes: `"…"`',
    "&": "write `&&` for a logical and",
    "“": 'strings are written with double quotes: `"…"`',
    "”": 'strings are written with double quotes: `"…"`',
}
DOLLAR_HELP = r"write \$ for a dollar sign"
TRIPLE_DOLLAR_HELP = 'write ${"$"} for a dollar sign'
_REREADINGS = 10
"""The budget for scanning text again after unclosed strings, as a multiple of the length of the text."""

_QUOTES = frozenset("'`")


class _OpenString:
    """A string whose interpolation is being scanned."""

    __slots__ = ("depth", "interpolation", "outer", "parts", "start", "triple")

    def __init__(self, start: int, outer: list[Token], *, triple: bool) -> None:
        self.start = start
        self.triple = triple
        self.parts: list[Piece | Interpolation] = []
        self.outer = outer
        self.interpolation = Interpolation(start)
        self.depth = 0


class Lexer:
    """The lexer of one source; it collects tokens, spans of comments, doc comments by the offset after them, errors."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.tokens: list[Token] = []
        self.docs: dict[int, str] = {}
        self.comments: list[tuple[int, int]] = []
        self.errors: list[Diagnostic] = []
        self._current = self.tokens
        self._open: list[_OpenString] = []
        self._doc: list[str] = []
        self._patience = _REREADINGS * len(self.text)
        self._kinds = _KINDS.copy()

    def read(self, start: int = 0) -> list[Token]:
        """Return all tokens of the source from an offset, followed by an END token."""
        text = self.text
        position = start or self._preamble()
        while position >= 0:
            position = self._run(position)
            if position < 0 and self._open:
                position = self._abandon(len(text))
        self._current.append(Token("END", "", len(text), len(text)))
        return self.tokens

    def _preamble(self) -> int:
        """Return the offset at which the program starts, after a byte order mark and a `#!` line."""
        text = self.text
        position = 1 if text.startswith("\ufeff") else 0
        if text.startswith("#!", position):
            position = text.find("\n", position)
        return len(text) if position < 0 else position

    def _run(self, position: int) -> int:
        """Scan tokens up to one that needs a handler; return the offset at which to continue, or -1 at the end."""
        text, tokens, doc, kinds = self.text, self._current, self._doc, self._kinds
        inside = bool(self._open)
        kind_of, form_of, new = kinds.get, _FORMS.get, Token.__new__
        for found in _TOKEN.finditer(text, position):
            word = found[1]
            end = found.end()
            start = end - len(word)
            known = kind_of(word)
            token = new(Token)  # calling its `__init__` would take longer than all of this
            if known is not None:
                word, kind = known
            else:
                kind = form_of(word[:1], "ID")
                if kind == "NL":
                    word, end = "\n", start + 1
                elif kind == "STRING":
                    token = new(StringToken)
                    token.value = unescape(word[1:-1])
                elif kind == "COMMENT":
                    self._line_comment(word, start, end)
                    continue
                elif kind == "ODD":
                    return self._odd(start)
                else:
                    kinds[word] = word, kind
            if doc and kind != "NL":
                self._attach_doc(start)
            if inside and word in "{}" and self._brace(word, start):
                return self._piece(end)
            token.kind = kind
            token.text = word
            token.start = start
            token.end = end
            tokens.append(token)
        return -1

    def _odd(self, start: int) -> int:
        """Scan what is not a token of a usual form; return the offset at which to continue, or -1 at the end."""
        found = _ODD.match(self.text, start)
        group = found.lastindex or _END if found is not None else _END
        if self._doc and group not in _SILENT:
            self._attach_doc(start)
        return self._HANDLERS[group](self, start, found.end() if found is not None else start)

    # Numbers

    def _odd_number(self, start: int, end: int) -> int:
        """Scan a number that is not just a sequence of digits."""
        found = _NUMBER_FORM.match(self.text, start)
        kind = "INT"
        if found is not None:
            end = found.end()
            kind = found.lastgroup or kind
        self._current.append(Token("INT" if kind == "DECIMAL" else kind, self.text[start:end], start, end))
        following = self.text[end : end + 1]
        if following.isalnum() or following == "_":
            self._report(f"Unexpected character '{following}'", end, end + 1, at=end)
            while self.text[end : end + 1].isalnum() or self.text[end : end + 1] == "_":
                end += 1
        return end

    # Strings

    def _raw_string(self, start: int, quote: int) -> int:
        found = _RAW.match(self.text, quote)
        if found is None:
            return self._unterminated(quote, start)
        end = found.end()
        self._current.append(StringToken(self.text[start:end], start, end, self.text[quote + 1 : end - 1]))
        return end

    def _quote(self, start: int, end: int) -> int:
        """Scan a string from its opening quote."""
        triple = self.text.startswith('"""', start)
        self._open.append(_OpenString(start, self._current, triple=triple))
        return self._piece(start + 3 if triple else end)

    def _piece(self, start: int) -> int:
        """Scan literal text of the innermost open string up to its end or its next interpolation."""
        string = self._open[-1]
        text = self.text
        found = (_TRIPLE_PIECE if string.triple else _ONE_LINE_PIECE).match(text, start)
        end = found.end() if found is not None else start
        raw = text[start:end]
        string.parts.append(Piece(raw if string.triple else unescape(raw), start, end))
        if text.startswith("${", end):
            string.interpolation = Interpolation(end + 2)
            string.depth = 0
            self._current = string.interpolation.tokens
            return end + 2
        quotes = '"""' if string.triple else '"'
        if not text.startswith(quotes, end):
            return self._abandon(end)
        self._open.pop()
        self._current = string.outer
        self._finish(string, end + len(quotes))
        return end + len(quotes)

    def _finish(self, string: _OpenString, end: int) -> None:
        parts = string.parts
        if string.triple:
            lay_out(parts)
        text = self.text[string.start : end]
        only = parts[0]
        if len(parts) == 1 and isinstance(only, Piece):
            self._current.append(StringToken(text, string.start, end, only.value))
        else:
            self._current.append(TemplateToken(text, string.start, end, parts, triple=string.triple))

    def _brace(self, symbol: str, start: int) -> bool:
        """Count a brace inside an interpolation; return whether it ends the interpolation."""
        string = self._open[-1]
        if symbol == "{":
            string.depth += 1
            return False
        if string.depth:
            string.depth -= 1
            return False
        string.interpolation.end = start
        string.interpolation.tokens.append(Token("END", "}", start, start + 1))
        string.parts.append(string.interpolation)
        return True

    def _abandon(self, reached: int) -> int:
        """Abandon the outermost open one-line string (else triple string), and continue after its line."""
        at = next((index for index, string in enumerate(self._open) if not string.triple), 0)
        string = self._open[at]
        del self._open[at:]
        self._current = string.outer
        self.errors = [error for error in self.errors if error.span.start < string.start]
        self._patience -= reached - string.start
        return self._unterminated(string.start, string.start, to_end=string.triple or self._patience < 0)

    def _unterminated(self, quote: int, start: int, *, to_end: bool = False) -> int:
        line_end = self.text.find("\n", quote)
        end = len(self.text) if to_end or line_end < 0 else line_end
        shown = line_end if line_end >= 0 else len(self.text)
        dollar = self.text.find("${", quote, end)
        notes = [DOLLAR_HELP] if dollar >= 0 and not to_end else []
        self._report("Unterminated string", start, shown, at=quote, notes=notes, label=(quote, "opened here"))
        self._current.append(StringToken(self.text[start:end], start, end, ""))
        return end

    # Comments and the rest

    def _line_comment(self, text: str, start: int, end: int) -> None:
        self.comments.append((start, end))
        if text.startswith("///") and not text.startswith("////"):
            self._doc.append(text[3:].rstrip().removeprefix(" "))

    def _block_comment(self, start: int, _end: int) -> int:
        depth = 0
        for edge in _BLOCK_EDGE.finditer(self.text, start):
            depth += 1 if edge[0] == "/*" else -1
            if depth == 0:
                body = self.text[start + 3 : edge.end() - 2]
                if self.text.startswith("/**", start) and len(body) > 1 and not body.startswith("*"):
                    self._doc.extend(_DOC_MARGIN.sub("", body).strip().split("\n"))
                self.comments.append((start, edge.end()))
                return edge.end()
        line_end = self.text.find("\n", start)
        shown = line_end if line_end >= 0 else len(self.text)
        self._report("Unterminated block comment", start, shown, at=start, label=(start, "opened here"))
        return -1

    def _attach_doc(self, start: int) -> None:
        self.docs[start] = "\n".join(line.rstrip() for line in self._doc)
        self._doc.clear()

    def _skip(self, _start: int, end: int) -> int:
        return end

    def _stop(self, _start: int, _end: int) -> int:
        return -1

    def _unexpected(self, start: int, end: int) -> int:
        """Report a character that cannot start a token, and continue after the text that it seems to belong to."""
        text = self.text
        character = text[start]
        notes = [_CHARACTER_HELP[character]] if character in _CHARACTER_HELP else []
        self._report(f"Unexpected character '{character}'", start, start + 1, at=start, notes=notes)
        line_end = text.find("\n", start)
        line_end = len(text) if line_end < 0 else line_end
        if character == "#":
            return line_end
        closing = text.find(character, start + 1, line_end) if character in _QUOTES else -1
        if closing >= 0:
            self._current.append(StringToken(text[start : closing + 1], start, closing + 1, text[start + 1 : closing]))
            return closing + 1
        while end < len(text) and text[end] == character:
            end += 1
        return end

    def _report(
        self,
        message: str,
        start: int,
        end: int,
        *,
        at: int,
        notes: list[str] | None = None,
        label: tuple[int, str] | None = None,
    ) -> None:
        if len(self.errors) >= MAX_ERRORS:
            return
        position = self.source.position(at)
        labels = [Label(Span(label[0], label[0] + 1), label[1])] if label else []
        self.errors.append(
            Diagnostic(
                ERROR, f"{message} at {position}", self.source, Span(start, end), labels=labels, help=notes or ()
            ),
        )

    _HANDLERS: ClassVar[dict[int, Callable[[Lexer, int, int], int]]] = {
        _ODD_NUMBER: _odd_number,
        _RAW_QUOTE: _raw_string,
        _QUOTE: _quote,
        _BLOCK: _block_comment,
        _JOIN: _skip,
        _OTHER: _unexpected,
        _END: _stop,
    }
