"""Imports that a file could add: the exported names of other files, and the edit that imports one."""

from __future__ import annotations

import os
import re

from lsprotocol import types

from harnlite.editor.names.modules import exported, imports_of
from harnlite.resources import STD, SUFFIX, folder, module_file, std_modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.editor.names.modules import Origin
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

_REST = re.compile(r"[ \t]*(?://[^\r\n]*)?(?=\r?\n|\Z)")
_HEAD = re.compile(r"\ufeff?(?:#![^\n]*\n)?")


class Offer:
    """A name that a file could import, with the import path and the declaration."""

    __slots__ = ("name", "origin", "path")

    def __init__(self, name: str, path: str, origin: Origin) -> None:
        self.name = name
        self.path = path
        self.origin = origin

    @property
    def rank(self) -> tuple[bool, bool, int, str]:
        """Return the sort key of an offer: the library first, then public declarations, then near files."""
        climbs = self.path.count("../") * 2 + self.path.count("/")
        return not self.path.startswith(STD), not getattr(self.origin.decl, "is_pub", False), climbs, self.path


def offers(files: Workspace, document: Document) -> Iterator[Offer]:
    """Yield the names that a file could import from the standard library and the other files of the workspace."""
    for path, file in importable(files, document):
        other = files.file(file)
        for name, origin in exported(files, other).items() if other is not None else ():
            if not name.startswith("_"):
                yield Offer(name, path, origin)


def importable(files: Workspace, document: Document) -> Iterator[tuple[str, str]]:
    """Yield the import paths that a file could use, those of the library first, with the files they refer to."""
    library = folder("stdlib") + os.sep
    for path in std_modules():
        file = module_file(path.removeprefix(STD))
        if file is not None and file != document.path:
            yield path, file
    here = os.path.dirname(document.path)
    for file in files.paths():
        if file.endswith(SUFFIX) and file != document.path and not file.startswith(library):
            yield os.path.relpath(file, here).replace(os.sep, "/").removesuffix(SUFFIX), file


def import_edit(document: Document, path: str, name: str) -> types.TextEdit:
    """Return the edit that imports a name, by an existing import from the same file if there is one."""
    for node in imports_of(document):
        if node.path == path and node.names and not node.is_pub:
            last = node.names[-1]
            return types.TextEdit(_point(document, last.end), f", {name}")
    written = f'import {{ {name} }} from "{path}"'
    imports = list(imports_of(document))
    if imports:
        return types.TextEdit(_point(document, _after(document.text, imports[-1].end)), f"\n{written}")
    at = _first_import(document)
    follows = document.text[at : at + 1] not in ("", "\n", "\r")
    return types.TextEdit(_point(document, at), f"{written}\n\n" if follows else f"{written}\n")


def _after(text: str, end: int) -> int:
    """Return the end of the line of a statement if only a comment follows, else the end of the statement."""
    found = _REST.match(text, end)
    return found.end() if found is not None else end


def _first_import(document: Document) -> int:
    """Return the offset of the first import: before the first statement and the comments directly above it."""
    text, statements = document.text, document.module.statements
    first = head_end(text)
    at = text.rfind("\n", 0, statements[0].start) + 1 if statements else first
    while at > first:
        above = text.rfind("\n", 0, at - 1) + 1
        if not text[above:at].lstrip().startswith("//"):
            break
        at = above
    return max(at, first)


def head_end(text: str) -> int:
    """Return the offset at which a program starts: after the byte order mark and the `#!` line."""
    head = _HEAD.match(text)
    return 0 if head is None else head.end()


def _point(document: Document, offset: int) -> types.Range:
    place = document.position(offset)
    return types.Range(place, place)
