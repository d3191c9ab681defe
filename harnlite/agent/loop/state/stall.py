"""Stall diagnostics: a loop that repeats itself gets feedback and is finally stopped."""

from __future__ import annotations

from harnlite.agent.option_values import declared_flag, declared_int, int_option, names_in
from harnlite.digests import sha256
from harnlite.formats.json.writing import json_text
from harnlite.llm.errors import classify
from harnlite.options.defaults import defaults
from harnlite.options.loop import STALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_STALL = defaults(STALL)
SAME_OBSERVATION, SAME_ERROR, CONTEXT_WINDOW = (
    "repeated_same_observation",
    "repeated_error",
    "repeated_context_window_error",
)
SAME_SIGNATURE, PING_PONG, MONOLOGUE = "repeated_same_signature", "ping_pong", "no_progress_monologue"
_OVERFLOW = "context_overflow"
_DIGEST = 16

_CORES = {
    SAME_OBSERVATION: "the action `{tool}` produced the same observation {count} times in a row",
    SAME_ERROR: "the action `{tool}` failed with the same error {count} times in a row",
    MONOLOGUE: "{count} consecutive assistant messages made no progress (no tool call)",
    PING_PONG: "the loop is ping-ponging between two actions ({count} cycles)",
    CONTEXT_WINDOW: "the run hit a context-window error {count} times in a row",
    SAME_SIGNATURE: "the last {count} tool calls repeated `{tool}` with identical arguments",
}
_ADVICE = "Use different evidence, finish, or explain why repeating is necessary before doing so again."


class StallSettings:
    """The settings for when repetition counts as a stall, and for how the loop reacts."""

    __slots__ = ("exempt", "hard_stop_after", "include_arguments", "injects", "max_feedback", "thresholds")

    def __init__(self, given: dict[str, object]) -> None:
        threshold = declared_int(given, "threshold", _STALL)
        observation = threshold if given.get("threshold") is not None else _STALL["repeat_same_observation"]
        self.thresholds = {
            SAME_OBSERVATION: int_option(given, "repeat_same_observation", observation),
            SAME_ERROR: declared_int(given, "repeat_same_error", _STALL),
            CONTEXT_WINDOW: declared_int(given, "repeat_context_window_error", _STALL),
            SAME_SIGNATURE: threshold,
            PING_PONG: declared_int(given, "ping_pong_cycles", _STALL),
            MONOLOGUE: declared_int(given, "no_progress_messages", _STALL),
        }
        self.injects = declared_flag(given, "inject_feedback", _STALL)
        self.max_feedback = declared_int(given, "max_feedback", _STALL)
        self.exempt = frozenset(names_in(given.get("exempt_tools")))
        self.include_arguments = declared_flag(given, "include_arguments", _STALL)
        self.hard_stop_after = declared_int(given, "hard_stop_after_trips", _STALL)


def read_stall(value: object) -> StallSettings | None:
    """Read `stall_diagnostics`; true selects the defaults."""
    if value is None or value is False or (isinstance(value, dict) and value.get("enabled") is False):
        return None
    return StallSettings(value if isinstance(value, dict) else {})


class Action:
    """The facts about a tool call that repetition is judged by: name, arguments and, once known, its outcome."""

    __slots__ = ("arguments", "name", "outcome", "overflowed", "signature", "succeeded")

    def __init__(self, call: dict[str, Any]) -> None:
        self.name = str(call.get("name"))
        self.arguments = json_text(call.get("arguments") or {})
        self.signature = f"{self.name}({self.arguments})"
        self.outcome: str | None = None
        self.succeeded = True
        self.overflowed = False

    def note(self, result: dict[str, Any]) -> None:
        """Record the result of the call."""
        self.succeeded = bool(result.get("ok"))
        self.outcome = str(result.get("rendered_result") or result.get("error") or "")
        if not self.succeeded:
            self.overflowed = classify(self.outcome, "generic")[1] == _OVERFLOW


