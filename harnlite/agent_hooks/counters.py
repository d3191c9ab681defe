"""What the start path of a hook must know of a session: its turn, and the events for which the rules have to run.

It is stored as a small file beside the database of the session, and is a part of the row there. The module imports
nothing heavy.
"""

from __future__ import annotations

from harnlite.agent_hooks.calls import agent_calls
from harnlite.agent_hooks.state_folder import short_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from harnlite.agent_hooks.calls.agent_calls import AgentCall, ToolUse

FORMAT = 1
TWICE_SECONDS = 2.0
"""Within this time, the same event is the same delivery, which two configurations of the agent have caused."""
BROKEN_SECONDS = 10.0
"""The time for which rules that do not compile are not compiled again, unless their file changes."""
REARM_POINTS = 5.0
"""A threshold counts again when the use of the context has fallen so far below it."""
TRUNCATED = "truncated"
"""The key of `wanted` for calls of tools whose result the agent has cut off."""

_DELIVERY = 3
"""The number of parts of a delivery in `recent`."""
_TOOLS = frozenset({agent_calls.PRE_TOOL_USE, agent_calls.POST_TOOL_USE})
_CLOSING = frozenset({agent_calls.STOP, agent_calls.SESSION_START, agent_calls.SESSION_IDLE, agent_calls.SESSION_END})
_ALWAYS = frozenset({agent_calls.PRE_COMPACT, agent_calls.POST_COMPACT, agent_calls.SUBAGENT_START})
FRESH, COPIED = "clear", "fork"
MEASURED = frozenset({agent_calls.USER_PROMPT, agent_calls.POST_TOOL_USE})
"""The events at which the use of the context window is looked at."""

_DEFAULTS: dict[str, Any] = {
    "seq": 0,
    "turn": 0,
    "turn_id": "",
    "is_open": False,
    "continued": 0,
    "reason": "",
    "recent": [],
    "fired": [],
    "generation": 0,
    "compacting": [],
    "reported": False,
    "reading": [],
    "waiting": 0,
    "living": 0,
    "wanted": {},
    "thresholds": [],
    "window": 0,
    "told_window": 0,
    "stamp": [],
    "broken": "",
    "broken_until": 0.0,
}


