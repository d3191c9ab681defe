"""Find the places of reminders in a file: calls that take a reminder, and registered closures that return one."""

from __future__ import annotations

import os

from harnlite.analysis.linting.context.constant_values import Function, Known, LiteralDict, LiteralList
from harnlite.reminders.hook_events import LOOP_CHECKPOINT, POST_TOOL_USE, PRE_TOOL_USE, event_named, pascal_case
from harnlite.reminders.wire import SPELLINGS
from harnlite.resources import STD
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from harnlite.analysis.linting.context.constant_values import Unknown
    from harnlite.analysis.linting.context.linted_file import Linting

    Call: TypeAlias = nodes.CallExpr | nodes.MethodCallExpr

INJECT, CLEAR = "transcript.inject_reminder", "transcript.clear_reminders"
SESSION_CLEAR = "agent_session_clear_reminders"
SESSION_INJECT, BRIDGE = "agent_session_inject_reminder", "agent_session_push_bridge_injection"
REMINDING = {INJECT: 1, CLEAR: 1, SESSION_INJECT: 1, SESSION_CLEAR: 1, BRIDGE: 1}
"""The functions that take a reminder or a selector, and the index of that argument."""
CLEARING = frozenset({CLEAR, SESSION_CLEAR})
"""The functions that take a selector."""
ALWAYS_BUILTIN = frozenset({INJECT, CLEAR})
"""Names that refer to the builtin even if the program binds the name `transcript`."""

HOOKS = {
    "register_session_hook": (0, "Session"),
    "register_persona_hook": (1, "Persona"),
    "register_step_hook": (2, "Step"),
}
"""The functions whose last argument is a closure, with the index of the event and the name for unknown events."""
TOOL_HOOK, CHECKPOINT_HOOK = "register_tool_hook", "register_checkpoint_hook"
TOOL_EVENTS = {"pre": PRE_TOOL_USE, "post": POST_TOOL_USE}
REGISTER = "register_reminder_provider"
EVENT_KEYS = ("subscribes_to", "events", "event")

ROUTED = {
    "llm_call": 2,
    "llm_call_safe": 2,
    "llm_call_structured": 2,
    "llm_call_structured_safe": 2,
    "llm_call_structured_result": 2,
    "agent_loop": 2,
    "cost_route": None,
}
"""The functions that choose a route, and the index of their options; None for any argument."""

LOOPS = {"agent_loop": 2, "sub_agent_run": 1, "agent_turn": 1}
"""The functions that run a loop with reminder providers, and the index of their options."""

_NAMES = frozenset({*REMINDING, *HOOKS, TOOL_HOOK, CHECKPOINT_HOOK, REGISTER, *ROUTED, *LOOPS})
_STEMS = ("remind", "_hook", "bridge_injection", "llm_call", "agent_loop", "cost_route", "sub_agent_run", "agent_turn")


class Hooked:
    """A closure whose results are reminders, and the events for which it is called; None if they are unknown."""

    __slots__ = ("events", "function", "kind", "provider_id")

    def __init__(self, function: Function, events: list[str] | None, kind: str, provider_id: str | None = None) -> None:
        self.function = function
        self.events = events
        self.kind = kind
        self.provider_id = provider_id

    @property
    def event(self) -> str:
        """Return the event name for a message."""
        return self.events[0] if self.events else self.kind


def calls_of(linting: Linting) -> list[tuple[str, Call]]:
    """Return the calls of the file that concern reminders, each with the name of the function."""
    found: list[tuple[str, Call]] = linting.note("reminder calls", lambda: list(_calls(linting)))
    return found


def _calls(linting: Linting) -> Iterator[tuple[str, Call]]:
    if not any(stem in linting.source.text for stem in _STEMS):
        return
    for node in linting.all_nodes:
        if isinstance(node, nodes.CallExpr) and isinstance(node.callee, nodes.NameExpr):
            name, called = node.callee.name, node.callee
        elif isinstance(node, nodes.MethodCallExpr) and isinstance(node.receiver, nodes.NameExpr):
            name, called = f"{node.receiver.name}.{node.name.text}", node.receiver
        else:
            continue
        if name in _NAMES and (name in ALWAYS_BUILTIN or is_ours(linting, called)):
            yield name, node


def is_ours(linting: Linting, called: nodes.NameExpr) -> bool:
    """Return whether a name refers to a builtin or to an export of the standard library."""
    binding = linting.resolution.bindings.get(called)
    if binding is None:
        return True
    if binding.kind != "import":
        return False
    declared = (node for node in linting.resolution.imports if any(name is binding.decl for name in node.names or ()))
    return all(node.path.startswith(STD) for node in declared)


