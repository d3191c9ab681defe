"""Names that other files declare and this one could import: found by their text, since that is quick."""

from __future__ import annotations

import re

from lsprotocol import types

from harnlite.editor.edits.importing import import_edit, importable
from harnlite.editor.suggestions.suggestion import FOREIGN, Kind, Suggestion
from harnlite.editor.texts.workspace import stamp_of

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
    """Yield what an import may name whose file is not written yet, with that file."""
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
    """Return what a file gives away: the kind, the name, and the rest of the line of each."""
    document = files.open.get(path)
    if document is not None:
        return given_by(document.text)
    stamp = stamp_of(path)
    known = files.given.get(path)
    if known is None or known[0] != stamp:
        try:
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
