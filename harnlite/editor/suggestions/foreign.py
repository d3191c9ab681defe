"""Names that this file could import from other files, found by a quick search of their texts."""

from __future__ import annotations

import re

from lsprotocol import types

from harnlite.editor.edits.importing import import_edit, importable
from harnlite.editor.suggestions.suggestion import FOREIGN, Kind, Suggestion
from harnlite.editor.texts.workspace import stamp_of
from harnlite.regular_files import regular_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.editor.suggestions.glimpse import Glimpse
    from harnlite.editor.texts.workspace import Workspace

    Names = tuple[tuple[str, str, str], ...]

_DECLARED = re.compile(r"^(pub )?(?:gen )?(fn|struct|enum|interface|type) ([A-Za-z]\w*)([^\n{]*)", re.MULTILINE)
_KINDS = {
    "fn": Kind.Function,
    "struct": Kind.Struct,
    "enum": Kind.Enum,
    "interface": Kind.Interface,
    "type": Kind.Class,
}
_CLOSED = re.compile(r"\w*[^\n}]*\}")
_MOST_UNREAD = 150
"""The maximum number of files to read for one request; files read earlier do not count."""
_MOST = 60
FOREIGN_FROM = 2
"""The number of typed letters from which names of other files are suggested."""


def foreign_names(glimpse: Glimpse) -> Iterator[Suggestion]:
    """Yield the importable names that match the typed text."""
    files, document, word = glimpse.files, glimpse.document, glimpse.place.word.lower()
    if len(word) < FOREIGN_FROM:
        return
    known = {*glimpse.sight.names, *glimpse.sight.types, *files.declarations.entries}
    count = unread = 0
    for module, path in importable(files, document):
        unread += path not in files.given
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
        if count >= _MOST or unread >= _MOST_UNREAD:
            return


def names_to_import(glimpse: Glimpse) -> Iterator[Suggestion]:
    """Yield the suggestions for an import list whose file is not written yet, each with its file."""
    text, offset, listed = glimpse.document.text, glimpse.offset, glimpse.place.frames[-1].listed
    closed = _CLOSED.match(text, offset)
    place = glimpse.document.position(closed.end() if closed is not None else offset)
    for module, path in importable(glimpse.files, glimpse.document):
        given = names_in(glimpse.files, path)
        if not all(name == glimpse.place.word or any(name == one for _, one, _ in given) for name in listed):
            continue
        for kind, name, rest in given:
            made = Suggestion(name, _KINDS[kind], FOREIGN, detail=f"{kind} {name}{rest.rstrip()}")
            made.source = module
            if closed is None:
                made.insert = f'{name} }} from "{module}"'
            else:
                made.edits = [types.TextEdit(types.Range(place, place), f' from "{module}"')]
            yield made


def names_in(files: Workspace, path: str) -> Names:
    """Return the exports of a file: for each, the kind, the name and the rest of the line."""
    document = files.open.get(path)
    if document is not None:
        return given_by(document.text)
    stamp = stamp_of(path)
    known = files.given.get(path)
    if known is None or known[0] != stamp:
        try:
            with open(path, encoding="utf-8-sig", errors="replace", opener=regular_file) as stream:
                known = files.given[path] = stamp, given_by(stream.read())
        except OSError:
            return ()
    return known[1]


def given_by(text: str) -> Names:
    """Return the exports of a text: the public declarations, or all of them if none is public."""
    found: Sequence[tuple[str, str, str, str]] = _DECLARED.findall(text)
    public = [one for one in found if one[0]]
    return tuple((kind, name, rest) for _pub, kind, name, rest in public or found)
