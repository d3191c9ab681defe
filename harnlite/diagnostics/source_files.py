"""Reading of files as sources."""

from __future__ import annotations

import os

from harnlite.diagnostics.diagnostic import ERROR, Diagnostic
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Source, Span
from harnlite.regular_files import MOST_BYTES, file_or_pipe, regular_file, too_large

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

_MARK = "\ufeff"


def read_source(path: str, name: str | None = None, *, may_be_pipe: bool = False) -> Source:
    """Read a file. Raise LanguageError if it is not UTF-8, OSError if it cannot be read."""
    with open(path, "rb", opener=file_or_pipe if may_be_pipe else regular_file) as file:
        content = read_bounded(file, path)
    return decode_source(content, name or path, os.path.abspath(path))


def read_bounded(file: IO[bytes], path: str) -> bytes:
    """Read a file to its end. Raise OSError if it is too large."""
    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise too_large(path)
    return content


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
