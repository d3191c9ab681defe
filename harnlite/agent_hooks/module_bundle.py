"""The code of the modules that run rules, in one file: many small files take longer to find and read than to execute.

The file is in the folder of the code cache, which only the user can write. A module whose source has changed is loaded
in the usual way, and the bundle is written again after the answer. Without a bundle, everything works as well.
"""

from __future__ import annotations

import marshal
import os
import sys

from harnlite.agent_hooks.state_folder import short_digest
from harnlite.compiler.cache import folder, is_trusted
from harnlite.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import Any

    from _typeshed.importlib import MetaPathFinderProtocol

    Row = tuple[int, int, str, bool, int, int]

FORMAT = 1
PACKAGE = "harnlite"
COMPILER = "harnlite.compiler.compilation"
"""Loaded by runs that compile the rules; their modules do not belong into the bundle."""
ENDING = ".harnb"
_LENGTH_BYTES = 8
_MOST_BYTES = 20_000_000
_PATIENCE_SECONDS = 0.2


class ModuleBundle:
    """Finds and loads modules of harnlite in the bundle; it is both a finder and a loader of Python."""

    __slots__ = ("_data", "_rows", "missed")

    def __init__(self, rows: dict[str, Row], data: memoryview) -> None:
        self._rows = rows
        self._data = data
        self.missed: set[str] = set()
        """The modules of harnlite that were not found in the bundle."""

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None) -> Any:  # noqa: ANN401 - a ModuleSpec
        """Return the spec of a module in the bundle whose source has not changed, or None."""
        row = self._rows.get(name)
        if row is None or not _is_current(row):
            if name.startswith(PACKAGE):
                self.missed.add(name)
            return None
        spec = type(sys.__spec__)(name, self, origin=row[2], is_package=row[3])  # type: ignore[arg-type]  # a loader
        spec.has_location = True
        if row[3]:
            spec.submodule_search_locations = [os.path.dirname(row[2])]
        return spec

    def create_module(self, _spec: object) -> None:
        """Let Python create the module."""
        return

    def code_of(self, name: str) -> bytes:
        """Return the marshalled code of a module."""
        start, size, *_ = self._rows[name]
        return bytes(self._data[start : start + size])

    def exec_module(self, module: ModuleType) -> None:
        """Execute the code of a module."""
        code: CodeType = marshal.loads(self.code_of(module.__name__))  # noqa: S302 - the folder is the user's alone
        exec(code, module.__dict__)  # noqa: S102 - the code of our own modules


def _is_current(row: Row) -> bool:
    try:
        facts = os.stat(row[2])
    except OSError:
        return False
    return facts.st_mtime_ns == row[4] and facts.st_size == row[5]


def bundle_file() -> str | None:
    """Return the path of the bundle, or None if there is no code cache."""
    place = folder()
    if place is None:
        return None
    here = os.path.dirname(os.path.abspath(__file__))
    name = short_digest(f"{FORMAT} {VERSION} {sys.implementation.cache_tag} {sys.hexversion} {here}")
    return os.path.join(place, f"hooks-{name}{ENDING}")


def use_bundle() -> ModuleBundle | None:
    """Load modules from the bundle from now on; return it, or None if there is no code cache."""
    path = bundle_file()
    if path is None:
        return None
    bundle = _read(path) or ModuleBundle({}, memoryview(b""))
    finder: MetaPathFinderProtocol = bundle
    sys.meta_path.insert(0, finder)
    return bundle


def _read(path: str) -> ModuleBundle | None:
    if not is_trusted(os.path.dirname(path)):
        return None
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            data = os.read(file, _MOST_BYTES)
        finally:
            os.close(file)
        start = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "big")
        rows = marshal.loads(data[_LENGTH_BYTES:start])  # noqa: S302 - the folder is the user's alone
    except (OSError, EOFError, ValueError, TypeError):
        return None
    return ModuleBundle(rows, memoryview(data)[start:]) if isinstance(rows, dict) else None


def write_bundle(bundle: ModuleBundle | None) -> None:
    """Write the bundle again if this process has loaded modules that are not in it."""
    path = bundle_file()
    if bundle is None or path is None or not bundle.missed or COMPILER in sys.modules:
        return
    from harnlite.durable_files import LockedFolder

    place, name = os.path.split(path)
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        if not is_trusted(place):
            return
        data = _written()
        with LockedFolder(place, patience=_PATIENCE_SECONDS) as locked:
            locked.replace(name, data)
    except (OSError, ValueError, ImportError):
        return


def _written() -> bytes:
    """Return the bundle of all modules of harnlite that are loaded."""
    rows: dict[str, Row] = {}
    parts: list[bytes] = []
    start = 0
    for name, module in sorted(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if not name.startswith(PACKAGE) or not isinstance(path, str) or not path.endswith(".py"):
            continue
        code = _code_of(name, module)
        facts = os.stat(path)
        rows[name] = start, len(code), path, hasattr(module, "__path__"), facts.st_mtime_ns, facts.st_size
        parts.append(code)
        start += len(code)
    head = marshal.dumps(rows)
    return b"".join((len(head).to_bytes(_LENGTH_BYTES, "big"), head, *parts))


def _code_of(name: str, module: ModuleType) -> bytes:
    loader: Any = module.__loader__
    return loader.code_of(name) if isinstance(loader, ModuleBundle) else marshal.dumps(loader.get_code(name))
