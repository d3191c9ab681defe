"""The state of a running loop: its session and options, its progress, and the current turn."""

from __future__ import annotations

from harnlite.agent.loop.state.iteration_budget import IterationBudget
from harnlite.agent.loop.state.totals import Totals
from harnlite.agent.sessions.feedback import inject_feedback
from harnlite.agent.sessions.recording import visible_text
from harnlite.agent.sessions.reminding import SessionReminders
from harnlite.reminders.capabilities import NATIVE, TEXT
from harnlite.runtime.tasks.clock import iso_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.compaction.compaction_settings import Settings as CompactionSettings
    from harnlite.agent.loop.state.feature_slots import (
        DaemonSlot,
        ServersSlot,
        SkillsSlot,
        ToolSearchSlot,
        TranscriptSlot,
        WorkerSlot,
        WorkerSupport,
    )
    from harnlite.agent.loop.state.loop_options import LoopOptions
    from harnlite.agent.loop.state.stall import StallDetector
    from harnlite.agent.sessions.session import Session
    from harnlite.reminders.inbox_entries import Entry
    from harnlite.runtime.tasks.execution import Execution


DONE, STUCK, BUDGET_EXHAUSTED, FAILED = "done", "stuck", "budget_exhausted", "failed"
PROVIDER_ERROR, VERIFY_EXHAUSTED, SUSPENDED, BLOCKED = "provider_error", "verify_exhausted", "suspended", "blocked"
IDLE, WATCHDOG, ERROR = "idle", "watchdog", "error"
STALLED = "stalled"
"""The reason of a completion that a judge accepts after a stall."""
_COMPACTING = frozenset({"compaction", "auto_compact", "compact_threshold"})


class Stop:
    """How a loop ends. A completion is withdrawn if a seam then delivers something; other ends are final."""

    __slots__ = ("error", "extra", "is_completion", "reason", "status")

    def __init__(
        self,
        status: str,
        reason: str,
        *,
        error: object = None,
        is_completion: bool = False,
        extra: dict[str, object] | None = None,
    ) -> None:
        self.status = status
        self.reason = reason
        self.error = error
        self.is_completion = is_completion
        self.extra = extra or {}


class Suspension:
    """A request to suspend a loop: the reason, the initiator, and the conditions that resume the loop."""

    __slots__ = ("conditions", "initiator", "reason", "resume_by")

    def __init__(self, reason: str, initiator: str, conditions: object = None, resume_by: object = None) -> None:
        self.reason = reason
        self.initiator = initiator
        self.conditions = conditions
        self.resume_by = resume_by


