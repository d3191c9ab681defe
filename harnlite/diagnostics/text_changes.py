"""Changed texts: shown as a diff, or written to their files."""

from __future__ import annotations

import os

from harnlite.regular_files import regular_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.diagnostics.source import Source

_MARK = b"\xef\xbb\xbf"


def difference(source: Source, text: str) -> str:
    """Return a unified diff between a source and its new text, which is empty if they are equal."""
    return "".join(_lines(source, text))


def _lines(source: Source, text: str) -> Iterator[str]:
    from difflib import unified_diff

    before, after = (value.splitlines(keepends=True) for value in (source.text, text))
    for line in unified_diff(before, after, f"a/{source.name}", f"b/{source.name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def replace_file(path: str, text: str) -> None:
    """Replace the content of a file atomically, and preserve its mode and byte order mark.

    A read-only file raises OSError, even if its folder is writable.
    """
    place = os.path.realpath(path)
    with open(place, "r+b", opener=regular_file) as file:
        mark = _MARK if file.read(len(_MARK)) == _MARK else b""
    temporary = f"{place}.{os.getpid()}.tmp"
    try:
        with open(temporary, "xb") as file:
            file.write(mark + text.encode())
        os.chmod(temporary, os.stat(place).st_mode)
        os.replace(temporary, place)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
