"""What may be typed at a place in a text, for the language server and the interactive session alike."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from harnlite.analysis.builtin_methods import METHODS
from harnlite.analysis.completion_places import place_in
from harnlite.analysis.option_shapes import ANYTHING, HOOK_RESULT, REMINDER, expected_at
from harnlite.analysis.signatures import signature_text, summary
from harnlite.resources import STD, folder
from harnlite.syntax.tokens import CONTEXTUAL_WORDS, KEYWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harnlite.analysis.completion_places import Frame, Place
    from harnlite.analysis.declarations import Declarations
    from harnlite.analysis.option_shapes import Expected

NAME, BUILTIN, NAMESPACE, MEMBER, METHOD, KEY, VALUE, PATH, KEYWORD, SNIPPET = (
    "name", "builtin", "namespace", "member", "method", "key", "value", "path", "keyword", "snippet",
)  # fmt: skip
_EFFECTIVE = frozenset({"evaluate", "pre", "post"})
_HOOKS = frozenset({"register_session_hook", "register_checkpoint_hook", "register_step_hook", "register_persona_hook"})
"""What takes a closure that may leave reminders."""
_INTERNAL = "__"
_GLOBALS = ("Ok", "Err", "Result", "pi", "e", "argv")
_ENUM = re.compile(r"\benum\s+(\w+)[^{\n]*\{([^}]*)\}")
_VARIANT = re.compile(r"(?:^|[,\n])\s*(\w+)")
SNIPPETS = {
    "fn": "fn ${1:name}(${2:params}) {\n  $0\n}",
    "pipeline": "pipeline ${1:main}(${2:task}) {\n  $0\n}",
    "for": "for ${1:item} in ${2:items} {\n  $0\n}",
    "if": "if ${1:condition} {\n  $0\n}",
    "match": "match ${1:value} {\n  ${2:pattern} -> { $0 }\n}",
    "try": "try {\n  $0\n} catch (${1:e}) {\n}",
    "reminder": 'transcript.inject_reminder(${1:t}, {body: "${2:text}", ttl_turns: ${3:1}})',
    "agent_loop": 'agent_loop("${1:task}", nil, {max_iterations: ${2:10}})$0',
    "provider": (
        'register_reminder_provider({\n  id: "${1:id}",\n  subscribes_to: ["${2:PostToolUse}"],\n'
        '  evaluate: { ctx -> {body: "${3:text}", ttl_turns: 1} },\n})'
    ),
}


class Item:
    """One thing that may stand at the cursor: it takes the place of the text from `start` on.

    `insert` is what is put in; that of a snippet has places to fill in, as editors write them.
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
    text: str, offset: int, known_names: Mapping[str, Sequence[str]], declarations: Declarations
) -> list[Item]:
    """Return what may stand at an offset, the best first.

    `known_names` exist outside of the text; to each belongs what may stand behind its dot.
    """
    place = place_in(text, offset)
    if place.in_comment:
        return []
    if place.quote >= 0:
        found = _in_string(place, declarations)
    elif place.previous[-1] in {".", "?."}:
        found = _members(text, place, known_names, declarations)
    else:
        found = _words(place, known_names, declarations)
    wanted = place.word.lower()
    chosen: dict[str, Item] = {}
    for item in found:
        if item.label.lower().removeprefix('"').startswith(wanted) and not item.label.startswith(_INTERNAL):
            chosen.setdefault(item.label if item.kind != SNIPPET else f"{item.label} …", item)
    return sorted(chosen.values(), key=lambda item: not item.label.startswith(place.word))


def _in_string(place: Place, declarations: Declarations) -> Iterator[Item]:
    if place.previous[-1] in {"import", "from"}:
        yield from (Item(path, PATH, place.start, detail="module") for path in std_modules())
        return
    for choice in expected(place.frames, declarations).choices:
        yield Item(choice, VALUE, place.start)


@lru_cache(maxsize=1)
def std_modules() -> tuple[str, ...]:
    """Return the import paths of the standard library, sorted."""
    root = os.path.join(folder("stdlib"), "std")
    files = (os.path.join(place, name) for place, _, names in os.walk(root) for name in names)
    return tuple(sorted(STD + os.path.relpath(path, root)[: -len(".harn")].replace(os.sep, "/") for path in files))


def expected(frames: Sequence[Frame], declarations: Declarations) -> Expected:
    """Return what may stand at the current place of the innermost bracket."""
    frame = frames[-1]
    if frame.sign == "(":
        return expected_at(frame.callee, frame.index, declarations)
    if frame.sign == "[":
        return expected(frames[:-1], declarations).items or ANYTHING
    if frame.is_dict:
        found = expected(frames[:-1], declarations).keys.get(frame.key)
        return found or (REMINDER if frame.key == "reminder" else ANYTHING)
    return ANYTHING


def expected_keys(frames: Sequence[Frame], declarations: Declarations) -> Expected:
    """Return which options the dict that is the innermost bracket may have."""
    if len(frames) == 1:
        return ANYTHING
    found = expected(frames[:-1], declarations)
    if not found.keys and frames[-2].key == "reminder":
        return REMINDER
    return HOOK_RESULT if not found.keys and _is_result_of_hook(frames) else found


def _is_result_of_hook(frames: Sequence[Frame]) -> bool:
    """Say whether a dict is what a hook or reminder provider gives back."""
    if frames[-1].before not in {"return", "->"}:
        return False
    index = next((index for index in range(len(frames) - 2, 0, -1) if frames[index].arrow), 0)
    around = frames[index - 1] if index else frames[0]
    return around.key in _EFFECTIVE or (around.sign == "(" and around.callee in _HOOKS)


def _members(
    text: str, place: Place, known_names: Mapping[str, Sequence[str]], declarations: Declarations
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
        prefix = place.path + "."
        for name in declarations.entries:
            if name.startswith(prefix):
                yield _builtin(name, name[len(prefix) :], start, declarations)
        return
    for kind, methods in METHODS.items():
        for name in methods:
            yield Item(name, METHOD, start, detail=str(kind))


def _words(place: Place, known_names: Mapping[str, Sequence[str]], declarations: Declarations) -> Iterator[Item]:
    start = place.start
    frame = place.frames[-1]
    if frame.is_dict and not frame.key:
        said = expected_keys(place.frames, declarations)
        if said.keys:
            for key in said.keys:
                if key not in frame.keys:
                    yield Item(key, KEY, start, detail=said.texts.get(key, ""), insert=f"{key}: ")
            return
    if frame.is_dict and frame.key:
        for choice in expected(place.frames, declarations).choices:
            yield Item(f'"{choice}"', VALUE, start)
    for scope in reversed(place.frames):
        yield from (Item(name, NAME, start) for name in reversed(scope.names))
    yield from (Item(name, NAME, start) for name in known_names)
    wanted = place.word.lower()
    for word in sorted(KEYWORDS | CONTEXTUAL_WORDS - {"extern"}):
        yield Item(word, KEYWORD, start)
    for name in declarations.entries:
        if "." not in name and name.lower().startswith(wanted):
            yield _builtin(name, name, start, declarations)
    yield from (Item(name, NAMESPACE, start, detail="namespace") for name in sorted(declarations.namespaces))
    yield from (Item(name, BUILTIN, start) for name in _GLOBALS)
    for label, body in SNIPPETS.items():
        yield Item(label, SNIPPET, start, detail="snippet", insert=body)


def _builtin(name: str, label: str, start: int, declarations: Declarations) -> Item:
    doc = declarations.entries[name][4]
    return Item(label, BUILTIN, start, detail=signature_text(name, declarations), doc=summary(doc))
