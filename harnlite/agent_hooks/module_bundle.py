"""The code of the modules that run rules, in one file: many small files take longer to find and read than to execute.

The file is in the folder of the code cache, which only the user can write. A module whose source has changed is loaded
in the usual way, and the bundle is written again after the answer. Without a bundle, everything works as well.

Modules that one import has loaded form a group. The code of a group is marshalled as a whole, so its names are stored
once. The group that every call needs is executed at once, before there are threads: its modules are in the order in
which they were completed, so Python's machinery of imports, which takes as long as the modules themselves, finds all
that they import in `sys.modules`. The bundle also remembers for each kind of call which other modules it has loaded;
they follow. What a failed call has loaded is not remembered, because it includes the report of the failure.
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
    """The group, the position in it, the path, whether it is a package, and the time and size of the source."""
    Kinds = dict[str, tuple[str, ...]]
    """The modules that calls of a kind have loaded beyond those that every call needs, in the order of completion."""

FORMAT = 3
PACKAGE = "harnlite"
COMPILER = "harnlite.compiler.compilation"
"""Loaded by runs that compile the rules; their modules do not belong into the bundle."""
ENDING = ".harnb"
_LIBRARY = os.path.dirname(os.__file__) + os.sep
_INSTALLED = (_LIBRARY + "site-packages", _LIBRARY + "dist-packages")
_LENGTH_BYTES = 8
_MOST_BYTES = 20_000_000
_MOST_KINDS = 64
_PATIENCE_SECONDS = 0.2
_UNREADABLE = (OSError, EOFError, ValueError, TypeError, IndexError)


class ModuleBundle:
    """Finds and loads modules of harnlite and of Python in the bundle; it is both a finder and a loader of Python."""

    __slots__ = (
        "_codes",
        "_depth",
        "_files",
        "_finder",
        "_further",
        "_is_stale",
        "_kind",
        "_kinds",
        "_loaded",
        "_places",
        "_root",
        "_rows",
        "_stored",
    )

    def __init__(
        self, rows: dict[str, Row], kinds: Kinds, stored: int = -1, places: Sequence[tuple[int, int]] = ()
    ) -> None:
        self._rows = rows
        self._kinds = kinds
        self._kind = ""
        """The kind of this call."""
        self._further: tuple[str, ...] | None = None
        """The modules that this call has loaded until its answer beyond those that every call needs."""
        self._stored = stored
        """The open file: only the groups that are needed are read."""
        self._places = places
        """Where each group starts in the file, and its size: a marshalled tuple of code."""
        self._codes: dict[int, tuple[CodeType, ...]] = {}
        self._files: dict[str, Any] = {}
        """The usual loaders of the modules that were not found in the bundle."""
        self._loaded: list[list[tuple[str, CodeType]]] = []
        """The modules of this process by the imports that have loaded them, in the order of their completion."""
        self._depth = 0
        self._is_stale = False
        self._finder: Any = None
        self._root = ""
        """The module whose group was preloaded; it belongs to that group."""

    def install(self) -> None:
        """Load modules from the bundle from now on."""
        for position, finder in enumerate(sys.meta_path):
            if getattr(finder, "__name__", "") == "PathFinder":
                self._finder = finder
                own: MetaPathFinderProtocol = self
                sys.meta_path.insert(position, own)
                return

    def find_spec(self, name: str, path: Sequence[str] | None = None, _target: ModuleType | None = None) -> Any:  # noqa: ANN401 - a ModuleSpec
        """Return the spec of a module in the bundle whose source has not changed, or that of a source file, or None."""
        row = self._rows.get(name)
        if row is not None and self._is_usable(row):
            return _spec(name, self, row[2], is_package=row[3])
        spec = self._finder.find_spec(name, path)
        loader = None if spec is None else spec.loader
        if type(loader).__name__ != "SourceFileLoader" or not _belongs(name, spec.origin):
            return spec
        self._files[name] = loader
        return _spec(name, self, spec.origin, is_package=spec.submodule_search_locations is not None)

    def create_module(self, _spec: object) -> None:
        """Let Python create the module."""
        return

    def exec_module(self, module: ModuleType) -> None:
        """Execute the code of a module."""
        name = module.__name__
        loader = self._files.get(name)
        if loader is None:
            group, position, *_ = self._rows[name]
            code = self._codes[group][position]
        else:
            code = loader.get_code(name)
        if module.__spec__ is not None:
            module.__file__ = module.__spec__.origin
        if not self._depth and (name != self._root or not self._loaded):
            self._loaded.append([])
        self._execute(name, code, module)

    def preload(self, root: str, kind: str) -> None:
        """Execute what the import of `root` has loaded, without that module, and what calls of this kind need then."""
        self._root, self._kind = root, kind
        found = self._rows.get(root)
        if found is None:
            return
        base = [name for name, row in self._rows.items() if row[0] == found[0]]
        wanted = [name for name in (*base, *self._kinds.get(kind, ())) if name != root and name not in sys.modules]
        if not all(self._is_usable(self._rows[name]) for name in wanted):
            return
        self._loaded.append([])
        for name in wanted:
            parent = name.rpartition(".")[0]
            if name not in sys.modules and (not parent or parent in sys.modules):
                self._complete(name, self._rows[name])

    def _complete(self, name: str, row: Row) -> None:
        """Create and execute a module that imports only complete modules; those that its package imports are not."""
        module = type(sys)(name)
        module.__spec__ = _spec(name, self, row[2], is_package=row[3])
        module.__dict__.update(__loader__=self, __file__=row[2])
        parent, _, last = name.rpartition(".")
        module.__package__ = name if row[3] else parent
        if row[3]:
            module.__path__ = [os.path.dirname(row[2])]
        modules = sys.modules
        modules[name] = module
        try:
            self._execute(name, self._codes[row[0]][row[1]], module)
        except BaseException:
            del modules[name]
            raise
        if parent:
            setattr(modules[parent], last, module)

    def _execute(self, name: str, code: CodeType, module: ModuleType) -> None:
        self._depth += 1
        try:
            exec(code, module.__dict__)  # noqa: S102 - the code of our own modules
        finally:
            self._depth -= 1
        self._loaded[-1].append((name, code))

    def _is_usable(self, row: Row) -> bool:
        """Return whether the source of a module has not changed and its group can be read."""
        group = row[0]
        if not self._is_stale and _is_current(row):
            if group in self._codes:
                return True
            try:
                self._codes[group] = marshal.loads(self._group(group))  # noqa: S302 - the folder is the user's alone
            except _UNREADABLE:
                self._is_stale = True
            else:
                return True
        self._is_stale = True
        return False

    def _group(self, number: int) -> bytes:
        start, size = self._places[number]
        return os.pread(self._stored, size, start)

    def answered(self) -> None:
        """Note which modules this call has loaded; what follows the answer can wait."""
        loaded = [name for names in self._loaded for name, _ in names]
        base = self._rows.get(self._root)
        if base is not None:
            further = [name for name in loaded if name not in self._rows or self._rows[name][0] != base[0]]
        elif self._root in loaded:
            further = loaded[loaded.index(self._root) + 1 :]
        else:
            return
        self._further = tuple(further)

    def changed(self) -> bytes | None:
        """Return the content of the bundle with the modules that were not found in it, or None if there are none."""
        further = self._further
        if not self._files and (further is None or self._kinds.get(self._kind) == further):
            return None
        rows = {} if self._is_stale else dict(self._rows)
        groups = [] if self._is_stale else [self._group(number) for number in range(len(self._places))]
        for loaded in self._loaded:
            members = [(name, code) for name, code in loaded if name not in rows and name in sys.modules]
            for position, (name, _) in enumerate(members):
                path = str(sys.modules[name].__file__)
                facts = os.stat(path)
                is_package = hasattr(sys.modules[name], "__path__")
                rows[name] = len(groups), position, path, is_package, facts.st_mtime_ns, facts.st_size
            if members:
                groups.append(marshal.dumps(tuple(code for _, code in members)))
        kinds = {} if self._is_stale else {kind: names for kind, names in self._kinds.items() if kind != self._kind}
        if further is not None:
            kinds[self._kind] = tuple(name for name in further if name in rows)
        while len(kinds) > _MOST_KINDS:
            del kinds[next(iter(kinds))]
        head = marshal.dumps((rows, kinds, [len(group) for group in groups]))
        return b"".join((len(head).to_bytes(_LENGTH_BYTES, "big"), head, *groups))


def _spec(name: str, loader: ModuleBundle, path: str, *, is_package: bool) -> Any:  # noqa: ANN401 - a ModuleSpec
    """Return a spec without the path of a compiled file, which takes long to compute."""
    spec = type(sys.__spec__)(name, loader, origin=path, is_package=is_package)  # type: ignore[arg-type]  # a loader
    if is_package:
        spec.submodule_search_locations = [os.path.dirname(path)]
    return spec


def _belongs(name: str, path: str) -> bool:
    """Return whether a module is one of harnlite or of the standard library."""
    if name.partition(".")[0] == PACKAGE:
        return True
    return path.startswith(_LIBRARY) and not path.startswith(_INSTALLED)


def _is_current(row: Row) -> bool:
    try:
        facts = os.stat(row[2])
    except OSError:
        return False
    return facts.st_mtime_ns == row[4] and facts.st_size == row[5]


def bundle_file() -> str | None:
    """Return the path of the bundle, or None if there is no code cache or no reading at a position (on Windows)."""
    place = folder()
    if place is None or not hasattr(os, "pread"):
        return None
    here = os.path.dirname(os.path.abspath(__file__))
    name = short_digest(f"{FORMAT} {VERSION} {sys.implementation.cache_tag} {sys.hexversion} {_LIBRARY} {here}")
    return os.path.join(place, f"hooks-{name}{ENDING}")


def use_bundle(root: str, kind: str) -> ModuleBundle | None:
    """Load modules from the bundle from now on, and now those that the import of `root` and calls of this kind need.

    Return the bundle, or None if there is no code cache. It is called before the process has threads.
    """
    path = bundle_file()
    if path is None:
        return None
    bundle = _read(path) or ModuleBundle({}, {})
    bundle.install()
    bundle.preload(root, kind)
    return bundle


def _read(path: str) -> ModuleBundle | None:
    if not is_trusted(os.path.dirname(path)):
        return None
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    try:
        length = int.from_bytes(os.pread(file, _LENGTH_BYTES, 0), "big")
        rows, kinds, sizes = marshal.loads(os.pread(file, min(length, _MOST_BYTES), _LENGTH_BYTES))  # noqa: S302 - the user's alone
        start, places = _LENGTH_BYTES + length, []
        for size in sizes:
            places.append((start, size))
            start += size
        is_whole = isinstance(rows, dict) and isinstance(kinds, dict) and start == os.fstat(file).st_size
    except _UNREADABLE:
        is_whole = False
    if is_whole:
        return ModuleBundle(rows, kinds, file, places)
    os.close(file)
    return None


def write_bundle(bundle: ModuleBundle | None) -> None:
    """Write the bundle again if this process has loaded modules that are not in it, or not expected in such a call."""
    path = bundle_file()
    if bundle is None or path is None or COMPILER in sys.modules:
        return
    place, name = os.path.split(path)
    try:
        data = bundle.changed()
        if data is None or len(data) >= _MOST_BYTES:
            return
        from harnlite.durable_files import LockedFolder

        os.makedirs(place, mode=0o700, exist_ok=True)
        if not is_trusted(place):
            return
        with LockedFolder(place, patience=_PATIENCE_SECONDS) as locked:
            locked.replace(name, data)
    except (OSError, ValueError, ImportError):
        return
