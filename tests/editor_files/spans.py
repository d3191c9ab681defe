"""The spans of a text by the lexer: comments, string contents, numbers, keywords and names."""

from harnlite.diagnostics.source import Source
from harnlite.syntax.lexer import Lexer
from harnlite.syntax.parser import parse
from harnlite.syntax.prepass import Prepass
from harnlite.syntax.tokens import CONTEXTUAL_WORDS, KEYWORDS, Interpolation, Piece, TemplateToken

COMMENT, TEXT, NUMBER, KEYWORD, NAME = "comment", "text", "number", "keyword", "name"
_KINDS = {
    "STRING": TEXT, "INT": NUMBER, "FLOAT": NUMBER, "DURATION": NUMBER, "ID": NAME, "METHOD": NAME, "PVAR": NAME,
}  # fmt: skip


def spans_of(path):
    """Return kind, start and end of what stands in a program, or nothing if it is none."""
    source = Source(path.read_text(encoding="utf-8"), path.name)
    declarations = path.name == "builtins.harn"
    if parse(source, declarations=declarations).diagnostics:
        return []
    lexer = Lexer(source)
    lexer.read()
    Prepass(lexer.tokens, declarations=declarations).run()
    return [*((COMMENT, start, end) for start, end in lexer.comments), *_spans(lexer.tokens)]


def _spans(tokens):
    for token in tokens:
        if isinstance(token, TemplateToken):
            for part in token.parts:
                if isinstance(part, Interpolation):
                    Prepass(part.tokens, inside=True).run()
                    yield from _spans(part.tokens)
                elif isinstance(part, Piece):
                    yield TEXT, part.start, part.end
        elif token.kind in _KINDS:
            yield _KINDS[token.kind], token.start, token.end
        elif (word := token.text.split(" ")[0]) in KEYWORDS | CONTEXTUAL_WORDS:
            yield KEYWORD, token.start, token.start + len(word)
