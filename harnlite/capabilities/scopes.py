"""Scopes: the part of the world that a capability covers, for example `./docs` for `fs.read`."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod

from harnlite.capabilities.catalogue import ADDRESSES, NAMES, PATHS, PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_PORT = 65_535


class Scope(ABC):
    """What a capability covers. A target has the form that the kind of the scope names."""

    __slots__ = ()

    @abstractmethod
    def covers(self, target: str) -> bool:
        """Return whether a target is inside the scope."""

    def names(self, target: str) -> bool:
        """Return whether the scope names exactly this target, and not a pattern or folder that contains it."""
        return self.covers(target)


class PathScope(Scope):
    """A file, or a folder with everything below it. A target is a path without links."""

    __slots__ = ("_inside", "top")

    def __init__(self, text: str, base: str) -> None:
        self.top = os.path.realpath(os.path.join(base, os.path.expanduser(text)))
        self._inside = self.top.rstrip(os.sep) + os.sep

    def covers(self, target: str) -> bool:
        """Return whether a path is the scope's or below it."""
        return target == self.top or target.startswith(self._inside)


class FoundProgram(str):
    """The path of a program with the file that it led to when it was found; links may change afterwards."""

    __slots__ = ("real",)

    real: str

    @classmethod
    def at(cls, path: str) -> FoundProgram:
        """Return the program at a path."""
        found = cls(path)
        found.real = os.path.realpath(path)
        return found


class ProgramScope(Scope):
    """A program, by its name on the search path or by its path. A target is a path, or better a `FoundProgram`.

    Two paths are one program if they lead to the same file under the same name: some files are many programs, and
    look at their name to know which.
    """

    __slots__ = ("_names", "_real")

    def __init__(self, text: str, base: str) -> None:
        found = program_path(text, base)
        self._names = {os.path.basename(text), os.path.basename(found or text)}
        self._real = None if found is None else os.path.realpath(found)

    def covers(self, target: str) -> bool:
        """Return whether a path leads to the program."""
        if self._real is None:
            return target in self._names  # a name for which there is no program
        return os.path.basename(target) in self._names and self._real == (
            target.real if isinstance(target, FoundProgram) else os.path.realpath(target)
        )


class NameScope(Scope):
    """An environment variable, or with a final `*` all that begin with a text. A target is a name."""

    __slots__ = ("_name",)

    def __init__(self, text: str, _base: str) -> None:
        self._name = text

    def covers(self, target: str) -> bool:
        """Return whether a variable has the name."""
        if self._name.endswith("*"):
            return target.startswith(self._name[:-1])
        return target == self._name


class AddressScope(Scope):
    """A host, `*.` and a domain for all hosts below it, each with or without a port. A target is `host:port`."""

    __slots__ = ("_host", "_port")

    def __init__(self, text: str, _base: str) -> None:
        self._host, self._port = split_address(text)
        if not self._host or "*" in self._host.removeprefix("*."):
            raise ValueError(f"'{text}' is not an address: give a host or '*.domain', if necessary with ':port'")

    def covers(self, target: str) -> bool:
        """Return whether a host and port are named by the scope."""
        host, port = split_address(target)
        if self._port is not None and port != self._port:
            return False
        if self._host.startswith("*."):
            return host.endswith(self._host[1:]) and host != self._host[1:]
        return host == self._host

    def names(self, target: str) -> bool:
        """Return whether the scope names the host itself, not the domain above it."""
        return not self._host.startswith("*.") and self.covers(target)


def split_address(text: str) -> tuple[str, int | None]:
    """Return the host in lower case and the port of `host`, `host:port`, `[v6]` or `[v6]:port`; raise ValueError."""
    host, bracket, rest = text[1:].partition("]") if text.startswith("[") else ("", "", "")
    if not bracket:
        host, colon, port = text.rpartition(":")
        if not colon or ":" in host:
            host, port = text, ""
    else:
        port = rest.removeprefix(":")
    if port and not (port.isascii() and port.isdigit() and 0 < int(port) <= MAX_PORT):
        raise ValueError(f"'{text}' is not an address: '{port}' is not a port")
    return _normal(host), int(port) if port else None


def _normal(host: str) -> str:
    """Return a host in lower case, and an IPv6 address in its shortest form."""
    host = host.rstrip(".").lower()
    if ":" not in host:
        return host
    from ipaddress import IPv6Address

    try:
        return str(IPv6Address(host))
    except ValueError:
        return host


def program_path(name: str, folder: str, search: str | None = None) -> str | None:
    """Return the absolute path of a program as the system would find it from a folder, or None."""
    import shutil

    if "\0" in name:
        return None
    if os.path.dirname(name):
        path = os.path.join(folder, name)
        return os.path.abspath(path) if os.access(path, os.X_OK) and os.path.isfile(path) else None
    # As in a shell without `.` in its PATH: a program of the working folder needs a path.
    folders = os.environ.get("PATH", os.defpath) if search is None else search
    found = shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, folders.split(os.pathsep))))
    return found and os.path.abspath(found)


_SEPARATORS = {PATHS: os.pathsep, PROGRAMS: ",", NAMES: ",", ADDRESSES: ","}
_SCOPES: dict[str, Callable[[str, str], Scope]] = {
    PATHS: PathScope,
    PROGRAMS: ProgramScope,
    NAMES: NameScope,
    ADDRESSES: AddressScope,
}


def scopes_in(kind: str, text: str, base: str) -> list[Scope]:
    """Return the scopes of a kind that a text lists; raise ValueError if one is not valid."""
    parts = [part.strip() for part in text.split(_SEPARATORS[kind])]
    if not all(parts):
        raise ValueError("an empty scope")
    return [_SCOPES[kind](part, base) for part in parts]