def argument(call: Call, index: int) -> nodes.Expr | None:
    """Return an argument of a call, or None if it is missing or comes from a spread."""
    before = call.args[: index + 1]
    if len(before) <= index or any(isinstance(one, nodes.SpreadExpr) for one in before):
        return None
    return call.args[index]


def dict_argument(linting: Linting, call: Call, index: int) -> LiteralDict | None:
    """Return an argument of a call if it is a literal dict."""
    node = argument(call, index)
    return None if node is None else as_dict(linting.literal(node))


def as_dict(value: Known | Unknown) -> LiteralDict | None:
    """Return a value if it is a literal dict."""
    return value.value if isinstance(value, Known) and isinstance(value.value, LiteralDict) else None


def as_text(value: Known | Unknown) -> str | None:
    """Return a value if it is a literal string."""
    return value.value if isinstance(value, Known) and isinstance(value.value, str) else None


def is_nil(value: Known | Unknown) -> bool:
    """Return whether a value is nil or certainly missing."""
    return isinstance(value, Known) and value.value is None


def lacks(found: LiteralDict, key: str) -> bool:
    """Return whether a reminder certainly has no value for a key, in any of its spellings."""
    values = [found.get(key), *(found.get(one) for one in (SPELLINGS[key],) if one in found.entries)]
    return all(is_nil(value) or (key == "dedupe_key" and _is_blank(value)) for value in values)


def _is_blank(value: Known | Unknown) -> bool:
    text = as_text(value)
    return text is not None and not text.strip()


# Closures


def hooked(linting: Linting) -> Iterator[Hooked]:
    """Yield the closures of the file that are registered as hooks or reminder providers, also by the project file."""
    yield from _declared(linting)
    for name, call in calls_of(linting):
        if name in HOOKS or name == CHECKPOINT_HOOK:
            yield from _hook(linting, name, call)
        elif name == TOOL_HOOK:
            yield from _tool_hooks(linting, call)
        elif name == REGISTER:
            yield from _reminder_provider(linting, call)


def _declared(linting: Linting) -> Iterator[Hooked]:
    """Yield the functions of the file that the project file declares as hooks."""
    if not linting.config.hooks or linting.source.path is None:
        return
    here = os.path.abspath(linting.source.path)
    functions = {node.name.text: node for node in linting.module.statements if isinstance(node, nodes.FnDecl)}
    for event, path, name in linting.config.hooks:
        if path == here and name in functions:
            named = _event(event)
            yield Hooked(Function(functions[name]), [named], named)


def _hook(linting: Linting, name: str, call: Call) -> Iterator[Hooked]:
    if not call.args or any(isinstance(one, nodes.SpreadExpr) for one in call.args):
        return
    index, kind = HOOKS.get(name, (None, LOOP_CHECKPOINT))
    events: list[str] | None = [kind]
    if index is not None:
        node = argument(call, index)
        events = None if node is None else _events(linting.literal(node))
    function = _function(linting.literal(call.args[-1]))
    if function is not None:
        yield Hooked(function, events, kind)


def _tool_hooks(linting: Linting, call: Call) -> Iterator[Hooked]:
    given = dict_argument(linting, call, 0)
    if given is None:
        return
    for key, event in TOOL_EVENTS.items():
        function = _function(given.get(key))
        if function is not None:
            yield Hooked(function, [event], event)


def _reminder_provider(linting: Linting, call: Call) -> Iterator[Hooked]:
    given = dict_argument(linting, call, 0)
    function = None if given is None else _function(given.get("evaluate"))
    if given is None or function is None:
        return
    named = next((value for value in map(given.get, EVENT_KEYS) if not is_nil(value)), None)
    provider_id = as_text(given.get("id")) or linting.text(given.node_of("id")) if "id" in given.entries else "?"
    yield Hooked(function, None if named is None else _events(named), "Provider", provider_id.strip())


def _function(value: Known | Unknown) -> Function | None:
    return value.value if isinstance(value, Known) and isinstance(value.value, Function) else None


def _events(value: Known | Unknown) -> list[str] | None:
    """Return the events that a string or a list of strings names, if all of them are known."""
    if isinstance(value, Known) and isinstance(value.value, LiteralList):
        if value.value.is_open:
            return None
        texts = [as_text(item) for _, item in value.value.items]
    else:
        texts = [as_text(value)]
    return None if None in texts else [_event(text) for text in texts if text is not None]


def _event(text: str) -> str:
    text = text.partition("(")[0].strip()
    return event_named(text) or pascal_case(text)
