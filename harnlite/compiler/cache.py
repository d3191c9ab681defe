"""The code cache, which keeps compiled programs between runs.

The name of an entry is a digest of everything that its code depends on, so an outdated entry is never found. An entry
begins with a digest of its content, so a damaged one is never used. The folder is used only if it belongs to the user
and no other user can write to it, because its files are executed.
"""

from __future__ import annotations

import marshal
import os
import sys

from harnlite.digests import sha256
from harnlite.regular_files import regular_file
from harnlite.resources import builtins_file
from harnlite.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import CodeType
    from typing import Any

    from harnlite.diagnostics.source import Source

FORMAT = 1
SUFFIX = ".harnc"
BUNDLE = ".harnb"
"""The ending of the files with the code of our own modules."""
OFF = frozenset({"off", "0", "no", "false"})
_DIGEST_BYTES = 32
_OTHERS_MAY_WRITE = 0o022
_KIND_MASK, _FOLDER_KIND = 0o170000, 0o040000
_WHOLE_PROGRAM_NAME = 40
_PATIENCE_SECONDS = 0.2


def folder() -> str | None:
    """Return the folder of the cache, or None if the cache is off or no folder is available."""
    setting = os.environ.get("HARNLITE_CACHE", "")
    if setting.lower() in OFF and setting:
        return None
    if setting:
        return os.path.abspath(setting)
    base = os.environ.get("XDG_CACHE_HOME") or _user_cache()
    return os.path.join(base, "harnlite", "code") if base and os.path.isabs(base) else None


def _user_cache() -> str:
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA", "")
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        return ""
    return os.path.join(home, "Library", "Caches") if sys.platform == "darwin" else os.path.join(home, ".cache")


def is_trusted(path: str) -> bool:
    """Return whether a folder belongs to the user and only the user can write to it."""
    try:
        facts = os.lstat(path)
    except OSError:
        return False
    if not hasattr(os, "getuid"):
        return os.path.isdir(path)
    is_folder = facts.st_mode & _KIND_MASK == _FOLDER_KIND
    return is_folder and facts.st_uid == os.getuid() and not facts.st_mode & _OTHERS_MAY_WRITE


def stamp(path: str) -> str:
    """Return the modification time and size of a file, which identify its state without reading it."""
    try:
        facts = os.stat(path)
    except OSError:
        return ""
    return f"{facts.st_mtime_ns}:{facts.st_size}"


def key_of(source: Source) -> str | None:
    """Return the path of the cache entry for a source, or None if there is no cache."""
    place = folder()
    if place is None:
        return None
    whole = sha256()
    python = f"{sys.implementation.cache_tag} {sys.hexversion}"
    version = f"{FORMAT} {VERSION} {python} {stamp(builtins_file())} {_COMPILER.stamp()}"
    name = os.path.abspath(source.path) if source.path else source.name
    for part in (version, name, source.text):
        data = part.encode("utf-8", "surrogatepass")
        whole.update(b"%d:" % len(data))
        whole.update(data)
    return os.path.join(place, whole.hexdigest()[:_WHOLE_PROGRAM_NAME] + SUFFIX)


class _CompilerFiles:
    """The state of the compiler's own files, so that a change of the compiler invalidates all entries.

    It is determined once, because a process does not load a file again that has changed.
    """

    __slots__ = ("_stamp",)

    def __init__(self) -> None:
        self._stamp = ""

    def stamp(self) -> str:
        if not self._stamp:
            here = os.path.dirname(os.path.abspath(__file__))
            stamps = [stamp(entry.path) for entry in os.scandir(here) if entry.name.endswith(".py")]
            self._stamp = " ".join(sorted(stamps))
        return self._stamp


_COMPILER = _CompilerFiles()


def read(key: str, opener: Callable[[str, int], int] = regular_file) -> tuple[dict[str, object], Any] | None:
    """Return an entry, or None if there is no valid one; `opener` opens the files that it depends on."""
    if not is_trusted(os.path.dirname(key)):
        return None
    try:
        with open(key, "rb") as file:
            data = file.read()
        if _seal(key, data[_DIGEST_BYTES:]) != data[:_DIGEST_BYTES]:
            return None
        facts, code = marshal.loads(data[_DIGEST_BYTES:])  # noqa: S302 - the folder is the user's alone
        return (facts, code) if is_current(facts, opener) else None
    except (OSError, EOFError, ValueError, TypeError, KeyError):
        return None


def _seal(key: str, data: bytes) -> bytes:
    """Return the digest of an entry and its name, so that an entry is not valid under another name."""
    digest: bytes = sha256(os.path.basename(key).encode() + data).digest()
    return digest


def is_current(facts: dict[str, Any], opener: Callable[[str, int], int]) -> bool:
    """Return whether the files that the checker has read for a program are unchanged."""
    looked_at: Iterable[tuple[str, str]] = facts["depends"]
    try:
        for path, digest in looked_at:
            with open(path, "rb", opener=opener) as file:
                if sha256(file.read()).hexdigest() != digest:
                    return False
    except OSError:
        return False
    return True


def write(key: str, facts: dict[str, object], code: CodeType | tuple[Any, ...]) -> None:
    """Store an entry; if that fails, the run continues without it."""
    from harnlite.durable_files import LockedFolder

    place, name = os.path.split(key)
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        if not is_trusted(place):
            return
        data = marshal.dumps((facts, code))
        with LockedFolder(place, patience=_PATIENCE_SECONDS) as locked:
            locked.replace(name, _seal(key, data) + data)
    except (OSError, ValueError):
        return


def entries() -> list[tuple[str, int]]:
    """Return the paths of the cache files and their sizes."""
    place = folder()
    if place is None or not os.path.isdir(place):
        return []
    with os.scandir(place) as found:
        return sorted((item.path, item.stat().st_size) for item in found if _is_entry(item.name) and item.is_file())


def _is_entry(name: str) -> bool:
    return SUFFIX in name or name.endswith(BUNDLE)
