"""Reading of files as sources."""

from __future__ import annotations

import os

from harnlite.diagnostics.diagnostic import ERROR, Diagnostic
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Source, Span

_MARK = "\ufeff"


def read_source(path: str, name: str | None = None) -> Source:
    """Read a file. Raise LanguageError if it is not UTF-8, OSError if it cannot be read."""
    with open(path, "rb") as file:
        content = file.read()
    return decode_source(content, name or path, os.path.abspath(path))


def decode_source(content: bytes, name: str, path: str | None = None) -> Source:
    """Decode bytes as a source without a byte order mark. Raise LanguageError if they are not UTF-8."""
    try:
        return Source(content.decode().removeprefix(_MARK), name, path)
    except UnicodeDecodeError as error:
        source = Source(content.decode(errors="replace"), name, path)
        offset = len(content[: error.start].decode())
        message = f"not UTF-8 text: the byte 0x{content[error.start]:02x} has no meaning here"
        finding = Diagnostic(ERROR, message, source, Span(offset, offset + 1), help=("save the file as UTF-8",))
        raise LanguageError(message, [finding]) from None
