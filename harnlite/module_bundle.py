"""The code of the modules that a kind of process loads, in one file: to find and read many files takes long.

The file is in the folder of the code cache, which only the user can write. It is written again when a process has
succeeded that has loaded other modules. As soon as the source of a module has changed, everything is loaded in the
usual way, and the file is written anew. Without a bundle, everything works as well.

The modules are in the order in which they were completed, and each one knows where the import of it began. So an import
executes all that it will need before it executes the module itself, whose own imports then find everything in
`sys.modules`: Python's machinery of imports takes as long as the modules. The lock of the imported module is meanwhile
that of the others too, so another thread that imports one of them waits.

The code of a few modules that follow each other is marshalled as a whole, so names that they share are stored once.
"""

from __future__ import annotations

import marshal
import os
import sys
from _frozen_importlib import _module_locks as module_locks  # type: ignore[attr-defined]  # it has no public name
from _frozen_importlib_external import SourceFileLoader

from harnlite.compiler.cache import BUNDLE, folder, is_trusted
from harnlite.digests import sha256
from harnlite.package_finder import PREFIX, PackageFinder, is_usual, spec_of
from harnlite.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import Any

    Row = tuple[int, int, int, int, str, bool, int, int]
    """The chunk, the position in it, the position in the order, that where the import began, and a `File`."""
    File = tuple[str, bool, int, int]
    """The source, whether it is a package, and the time and size of the source."""
    Chunk = tuple[dict[str, Row], tuple[CodeType, ...]]

FORMAT = 4
COMPILER = "harnlite.compiler.compilation"
"""Loaded by runs that compile; their modules do not belong into the bundle."""
_LIBRARY = os.path.dirname(os.__file__)
_INSTALLED = (os.path.join(_LIBRARY, "site-packages"), os.path.join(_LIBRARY, "dist-packages"))
_LENGTH_BYTES = 8
_MOST_BYTES = 20_000_000
_CHUNK = 32
_DIGITS = 24
_PATIENCE_SECONDS = 0.2
_UNREADABLE = (OSError, EOFError, ValueError, TypeError, IndexError, KeyError)


