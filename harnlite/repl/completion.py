"""Completion in an input: the names of the session, and the same tables that editors use."""

from __future__ import annotations

import re

from harnlite.analysis.builtins.declarations import GLOBAL_VALUES
from harnlite.analysis.builtins.methods import METHODS, PROPERTIES
from harnlite.analysis.builtins.signatures import signature_text, summary
from harnlite.analysis.editing.completion_places import place_in
from harnlite.analysis.editing.option_places import expected, expected_keys
from harnlite.analysis.editing.snippets import SNIPPETS
from harnlite.resources import std_modules
from harnlite.syntax.tokens import CONTEXTUAL_WORDS, KEYWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from harnlite.analysis.builtins.declarations import Declarations
    from harnlite.analysis.editing.completion_places import Place

NAME, BUILTIN, NAMESPACE, MEMBER, METHOD, KEY, VALUE, PATH, KEYWORD, SNIPPET = (
    "name", "builtin", "namespace", "member", "method", "key", "value", "path", "keyword", "snippet",
)  # fmt: skip
_ENUM = re.compile(r"\benum\s+(\w+)[^{\n]*\{([^}]*)\}")
_OPENING, _CLOSING = "([{", ")]}"
_VARIANT = re.compile(r"(?:^|[,\n])\s*(\w+)")


class Item:
    """A completion; it replaces the text from `start` to the cursor.

    `insert` is the text to insert; in a snippet it contains placeholders in the notation of editors.
    """

    __slots__ = ("detail", "doc", "insert", "kind", "label", "start")

    def __init__(
        self, label: str, kind: str, start: int, *, detail: str = "", doc: str = "", insert: str | None = None
    ) -> None:
        self.label = label
        self.kind = kind
        self.start = start
        self.detail = detail
        self.doc = doc
        self.insert = label if insert is None else insert

    def __repr__(self) -> str:
        return f"Item({self.label!r}, {self.kind!r})"


def complete(
    text: str,
    offset: int,
    known_names: Mapping[str, Sequence[str]],
    declarations: Declarations,
    kind_of: Callable[[str], str | None] = lambda _text: None,
) -> list[Item]:
    """Return the completions at an offset, best first.

    `known_names` maps names that are defined outside the text to the members that may follow their dot; `kind_of`
    returns the name of the type of an expression, or None if it is not known.
    """
    place = place_in(text, offset)
    if place.in_comment:
        return []
    found: Iterable[Item]
    if place.quote >= 0:
        found = _in_string(place)
    elif place.previous[-1] in {".", "?."}:
        found = _members(text, place, known_names, declarations, kind_of)
    else:
        found = _words(place, known_names, declarations)
    wanted = place.word.lower()
    chosen: dict[str, Item] = {}
    for item in found:
        if item.label.lower().removeprefix('"').startswith(wanted):
            chosen.setdefault(item.label if item.kind != SNIPPET else f"{item.label} …", item)
    return sorted(chosen.values(), key=lambda item: not item.label.startswith(place.word))


def _in_string(place: Place) -> Iterator[Item]:
    if place.previous[-1] in {"import", "from"}:
        yield from (Item(path, PATH, place.start, detail="module") for path in std_modules())
        return
    for choice in expected(place.frames).choices:
        yield Item(choice, VALUE, place.start)


def _members(
    text: str,
    place: Place,
    known_names: Mapping[str, Sequence[str]],
    declarations: Declarations,
    kind_of: Callable[[str], str | None],
) -> Iterator[Item]:
    start = place.start
    for name in known_names.get(place.path, ()):
        yield Item(name, MEMBER, start)
    for enum, body in _ENUM.findall(text):
        if enum == place.path:
            yield from (
                Item(name, MEMBER, start, detail=enum) for name in _VARIANT.findall(re.sub(r"\([^)]*\)", "", body))
            )
            return
    if place.path in declarations.namespaces and place.path not in known_names:
        for name in declarations.members(place.path):
            yield _builtin(name, name.removeprefix(f"{place.path}."), start, declarations)
        return
    receiver = receiver_before(text, start)
    kind = kind_of(receiver) if receiver else None
    for owner in METHODS if kind is None else (kind,):
        for name in METHODS.get(owner, ()):
            yield Item(name, METHOD, start, detail=owner)
    for name in PROPERTIES.get(kind or "", ()):
        yield Item(name, MEMBER, start, detail=str(kind))


def receiver_before(text: str, offset: int) -> str:
    """Return the expression before the dot that is in front of an offset, or an empty text if it is not found."""
    end = at = len(text[:offset].rstrip().removesuffix(".").removesuffix("?"))
    while at > 0:
        before = text[at - 1]
        if before in _CLOSING:
            at = _opening(text, at - 1)
        elif before == '"':
            at = text.rfind('"', 0, at - 1)
        elif before.isalnum() or before in "_.?":
            at -= 1
            continue
        else:
            break
        if at < 0:
            return ""
    return text[at:end].strip("?.")


def _opening(text: str, closing: int) -> int:
    """Return the offset of the bracket that the one at `closing` closes, or -1."""
    depth = 0
    for at in range(closing, -1, -1):
        depth += (text[at] in _CLOSING) - (text[at] in _OPENING)
        if depth == 0:
            return at
    return -1


def _words(place: Place, known_names: Mapping[str, Sequence[str]], declarations: Declarations) -> Iterator[Item]:
    start = place.start
    frame = place.frames[-1]
    if frame.is_dict and not frame.key:
        known = expected_keys(place.frames).keys
        if known:
            for key, option in known.items():
                if key not in frame.keys:
                    yield Item(key, KEY, start, detail=f"{option.type}; {option.text}", insert=f"{key}: ")
            return
    if frame.is_dict and frame.key:
        for choice in expected(place.frames).choices:
            yield Item(f'"{choice}"', VALUE, start)
    for scope in reversed(place.frames):
        yield from (Item(name, NAME, start) for name in reversed(scope.names))
    yield from (Item(name, NAME, start) for name in known_names)
    wanted = place.word.lower()
    for word in sorted(KEYWORDS | CONTEXTUAL_WORDS - {"extern"}):
        yield Item(word, KEYWORD, start)
    for name in declarations.public:
        if "." not in name and name.lower().startswith(wanted):
            yield _builtin(name, name, start, declarations)
    yield from (Item(name, NAMESPACE, start, detail="namespace") for name in sorted(declarations.namespaces))
    yield from (Item(name, BUILTIN, start) for name in sorted(GLOBAL_VALUES))
    for label, body in SNIPPETS.items():
        yield Item(label, SNIPPET, start, detail="snippet", insert=body)


def _builtin(name: str, label: str, start: int, declarations: Declarations) -> Item:
    doc = declarations.entries[name][4]
    return Item(label, BUILTIN, start, detail=signature_text(name, declarations), doc=summary(doc))
