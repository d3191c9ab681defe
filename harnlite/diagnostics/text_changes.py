"""Changed texts: shown as a diff, or written to their files."""

from __future__ import annotations

from harnlite.durable_files import replace_file
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


def replace_text(path: str, text: str) -> None:
    """Replace the text of a file, and preserve its mode and byte order mark.

    A read-only file raises OSError, even if its folder is writable.
    """
    with open(path, "r+b", opener=regular_file) as file:
        mark = _MARK if file.read(len(_MARK)) == _MARK else b""
    replace_file(path, mark + text.encode())