class _Loader(SourceFileLoader):
    """Loads a module from the bundle, or with the usual loader, and then notes it for the next bundle."""

    def __init__(self, name: str, bundle: ModuleBundle, file: File, usual: SourceFileLoader | None) -> None:
        self.name, self.path = name, file[0]
        self.bundle = bundle
        self.file = file
        self.usual = usual

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the module."""
        code = self.bundle.code_of(fullname)
        if code is not None:
            return code
        return super().get_code(fullname) if self.usual is None else self.usual.get_code(fullname)

    def exec_module(self, module: ModuleType) -> None:
        """Execute the code of the module."""
        self.bundle.execute(module, self)


class ModuleBundle:
    """A finder of Python for modules of harnlite and of Python."""

    __slots__ = (
        "_codes",
        "_depth",
        "_is_stale",
        "_loaded",
        "_missing",
        "_names",
        "_order",
        "_places",
        "_rows",
        "_serves_library",
        "_stored",
        "_usual",
        "path",
    )

    def __init__(
        self, path: str, names: dict[str, int], stored: int = -1, places: Sequence[tuple[int, int]] = ()
    ) -> None:
        self.path = path
        self._names = names
        """The chunk of each module, in the order of the modules."""
        self._order = list(names)
        self._stored = stored
        """The open file: only the chunks that are needed are read."""
        self._places = places
        """Where each chunk starts in the file, and its size: marshalled rows and code."""
        self._rows: dict[str, Row] = {}
        self._codes: dict[int, tuple[CodeType, ...]] = {}
        self._usual: Any = None
        """Python's finder of files."""
        self._loaded: list[tuple[str, int, File, CodeType, bool]] = []
        """Each module of this process with where its import began, in the order of completion; whether one ends."""
        self._missing = False
        self._depth = 0
        self._is_stale = False
        self._serves_library = _is_first(_LIBRARY)

    def install(self) -> None:
        """Load modules from the bundle from now on."""
        for position, finder in enumerate(sys.meta_path):
            if getattr(finder, "__name__", "") == "PathFinder":
                self._usual = finder
                sys.meta_path.insert(position, self)
                if PackageFinder in sys.meta_path:
                    sys.meta_path.remove(PackageFinder)
                return

    def find_spec(self, name: str, path: Sequence[str] | None = None, _target: ModuleType | None = None) -> Any:  # noqa: ANN401 - a ModuleSpec
        """Return the spec of a module in the bundle whose source has not changed, or that of Python."""
        row = self._row(name)
        if row is not None:
            return spec_of(name, _Loader(name, self, row[4:], None), row[4], is_package=row[5])
        spec: Any = PackageFinder.find_spec(name, path) or self._usual.find_spec(name, path)
        if COMPILER in sys.modules or spec is None or not isinstance(spec.loader, SourceFileLoader):
            return spec
        if not self._takes(name, spec.origin):
            return spec
        try:
            facts = os.stat(spec.origin)  # before the source is read: it may change later
        except OSError:
            return spec
        is_package = spec.submodule_search_locations is not None
        file = spec.origin, is_package, facts.st_mtime_ns, facts.st_size
        spec.loader = _Loader(name, self, file, spec.loader)
        return spec

    def _takes(self, name: str, path: str) -> bool:
        """Return whether the bundle takes a module: one of harnlite, or of the standard library."""
        if name.startswith(PREFIX):
            return True
        return self._serves_library and path.startswith(_LIBRARY + os.sep) and not path.startswith(_INSTALLED)

    def code_of(self, name: str) -> CodeType | None:
        """Return the code of a module in the bundle whose source has not changed, or None."""
        row = self._row(name)
        return None if row is None else self._codes[row[0]][row[1]]

    def execute(self, module: ModuleType, loader: _Loader) -> None:
        """Execute the code of a module; before it, that of the modules that it imports."""
        name, start, is_outermost = module.__name__, len(self._loaded), not self._depth
        code: Any
        self._depth += 1
        try:
            if loader.usual is None:
                chunk, position, last, first, *_ = self._rows[name]
                code = self._codes[chunk][position]
                if first < last and name in module_locks:
                    self._complete(self._order[first:last], module_locks[name])
            else:
                self._missing = True
                code = loader.usual.get_code(name)
            exec(code, module.__dict__)  # noqa: S102 - the code of our own modules
        finally:
            self._depth -= 1
        self._loaded.append((name, start, loader.file, code, is_outermost))

    def _complete(self, names: Sequence[str], lock: object) -> None:
        """Execute modules of harnlite that import only complete modules; those that their package imports do not.

        If that fails for one, it and all that follow are loaded by the imports that need them.
        """
        modules = sys.modules
        for name in names:
            if name in modules or not name.startswith(PREFIX):
                continue
            parent = name.rpartition(".")[0]
            row = self._row(name) if parent in modules else None
            if row is None or module_locks.setdefault(name, lock) is not lock:
                continue
            try:
                self._create(name, parent, row)
            except Exception:  # noqa: BLE001 - the import that needs the module raises what is wrong with it
                return
            finally:
                module_locks.pop(name, None)

    def _create(self, name: str, parent: str, row: Row) -> None:
        """Create and execute a module as Python does."""
        chunk, position, _, _, path, is_package, *_ = row
        loader = _Loader(name, self, row[4:], None)
        spec: Any = spec_of(name, loader, path, is_package=is_package)
        module = type(sys)(name)
        facts: dict[str, object] = module.__dict__
        facts.update(__loader__=loader, __spec__=spec, __package__=parent, __file__=path, __cached__=spec.cached)
        if is_package:
            facts.update(__package__=name, __path__=spec.submodule_search_locations)
        modules = sys.modules
        start, code = len(self._loaded), self._codes[chunk][position]
        spec._initializing = True  # noqa: SLF001 - other threads wait for the lock
        modules[name] = module
        try:
            exec(code, facts)  # noqa: S102 - the code of our own modules
        except BaseException:
            del modules[name]
            raise
        finally:
            spec._initializing = False  # noqa: SLF001
        setattr(modules[parent], name[len(parent) + 1 :], module)
        self._loaded.append((name, start, loader.file, code, False))

    def _row(self, name: str) -> Row | None:
        """Return the row of a module whose source has not changed and whose code is loaded, or None."""
        number = self._names.get(name)
        if number is None or self._is_stale or not (self._serves_library or name.startswith(PREFIX)):
            return None
        try:
            if number not in self._codes:
                rows, codes = marshal.loads(self._chunk(number))  # noqa: S302 - the folder is the user's alone
                self._rows.update(rows)
                self._codes[number] = codes
            row = self._rows[name]
            facts = os.stat(row[4])
            if facts.st_mtime_ns == row[6] and facts.st_size == row[7]:
                return row
        except _UNREADABLE:
            pass
        self._is_stale = True
        return None

    def _chunk(self, number: int) -> bytes:
        start, size = self._places[number]
        return os.pread(self._stored, size, start)

    def changed(self) -> bytes | None:
        """Return the content of the bundle with the modules that were not found in it, or None if there are none."""
        if not self._missing:
            return None
        names = {} if self._is_stale else dict(self._names)
        chunks = [] if self._is_stale else [self._chunk(number) for number in range(len(self._places))]
        positions: list[int] = []
        rows: dict[str, Row] = {}
        codes: list[CodeType] = []
        for name, start, file, code, is_outermost in self._loaded:
            positions.append(len(names))
            if name not in names and name in sys.modules:
                rows[name] = (len(chunks), len(codes), len(names), positions[start], *file)
                names[name] = len(chunks)
                codes.append(code)
            if codes and (is_outermost or len(codes) == _CHUNK):
                chunks.append(marshal.dumps((rows, tuple(codes))))
                rows, codes = {}, []
        if codes:
            chunks.append(marshal.dumps((rows, tuple(codes))))
        head = marshal.dumps((names, [len(chunk) for chunk in chunks]))
        return b"".join((len(head).to_bytes(_LENGTH_BYTES, "big"), head, *chunks))