class Counters:
    """The small state of a set of rules in a session or a sub-agent."""

    __slots__ = tuple(_DEFAULTS)

    seq: int
    """The number of saves of the row that this state belongs to; the newer of file and row counts."""
    turn: int
    """The number of prompts of the user."""
    turn_id: str
    is_open: bool
    """Whether the agent is working on the prompt; what is made between turns belongs to the next turn."""
    continued: int
    """The turn in which the rules have made the agent continue."""
    reason: str
    """A digest of the reason for it, which some agents report as a prompt."""
    recent: list[list[Any]]
    """The deliveries of the last seconds: the key, the time, and the agent's name of the event."""
    fired: list[float]
    """The thresholds that have fired since the last compaction, in percent."""
    generation: int
    """The number of compactions."""
    compacting: list[Any]
    """The turn, the used tokens and the messages when a compaction began whose end was not reported yet."""
    reported: bool
    """Whether the agent has reported the last compaction, which its transcript is to show too."""
    reading: list[Any]
    """The last reading of the context window: used, window, generation, size and time of the file, exactness."""
    waiting: int
    """The number of reminders that wait for an event which can show them."""
    living: int
    """The number of reminders whose turns are not over."""
    wanted: dict[str, Any]
    """The events for which the rules have hooks: true, or the patterns of tool names."""
    thresholds: list[float]
    """The percents of the context window at which the rules want to run."""
    window: int
    """The size of the context window that the configuration states, or 0."""
    told_window: int
    """The size that the agent has told at some event, or 0."""
    stamp: list[Any]
    """What identifies the files of the rules."""
    broken: str
    """The error of rules that cannot be read or compiled."""
    broken_until: float

    def __init__(self, fields: dict[str, Any] | None = None) -> None:
        given = fields or {}
        for name, default in _DEFAULTS.items():
            value = given.get(name)
            if value.__class__ is not default.__class__:
                value = default.copy() if default.__class__ in (list, dict) else default
            setattr(self, name, value)
        # A damaged entry would make every call of the session fail.
        self.recent = [entry for entry in self.recent if entry.__class__ is list and len(entry) == _DELIVERY]

    def fields(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {name: getattr(self, name) for name in _DEFAULTS}

    # Turns

    def advance(self, call: AgentCall) -> None:
        """Count the turn that a call begins, and note whether the agent is working on it."""
        event, budget = call.event, call.budget
        if budget is not None and budget.is_exact and budget.window:
            self.told_window = budget.window
        if call.actor:
            self.turn, self.is_open = 1, True
        elif event == agent_calls.USER_PROMPT:
            if self.is_of_user(call) and not (call.turn_id and call.turn_id == self.turn_id):
                self.turn += 1
                self.turn_id = call.turn_id
            self.is_open = True
        elif event in _TOOLS:
            if not self.turn:
                # The hooks were installed in the middle of a turn.
                self.turn, self.turn_id = 1, call.turn_id
            self.is_open = True
        elif event in _CLOSING:
            self.is_open = False

    def is_of_user(self, call: AgentCall) -> bool:
        """Return whether the user has written a prompt, and not a hook that makes the agent continue."""
        is_own = self.is_open and self.continued == self.turn and self.reason == reason_digest(call.prompt)
        return call.is_user_prompt and not is_own

    def is_counting(self, call: AgentCall) -> bool:
        """Return whether `advance` would change something."""
        before = (self.turn, self.turn_id, self.is_open, self.told_window)
        self.advance(call)
        after = (self.turn, self.turn_id, self.is_open, self.told_window)
        self.turn, self.turn_id, self.is_open, self.told_window = before
        return before != after

    @property
    def first_turn(self) -> int:
        """Return the first turn of a reminder that is made now."""
        return self.turn if self.is_open else self.turn + 1

    # Deliveries

    def take_repeated(self, call: AgentCall, now: float) -> str | None:
        """Remove the tool calls that were delivered a moment ago; note the others.

        Return the agent's name of the event of the earlier delivery if nothing is left, otherwise None.
        """
        known = {entry[0]: entry[2] for entry in self.recent if abs(now - entry[1]) < TWICE_SECONDS}
        self.recent = [entry for entry in self.recent if entry[0] in known]
        if call.event in _TOOLS and call.tools:
            keyed = [(_tool_key(call, tool), tool) for tool in call.tools]
            fresh = [(key, tool) for key, tool in keyed if key not in known]
            if not fresh:
                return str(known[keyed[0][0]])
            call.tools = [tool for _, tool in fresh]
            keys = [key for key, _ in fresh]
        else:
            keys = [_key(call)]
            if keys[0] in known:
                return str(known[keys[0]])
        self.recent += [[key, now, call.native] for key in keys]
        return None

    # Rules

    def is_broken_at(self, now: float) -> bool:
        """Return whether the rules are known to be broken; a clock that was put back does not prolong that."""
        return bool(self.broken) and 0 < self.broken_until - now <= BROKEN_SECONDS

    def is_quiet(self, call: AgentCall, *, speaks: bool) -> bool:
        """Return whether neither the rules nor waiting reminders have anything to do with a call."""
        event = call.event
        if event in _ALWAYS or (event == agent_calls.SESSION_START and call.source in {FRESH, COPIED}):
            return False
        if event == agent_calls.PRE_COMPACT and self.wanted.get(agent_calls.POST_COMPACT):
            # The end of the compaction may be noticed only because its beginning was noted.
            return False
        if (speaks and self.waiting) or self.compacting:
            return False
        return not self.wants(call)

    def wants(self, call: AgentCall) -> bool:
        """Return whether the rules have hooks for a call."""
        wanted, event = self.wanted, call.event
        if event in _TOOLS:
            found = wanted.get(event)
            patterns = found if found.__class__ is list else ()
            if found is True or any(fits_any(patterns, tool.name) for tool in call.tools):
                return True
            if event == agent_calls.PRE_TOOL_USE:
                return False
            if wanted.get(TRUNCATED) and any(tool.is_truncated for tool in call.tools):
                return True
            is_edit = any(tool.kind == agent_calls.EDIT for tool in call.tools)
            return is_edit and bool(wanted.get(agent_calls.FILE_EDITED))
        if event == agent_calls.USER_PROMPT and not self.is_of_user(call):
            return False
        return bool(wanted.get(event))

    def is_crossing(self, used: int, window: int) -> bool:
        """Return whether a threshold is reached, or is to be armed again."""
        if window <= 0:
            return False
        percent = used * 100 / window
        if any(percent >= threshold and threshold not in self.fired for threshold in self.thresholds):
            return True
        return any(percent < threshold - REARM_POINTS for threshold in self.fired)

    def crossed(self, used: int, window: int) -> list[float]:
        """Return the thresholds that are newly reached, and note them; arm those again that are far away."""
        if window <= 0:
            return []
        percent = used * 100 / window
        self.fired = [threshold for threshold in self.fired if percent >= threshold - REARM_POINTS]
        found = [threshold for threshold in self.thresholds if percent >= threshold and threshold not in self.fired]
        self.fired += found
        return found


def fits_any(patterns: Iterable[object], name: str) -> bool:
    """Return whether one of some patterns matches the name of a tool."""
    for pattern in patterns:
        if pattern in {"*", name}:
            return True
        if isinstance(pattern, str) and ("*" in pattern or "?" in pattern):
            from harnlite.agent.hooks.name_globs import fits

            if fits(pattern, name):
                return True
    return False


def reason_digest(reason: str) -> str:
    """Return a digest of a reason that does not depend on how the agent writes brackets and white space."""
    return short_digest("".join(filter(str.isalnum, reason)))


def _tool_key(call: AgentCall, tool: ToolUse) -> str:
    if tool.id:
        return f"{call.event}:{tool.id}"
    return f"{call.event}:{short_digest(repr((tool.name, tool.arguments, tool.result, tool.error)))}"


def _key(call: AgentCall) -> str:
    event = call.event
    if event == agent_calls.POST_COMPACT:
        # Some agents report the end of a compaction with two events.
        return event
    if event == agent_calls.USER_PROMPT:
        return f"{event}:{call.turn_id}:{short_digest(call.prompt)}"
    facts = repr((call.turn_id, call.source, call.is_continuing, call.message, call.paths, call.task))
    return f"{event}:{short_digest(facts)}"
