"""A Pygments lexer for the interactive session, documentation tools and other programs that use Pygments."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, include, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from harnlite.syntax.tokens import CONTEXTUAL_WORDS, DURATION_UNITS, KEYWORDS, WORD_CLASSES

_CONSTANTS, _BINDING = WORD_CLASSES["constant"], WORD_CLASSES["binding"]
_UNITS = "|".join(sorted(DURATION_UNITS, key=len, reverse=True))


class HarnLexer(RegexLexer):  # type: ignore[misc]  # Pygments has no types
    """A lexer for harnlite programs, including the interpolations inside strings."""

    name = "harnlite"
    aliases: ClassVar[list[str]] = ["harn", "harnlite"]
    filenames: ClassVar[list[str]] = ["*.harn"]
    mimetypes: ClassVar[list[str]] = ["text/x-harn"]
    url = ""

    tokens: ClassVar = {
        "root": [
            (r"\A#!.*?$", Comment.Hashbang),
            (r"///.*?$", String.Doc),
            (r"//.*?$", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
            (r'"""', String, "long string"),
            (r'r"[^"\n]*"', String),
            (r'"', String, "string"),
            (rf"\d[\d_]*(?:\.\d+)?(?:{_UNITS})\b", Number),
            (r"0x[0-9a-fA-F_]+|0b[01_]+", Number.Integer),
            (r"\d[\d_]*\.\d[\d_]*(?:[eE][+-]?\d+)?|\d[\d_]*[eE][+-]?\d+", Number.Float),
            (r"\d[\d_]*", Number.Integer),
            (r"@\w+", Name.Decorator),
            (r"(?<=\.)[A-Za-z_]\w*", Name.Attribute),
            (words(sorted(KEYWORDS - _CONSTANTS), suffix=r"(?=\s*\??:)"), Name.Label),
            (words(sorted(_CONSTANTS), suffix=r"\b"), Keyword.Constant),
            (words(sorted(_BINDING), suffix=r"\b"), Keyword.Declaration),
            (r"(fn|tool|skill|pipeline)(\s+)([A-Za-z_]\w*)", bygroups(Keyword, Text, Name.Function)),
            (words(sorted(KEYWORDS - _CONSTANTS - _BINDING), suffix=r"\b"), Keyword),
            (words(sorted(CONTEXTUAL_WORDS - _BINDING), suffix=r"\b(?=\s+[\w{*(])"), Keyword.Pseudo),
            (r"[A-Z]\w*", Name.Class),
            (r"[A-Za-z_]\w*(?=\s*\()", Name.Function),
            (r"[A-Za-z_]\w*(?=\s*:(?!:))", Name.Label),
            (r"[A-Za-z_]\w*", Name),
            (r"\{", Punctuation, "braces"),
            (r"[\[\](),;:}]", Punctuation),
            (r"\|>|->|\.\.\.|\?\?|\?\.|\*\*|&&|\|\||[=!<>]=|[-+*/%]=?|[=<>!?.|]", Operator),
            (r"\s+", Text),
            (r".", Text),
        ],
        "braces": [(r"\}", Punctuation, "#pop"), include("root")],
        "interpolation": [(r"\}", String.Interpol, "#pop"), include("root")],
        "comment": [
            (r"/\*", Comment.Multiline, "#push"),
            (r"\*/", Comment.Multiline, "#pop"),
            (r"[^*/]+|[*/]", Comment.Multiline),
        ],
        "string": [
            (r'"|(?=\n)', String, "#pop"),
            (r"\$\{", String.Interpol, "interpolation"),
            (r"\\u\{[0-9a-fA-F]*\}|\\.", String.Escape),
            (r'[^"\\$\n]+|\$|\\', String),
        ],
        "long string": [
            (r'"""', String, "#pop"),
            (r"\$\{", String.Interpol, "interpolation"),
            (r'[^"$]+|"|\$', String),
        ],
    }
