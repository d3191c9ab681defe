"""Detection of complete inputs: whether a text can be run or needs more lines."""

from __future__ import annotations

from harnlite.diagnostics.source import Source
from harnlite.stack import on_large_stack

COMMAND, QUESTION = ":", "?"
_AT_END = ("Unexpected end of file", "Unterminated block comment")
_LONG_STRING = '"""'
_DOC = "///"


def is_command(text: str) -> bool:
    """Return whether an input is a command of the session rather than a program."""
    return text.lstrip().startswith((COMMAND, QUESTION))


def is_complete(text: str) -> bool:
    """Return whether a text can be run, or contains an error that more lines cannot fix."""
    if not text.strip() or is_command(text):
        return True
    from harnlite.syntax.parser import parse

    found = on_large_stack(lambda: parse(Source(text))).diagnostics
    if not found:
        last = text.rstrip().rsplit("\n", 1)[-1].lstrip()
        return not last.startswith(_DOC) and not text.rstrip(" \t").endswith("\\")
    first = found[0]
    if first.message.startswith("Unterminated string"):
        return not text.startswith(_LONG_STRING, first.span.start)
    return not first.message.startswith(_AT_END)


def indent_of(text: str) -> str:
    """Return the indentation of the line after a text."""
    line = text.rsplit("\n", 1)[-1]
    indent = line[: len(line) - len(line.lstrip())]
    return indent + "  " if line.rstrip().endswith(("{", "(", "[")) else indent
