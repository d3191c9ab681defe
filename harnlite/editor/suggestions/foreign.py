"""Names that other files declare and this one could import: found by their text, since that is quick."""

from __future__ import annotations

import os
import re

from harnlite.analysis.completion import std_modules
from harnlite.analysis.discovery import SUFFIX
from harnlite.editor.edits.importing import import_edit
from harnlite.editor.suggestions.suggestion import FOREIGN, Kind, Suggestion
from harnlite.resources import STD, module_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.editor.suggestions.glimpse import Glimpse
    from harnlite.editor.workspace import Workspace

    Names = tuple[tuple[str, str, str], ...]

_DECLARED = re.compile(r"^(pub )?(?:gen )?(fn|struct|enum|interface|type) ([A-Za-z]\w*)([^\n{]*)", re.MULTILINE)
_KINDS = {
    "fn": Kind.Function,
    "struct": Kind.Struct,
    "enum": Kind.Enum,
    "interface": Kind.Interface,
    "type": Kind.Class,
}
_MOST_UNREAD = 150
"""So many files are read for one question; what is known already costs little."""
_MOST = 60
FOREIGN_FROM = 2
"""Names of other files are offered when so many letters have been typed."""


def foreign_names(glimpse: Glimpse) -> Iterator[Suggestion]:
    """Yield what could be imported under a name that fits what has been typed."""
    files, document, word = glimpse.files, glimpse.document, glimpse.place.word.lower()
    if len(word) < FOREIGN_FROM:
        return
    known = {*glimpse.sight.names, *glimpse.sight.types, *files.declarations.entries}
    count = 0
    for path, module in _modules(glimpse):
        for kind, name, rest in names_in(files, path):
            if not name.lower().startswith(word[0]) or name in known:
                continue
            made = Suggestion(name, _KINDS[kind], FOREIGN, detail=f"{kind} {name}{rest.rstrip()}")
            if made.fits(word):
                known.add(name)
                made.source = module
                made.doc = f"Imports `{name}` from `{module}`."
                made.edits = [import_edit(document, module, name)]
                yield made
                count += 1
        if count >= _MOST:
            return


def _modules(glimpse: Glimpse) -> Iterator[tuple[str, str]]:
    """Yield the files that could be imported, and the paths under which this one would."""
    for module in std_modules():
        file = module_file(module.removeprefix(STD))
        if file is not None and file != glimpse.document.path:
            yield file, module
    here = os.path.dirname(glimpse.document.path)
    unread = 0
    for file in glimpse.files.paths():
        if file != glimpse.document.path and file.endswith(SUFFIX):
            unread += file not in glimpse.files.given
            yield file, os.path.relpath(file, here).replace(os.sep, "/").removesuffix(SUFFIX)
        if unread >= _MOST_UNREAD:
            return


def names_in(files: Workspace, path: str) -> Names:
    """Return what a file gives away: the kind, the name, and the rest of the line of each."""
    document = files.open.get(path)
    if document is not None:
        return given_by(document.text)
    try:
        status = os.stat(path)
        stamp = status.st_mtime_ns, status.st_size
        known = files.given.get(path)
        if known is None or known[0] != stamp:
            with open(path, encoding="utf-8-sig", errors="replace") as stream:
                known = files.given[path] = stamp, given_by(stream.read())
    except OSError:
        return ()
    return known[1]


def given_by(text: str) -> Names:
    """Return what a text declares for others: what is marked as public, or all if nothing is."""
    found: Sequence[tuple[str, str, str, str]] = _DECLARED.findall(text)
    public = [one for one in found if one[0]]
    return tuple((kind, name, rest) for _pub, kind, name, rest in public or found)