class Turn:
    """One iteration: the model's reply and its effects."""

    __slots__ = (
        "calls",
        "completion",
        "cost_usd",
        "delivered",
        "feedback",
        "has_native_calls",
        "index",
        "info",
        "is_aged",
        "is_fallback",
        "is_last_nudge",
        "is_recorded",
        "is_removed",
        "reply",
        "response_ms",
        "results",
        "signals",
        "skip_reason",
        "text_before",
        "trip",
        "was_refused",
    )

    def __init__(self, index: int) -> None:
        self.index = index
        self.reply: dict[str, Any] = {}
        self.calls: list[dict[str, Any]] = []
        self.results: list[dict[str, Any]] = []
        self.info: dict[str, object] = {}
        self.signals: list[dict[str, object]] = []
        self.completion: dict[str, object] = {"proposed": False, "vetoed": False, "verdict": None, "feedback": None}
        self.feedback: list[tuple[str, str]] = []
        self.delivered = self.is_fallback = self.was_refused = self.is_recorded = self.is_removed = False
        self.has_native_calls = self.is_last_nudge = self.is_aged = False
        self.skip_reason: str | None = None
        self.text_before = ""
        self.trip: object = None
        self.cost_usd = 0.0
        self.response_ms = 0

    @property
    def number(self) -> int:
        """Return the number of the turn in events and prompts, counted from 1."""
        return self.index + 1

    @property
    def text(self) -> str:
        """Return the raw text of the reply."""
        text = self.reply.get("text")
        return text if isinstance(text, str) else ""

    @property
    def visible_text(self) -> str:
        """Return the text of the reply that is meant for users."""
        return visible_text(self.reply)

    @property
    def is_text_only(self) -> bool:
        """Return whether the reply calls no tool."""
        return not self.calls

    @property
    def leaves_nothing_to_do(self) -> bool:
        """Return whether the turn leaves nothing to do: no tool calls, and nothing new for the model to see."""
        return self.is_text_only and not (
            self.delivered or self.was_refused or self.skip_reason or self.completion["vetoed"]
        )

    def tool_names(self) -> tuple[list[object], list[object]]:
        """Return the names of the tools that succeeded in the turn, and of those that did not."""
        successful: list[object] = [result.get("tool_name") for result in self.results if result.get("ok")]
        return successful, [result.get("tool_name") for result in self.results if not result.get("ok")]

    def verdicts(self) -> dict[str, object]:
        """Return the judges' signals about the turn, and their combined outcome."""
        accepted = all(signal["signal"] == "accept" for signal in self.signals)
        outcome = ("accept" if accepted else "reject") if self.signals else None
        return {"verifier_signals": list(self.signals), "verifier_outcome": outcome}


def _compaction_of(given: dict[str, Any]) -> CompactionSettings | None:
    """Read the settings for compaction, or return None if the options have none."""
    if _COMPACTING.isdisjoint(given):
        return None
    from harnlite.agent.compaction.compaction_settings import settings_of

    return settings_of(given)