class Trip:
    """One finding of the diagnostics."""

    __slots__ = ("action", "count", "is_hard_stop", "pattern", "threshold", "trips")

    def __init__(self, pattern: str, count: int, threshold: int, action: Action | None) -> None:
        self.pattern = pattern
        self.count = count
        self.threshold = threshold
        self.action = action
        self.trips = 0
        self.is_hard_stop = False

    def text(self) -> str:
        """Return the feedback for the model."""
        core = _CORES[self.pattern].format(tool=self.action.name if self.action else "", count=self.count)
        if self.is_hard_stop:
            return (
                f"Loop detector (hard stop): {core}. {self.trips} trips with no recovery — stop and report the blocker "
                "instead of repeating."
            )
        return f"Stall diagnostic: {core}. {_ADVICE}"

    def fields(self, iteration: int, *, with_arguments: bool) -> dict[str, object]:
        """Return the fields of the warning event."""
        action = self.action
        arguments, signature = (action.arguments, action.signature) if action else ("", "")
        arguments_digest = sha256(arguments.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
        name = action.name if action else None
        found: dict[str, object] = {
            "iteration": iteration,
            "tool_name": name,
            "pattern": self.pattern,
            "count": self.count,
            "repeat_count": self.count,
            "threshold": self.threshold,
            "signature": f"{name}:{arguments_digest}" if action else MONOLOGUE,
            "arguments_digest": arguments_digest,
            "signature_digest": sha256(signature.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST],
            "consecutive_trips": self.trips,
            "hard_stop": self.is_hard_stop,
        }
        if with_arguments and action is not None:
            found["arguments"] = arguments
        return found


class StallDetector:
    """Compares each call with the calls before it; a turn is checked before its calls run."""

    __slots__ = (
        "_alternating",
        "_before",
        "_last",
        "_monologue",
        "_pending",
        "_repeats",
        "_trips",
        "feedbacks",
        "settings",
    )

    def __init__(self, settings: StallSettings) -> None:
        self.settings = settings
        self.feedbacks = 0
        self._last: Action | None = None
        self._before: Action | None = None
        self._repeats = self._alternating = self._monologue = self._trips = 0
        self._pending: list[Action] = []

    def look_at(self, calls: Sequence[dict[str, Any]]) -> Trip | None:
        """Check the calls of a turn, and return at most one finding."""
        self._pending = []
        trip = None
        for call in calls:
            if call.get("name") not in self.settings.exempt:
                trip = self._compare(Action(call)) or trip
        if calls:
            self._monologue = 0
        else:
            self._monologue += 1
            trip = self._tripped(MONOLOGUE, self._monologue, None)
        if trip is None:
            self._trips = 0
            return None
        self._trips += 1
        trip.trips = self._trips
        trip.is_hard_stop = self._trips >= self.settings.hard_stop_after
        return trip

    def _compare(self, action: Action) -> Trip | None:
        last, before = self._last, self._before
        self._before, self._last = last, action
        self._pending.append(action)
        if last is None or last.signature != action.signature:
            is_back = before is not None and before.signature == action.signature
            self._alternating = self._alternating + 1 if is_back else 2
            self._repeats = 1
            return self._tripped(PING_PONG, self._alternating // 2, action)
        self._alternating = 0
        if before is not None and before.signature == action.signature and before.outcome != last.outcome:
            # The same call, but its outcome has changed.
            self._repeats = 1
        self._repeats += 1
        return self._tripped(_pattern_after(last), self._repeats, action)

    def _tripped(self, pattern: str, count: int, action: Action | None) -> Trip | None:
        threshold = self.settings.thresholds[pattern]
        return Trip(pattern, count, threshold, action) if count >= threshold else None

    def note(self, results: Sequence[dict[str, Any]]) -> None:
        """Record the results of the calls of the turn."""
        exempt = self.settings.exempt
        counted = [result for result in results if result.get("tool_name") not in exempt]
        for action, result in zip(self._pending, counted, strict=False):
            action.note(result)

    def may_tell(self, trip: Trip) -> bool:
        """Return whether the model may get feedback about a finding, and count that feedback."""
        settings = self.settings
        if not settings.injects or not (trip.is_hard_stop or self.feedbacks < settings.max_feedback):
            return False
        self.feedbacks += 1
        return True


def _pattern_after(last: Action) -> str:
    """Return the pattern of a repeated call, which depends on the outcome of the last call."""
    if last.outcome is None:
        return SAME_SIGNATURE
    if last.overflowed:
        return CONTEXT_WINDOW
    return SAME_OBSERVATION if last.succeeded else SAME_ERROR
