"""The finder of the modules of this package, which asks the file system less often than Python's own.

Python's finder looks for each module as an extension, as a source and as a package, and reads the time of the folder
before. A command loads up to 200 modules, so that takes a fifth of its start. Whatever is unusual is left to Python:
compiled files that are missing or outdated or belong to another path, and modules that are not plain files.
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

PREFIX = "harnlite."
_SUFFIX = f".{sys.implementation.cache_tag}.pyc"
_ENDING = -len(".py")
_HEADER = 16
_LOW = 0xFFFFFFFF
_START = MAGIC_NUMBER + bytes(4)
"""The start of a compiled file that is valid as long as the time and the size of its source are the same."""


class Loader(SourceFileLoader):
    """A loader that reads the compiled file if it is certain to be that of the source; `stamp` is its header."""

    def __init__(self, name: str, path: str, stamp: bytes) -> None:
        super().__init__(name, path)
        self.cached = ""
        self.stamp = stamp

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the module."""
        try:
            file = os.open(self.cached, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except OSError:
            return super().get_code(fullname)
        try:
            data = os.read(file, os.fstat(file).st_size)
        finally:
            os.close(file)
        if data[:_HEADER] == self.stamp:
            code: CodeType = loads(memoryview(data)[_HEADER:])  # noqa: S302 - what Python itself would load
            if code.co_filename == self.path:
                return code
        return super().get_code(fullname)


class PackageFinder:
    """A finder on `sys.meta_path`."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, _target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of a module of this package, or None for any other module."""
        if path is None or not name.startswith(PREFIX):
            return None
        folder, tail = path[0], name.rpartition(".")[2]
        file = f"{folder}{os.sep}{tail}.py"
        is_package = False
        try:
            status = os.stat(file)
        except OSError:
            folder, tail, is_package = f"{folder}{os.sep}{tail}", "__init__", True
            file = f"{folder}{os.sep}{tail}.py"
            try:
                status = os.stat(file)
            except OSError:
                return None
        times = (int(status.st_mtime) & _LOW).to_bytes(4, "little"), (status.st_size & _LOW).to_bytes(4, "little")
        loader = Loader(name, file, _START + times[0] + times[1])
        spec = spec_of(name, loader, file, is_package=is_package)
        loader.cached = str(spec.cached)
        return spec


def spec_of(name: str, loader: SourceFileLoader, file: str, *, is_package: bool) -> ModuleSpec:
    """Return the spec of a module in a source file; its compiled file is in the usual place."""
    spec = ModuleSpec(name, loader, origin=file)
    spec.has_location = True
    folder, _, last = file.rpartition(os.sep)
    spec.cached = f"{folder}{os.sep}__pycache__{os.sep}{last[:_ENDING]}{_SUFFIX}"
    if is_package:
        spec.submodule_search_locations = [folder]
    return spec


def is_usual() -> bool:
    """Return whether this package is in plain files, and this process has its compiled files in the usual places."""
    is_plain = sys.pycache_prefix is None and sys.flags.optimize == 0 and sys.implementation.cache_tag is not None
    return is_plain and isinstance(__spec__.loader, SourceFileLoader)


def install() -> None:
    """Use the finder from now on, unless this process keeps compiled files in unusual places."""
    if is_usual():
        sys.meta_path.insert(0, PackageFinder)