class Loop:
    """One run of `agent_loop`."""

    __slots__ = (
        "budget",
        "compaction",
        "confirmation_asked",
        "daemon",
        "exhausted",
        "fallbacks",
        "has_own_tools",
        "has_tool_result",
        "index",
        "is_finalized",
        "is_task_changed",
        "judged",
        "last_result",
        "last_stop_reason",
        "last_text",
        "last_turn",
        "llm_transcript",
        "mcp",
        "message_times",
        "mode",
        "offered",
        "options",
        "persona_thresholds",
        "prompt",
        "reminders",
        "run",
        "sentinel",
        "session",
        "skills",
        "stall",
        "stall_warnings",
        "started",
        "started_at",
        "step_attempts",
        "stop",
        "succeeded_tools",
        "summary",
        "system",
        "task",
        "text_only_turns",
        "tool_format",
        "tool_search",
        "tools",
        "totals",
        "verify_attempts",
        "wire",
        "worker",
        "workers",
    )

    def __init__(
        self, run: Execution, session: Session, task: str, options: LoopOptions, workers: WorkerSupport
    ) -> None:
        self.run = run
        self.workers = workers
        self.session = session
        self.task = task
        self.is_task_changed = False
        self.prompt: list[Entry] = []
        """The user message from the inbox that is the prompt, until the session contains it."""
        self.system: str | None = None
        self.summary: dict[str, Any] | None = None
        self.started = run.clock.monotonic()
        self.started_at = iso_time(run.clock.now())
        self.reminders = SessionReminders(run, session)
        self.worker: WorkerSlot | None = None
        # How tools are called. `mode` is empty if the text format is only a default that the options do not request.
        self.tool_format = self.mode = TEXT
        self.wire = ""
        self.sentinel: str | None = None
        self.tools: list[dict[str, Any]] = []
        self.offered: list[dict[str, Any]] = []
        self.has_own_tools = False
        # Progress.
        self.index = 0
        self.stop: Stop | None = None
        self.is_finalized = False
        self.totals = Totals()
        self.succeeded_tools: set[str] = set()
        self.exhausted = ""
        self.last_turn: Turn | None = None
        self.last_result: dict[str, Any] | None = None
        self.last_text = ""
        self.last_stop_reason: object = None
        self.text_only_turns = self.verify_attempts = self.fallbacks = self.step_attempts = 0
        self.confirmation_asked = self.has_tool_result = False
        self.judged = (0, 0)
        self.stall: StallDetector | None = None
        self.stall_warnings: list[dict[str, object]] = []
        self.persona_thresholds: set[object] = set()
        self.message_times: dict[int, tuple[dict[str, Any], str]] = {}
        # Optional features.
        self.skills: SkillsSlot | None = None
        self.tool_search: ToolSearchSlot | None = None
        self.daemon: DaemonSlot | None = None
        self.mcp: ServersSlot | None = None
        self.llm_transcript: TranscriptSlot | None = None
        self.budget = IterationBudget(options.budget)
        self.adopt(options)

    def adopt(self, options: LoopOptions) -> None:
        """Use these options from now on."""
        self.options = options
        self.budget.adopt(options.budget)
        self.compaction = _compaction_of(options.given)
        if options.stall is None:
            self.stall = None
        elif self.stall is None:
            from harnlite.agent.loop.state.stall import StallDetector

            self.stall = StallDetector(options.stall)
        else:
            self.stall.settings = options.stall

    @property
    def number(self) -> int:
        """Return the number of the current iteration or, after the loop, of the last one."""
        return 1 if self.last_turn is None else self.last_turn.number

    @property
    def may_go_on(self) -> bool:
        """Return whether another iteration may follow this one."""
        return self.stop is None and self.number < self.budget.limit

    @property
    def elapsed_ms(self) -> int:
        """Return how long the loop has been running."""
        return int((self.run.clock.monotonic() - self.started) * 1000)

    def end(self, status: str, reason: str, **details: Any) -> None:  # noqa: ANN401 - see Stop
        """Set how the loop ends; the first call decides."""
        if self.stop is None:
            self.stop = Stop(status, reason, **details)

    def fail(self, status: str, reason: str, error: object) -> None:
        """End the loop with an error, which replaces any earlier reason."""
        self.stop = Stop(status, reason, error=error)

    def take_back_completion(self, turn: Turn) -> None:
        """Withdraw the completion if a seam of the turn has delivered something that the model must see."""
        if turn.delivered and self.stop is not None and self.stop.is_completion:
            self.stop = None

    def release(self) -> None:
        """Release the session and close the transcript file and the servers."""
        self.session.inbox.settle(self.prompt)
        if self.session.loop is self:
            self.session.end_loop()
        for opened in (self.llm_transcript, self.mcp):
            if opened is not None:
                opened.close()

    def tell(self, turn: Turn | None, kind: str, text: str) -> None:
        """Add feedback to the session, but hold it back while native calls of the turn have no results yet."""
        if turn is not None and turn.is_recorded and turn.calls and not turn.results and self.tool_format == NATIVE:
            turn.feedback.append((kind, text))
        else:
            inject_feedback(self.run, self.session, kind, text)

    def tell_rest(self, turn: Turn) -> None:
        """Add the feedback that was held back until the turn had its results."""
        held, turn.feedback = turn.feedback, []
        for kind, text in held:
            inject_feedback(self.run, self.session, kind, text)

    def missing_tools(self) -> list[str]:
        """Return the required tools that have not succeeded yet; alternatives are joined as `b|c`."""
        done = self.succeeded_tools
        return ["|".join(group) for group in self.options.required_tools if done.isdisjoint(group)]

    def stall_report(self) -> dict[str, object]:
        """Return the entries of the result about repetition."""
        warnings = self.stall_warnings
        repeated = [
            {key: warning[key] for key in ("tool_name", "pattern", "repeat_count", "signature_digest")}
            for warning in warnings
            if warning["tool_name"] is not None
        ]
        return {"repeated_tool_calls": repeated, "stall_warnings": list(warnings), "suspected_loop": bool(warnings)}
