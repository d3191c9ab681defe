"""What a file could import: the names that other files give away, and the edit that brings one in."""

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
    """A name that a file could import: the path it would write, and the declaration behind it."""

    __slots__ = ("name", "origin", "path")

    def __init__(self, name: str, path: str, origin: Origin) -> None:
        self.name = name
        self.path = path
        self.origin = origin

    @property
    def rank(self) -> tuple[bool, bool, int, str]:
        """Return what offers are sorted by: the library first, then what is meant for others, then what is near."""
        climbs = self.path.count("../") * 2 + self.path.count("/")
        return not self.path.startswith(STD), not getattr(self.origin.decl, "is_pub", False), climbs, self.path


def offers(files: Workspace, document: Document) -> Iterator[Offer]:
    """Yield what the standard library and the other files of the workspace would give to a file."""
    for path, file in importable(files, document):
        other = files.file(file)
        for name, origin in exported(files, other).items() if other is not None else ():
            if not name.startswith("_"):
                yield Offer(name, path, origin)


def importable(files: Workspace, document: Document) -> Iterator[tuple[str, str]]:
    """Yield the paths that a file could import, those of the library first, and the files that they mean."""
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
    """Return the edit that imports a name: in an import of the same file if there is one, else in one of its own."""
    for node in imports_of(document):
        if node.path == path and node.names and not node.is_pub:
            last = node.names[-1]
            return types.TextEdit(_point(document, last.end), f", {name}")
    written = f'import {{ {name} }} from "{path}"'
    imports = list(imports_of(document))
    if imports:
        return types.TextEdit(_point(document, _behind(document.text, imports[-1].end)), f"\n{written}")
    at = _beginning(document)
    follows = document.text[at : at + 1] not in ("", "\n", "\r")
    return types.TextEdit(_point(document, at), f"{written}\n\n" if follows else f"{written}\n")


def _behind(text: str, end: int) -> int:
    """Return where the line of a statement ends, if nothing but a comment follows; else where the statement does."""
    found = _REST.match(text, end)
    return found.end() if found is not None else end


def _beginning(document: Document) -> int:
    """Return where the first import goes: before the first statement and the comments right above it."""
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
    """Return where a program begins: behind the mark of its encoding and the line that names its interpreter."""
    head = _HEAD.match(text)
    return 0 if head is None else head.end()


def _point(document: Document, offset: int) -> types.Range:
    place = document.position(offset)
    return types.Range(place, place)
