"""Store the declarations of the builtins as data beside the code, so that no run has to parse them.

`python -m harnlite.analysis.builtins.digest` writes the file. It begins with the hash of the declarations from which it
was made.
"""

from __future__ import annotations

import marshal
import os
import sys
from functools import lru_cache

from harnlite.analysis.builtins.declarations import Declarations, digest_of
from harnlite.diagnostics.source import Source
from harnlite.digests import sha256
from harnlite.resources import builtins_file
from harnlite.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.builtins.declarations import Entry

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "builtins.digest")
_KEY_BYTES = 32
_MARSHAL_VERSION = 2  # without references, so that equal data gives equal bytes on every Python


def load_declarations() -> Declarations:
    """Return the builtins, from the stored data if it matches the declarations, else by parsing the declarations."""
    path = builtins_file()
    state = os.stat(path)
    return _declared(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1)
def _declared(path: str, _changed: int, _size: int) -> Declarations:
    """Return the builtins that a file declares in this state."""
    with open(path, "rb") as declared:
        text = declared.read()
    try:
        with open(_FILE, "rb") as file:
            data = file.read()
    except OSError:
        data = b""
    if data[:_KEY_BYTES] == _key(text):
        return Declarations(marshal.loads(data[_KEY_BYTES:]))  # noqa: S302 - a file of this package
    return Declarations(parsed_entries(text))


def parsed_entries(text: bytes) -> dict[str, Entry]:
    """Return the builtins that a text declares."""
    source = Source(text.decode(), "<builtins>")
    result = parse(source, declarations=True)
    if result.diagnostics:
        raise ValueError(f"the declarations of the builtins do not parse: {result.diagnostics}")
    return digest_of(result.module, source.text)


def digest_bytes(text: bytes) -> bytes:
    """Return the content of the file for a text of declarations."""
    return _key(text) + marshal.dumps(parsed_entries(text), _MARSHAL_VERSION)


def _key(text: bytes) -> bytes:
    digest: bytes = sha256(text).digest()
    return digest


def main() -> None:
    """Write the file for the current declarations."""
    with open(builtins_file(), "rb") as file:
        data = digest_bytes(file.read())
    with open(_FILE, "wb") as file:
        file.write(data)
    sys.stdout.write(f"{_FILE}: {len(data)} bytes\n")


if __name__ == "__main__":
    main()