def _is_first(library: str) -> bool:
    """Return whether no folder of others is searched before the standard library: a module there could have its name.

    An isolated process searches only folders of Python, of its installation and of harnlite.
    """
    if sys.flags.isolated:
        return True
    for place in sys.path:
        if place == library:
            return True
        if not place.endswith(".zip"):
            return False
    return False


def bundle_file(use: str) -> str | None:
    """Return the path of a bundle, or None if there is no code cache or no reading at a position (on Windows)."""
    place = folder()
    if place is None or not hasattr(os, "pread"):
        return None
    here = os.path.dirname(os.path.abspath(__file__))
    text = f"{FORMAT} {VERSION} {sys.implementation.cache_tag} {sys.hexversion} {_LIBRARY} {here}"
    name = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return os.path.join(place, f"{use}-{name}{BUNDLE}")


def use_bundle(use: str) -> ModuleBundle | None:
    """Load modules from the bundle for a use of harnlite from now on; return it, or None if there can be none.

    It is called before the process has other threads.
    """
    path = bundle_file(use)
    if path is None or not is_usual():
        return None
    bundle = _read(path) or ModuleBundle(path, {})
    bundle.install()
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
        names, sizes = marshal.loads(os.pread(file, min(length, _MOST_BYTES), _LENGTH_BYTES))  # noqa: S302 - the user's alone
        start, places = _LENGTH_BYTES + length, []
        for size in sizes:
            places.append((start, size))
            start += size
        is_whole = isinstance(names, dict) and start == os.fstat(file).st_size
    except _UNREADABLE:
        is_whole = False
    if is_whole:
        return ModuleBundle(path, names, file, places)
    os.close(file)
    return None


def write_bundle(bundle: ModuleBundle | None) -> None:
    """Write the bundle again if this process has loaded modules that are not in it."""
    if bundle is None or COMPILER in sys.modules:
        return
    place, name = os.path.split(bundle.path)
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
