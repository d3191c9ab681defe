"""Asking rules what they say to each call of a recorded session."""

from __future__ import annotations

import math
import os

from harnlite.agent_hooks.budget_readings import budget_at
from harnlite.agent_hooks.calls import agent_calls
from harnlite.agent_hooks.calls.json_text import written
from harnlite.agent_hooks.counters import MEASURED
from harnlite.agent_hooks.deliveries import tokens_of
from harnlite.agent_hooks.formats.table import format_of
from harnlite.agent_hooks.replay import rows
from harnlite.agent_hooks.replay.dialects import CLAUDE_CODE, CODEX, GEMINI, QWEN
from harnlite.agent_hooks.replay.lives import Lives
from harnlite.agent_hooks.replay.recorded_sessions import AGENTS
from harnlite.agent_hooks.replay.rows import Row, Totals
from harnlite.agent_hooks.replay.virtual_clock import VirtualClock
from harnlite.agent_hooks.rule_runs import respond, wanted
from harnlite.agent_hooks.session_state import MAIN, SessionState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.agent_hooks.calls.agent_calls import AgentCall
    from harnlite.agent_hooks.formats.format import Format
    from harnlite.agent_hooks.replay.steps import Step
    from harnlite.agent_hooks.rule_runs import Reply
    from harnlite.agent_hooks.rule_sets import RuleSet

_ALWAYS = frozenset(
    {agent_calls.SESSION_START, agent_calls.USER_PROMPT, agent_calls.POST_TOOL_USE, agent_calls.POST_COMPACT}
)
"""The events for which hooks are installed whatever the rules want."""
_DIALECTS = {"claude-code": CLAUDE_CODE, "codex": CODEX, "gemini": GEMINI, "qwen": QWEN}
_MOST_TOOLS = 3


class Player:
    """The rules and the state of a session, which begins empty. Raises RulesFailed if the rules do not run.

    `folder` replaces the working folder that the calls name, because the recording may come from another machine.
    """

    def __init__(self, rules: RuleSet, agent: str, folder: str | None = None) -> None:
        form = format_of(agent)
        if form is None or agent not in AGENTS:
            raise ValueError(f"recorded sessions of {agent!r} cannot be read")
        self.totals = Totals()
        self.lives = Lives()
        self._rules = rules
        self._form: Format = form
        self._folder = folder
        self._state = SessionState()
        self._clock = VirtualClock()
        self._failures: set[str] = set()
        wants, thresholds = wanted(rules, folder)
        self._events = {*_ALWAYS, *_DIALECTS[AGENTS[agent]].registered, *wants}
        self._is_measured = bool(thresholds)

    def play(self, step: Step) -> list[Row]:
        """Return what the rules say to a call; nothing if no hook is installed for it."""
        if step.event not in self._events:
            return []
        self._clock.move_to(step.time)
        self.totals.calls += 1
        call = self._call(step)
        counters = self._state.actor(call.actor).counters
        if counters.stamp and self._is_quiet(call):
            counters.advance(call)
            self._note_turn()
            return []
        watched = self.lives.watch(call, self._state.actor(call.actor))
        reply = respond(self._rules, call, self._state, form=self._form, clock=self._clock)
        actor = self._state.actor(call.actor)
        self.lives.note(watched, actor, reply, self._clock.now())
        self._note_turn()
        found = [
            Row(step.time, actor.counters.turn, call.actor_type or call.actor, call.native, _tools(call), *told)
            for told in _told(reply)
        ]
        for row in found:
            self.totals.add(row)
        return [row for row in found if self._is_new(row)]

    def _is_new(self, row: Row) -> bool:
        """Return whether a row does not repeat an error; rules that fail often do so at each call."""
        if row.what != rows.FAILED:
            return True
        is_new = row.text not in self._failures
        self._failures.add(row.text)
        return is_new

    def close(self) -> Totals:
        """Return the sums at the end of the session."""
        self.totals.unseen = self.lives.unseen
        return self.totals

    def _call(self, step: Step) -> AgentCall:
        payload = dict(step.payload)
        if self._folder is not None:
            payload["cwd"] = self._folder
        call = self._form.read(payload, step.native, {})
        call.transcript = ""  # the file tells how full the context is today
        if step.budget is not None or call.event in MEASURED:
            call.budget = step.budget
        return call

    def _is_quiet(self, call: AgentCall) -> bool:
        """Return whether the installed hook would answer without running the rules."""
        counters = self._state.actor(call.actor).counters
        if not counters.is_quiet(call, speaks=self._speaks(call)):
            return False
        if call.event not in MEASURED or not self._is_measured:
            return True
        budget = budget_at(call, counters)
        return budget is None or not counters.is_crossing(budget.used, budget.window)

    def _speaks(self, call: AgentCall) -> bool:
        return call.native in self._form.speaking

    def _note_turn(self) -> None:
        self.totals.turns = max(self.totals.turns, self._state.actor(MAIN).counters.turn)


def _tools(call: AgentCall) -> str:
    """Return the names of the tools of a call; the paths of files that changed where there are no tools."""
    names = list(dict.fromkeys(tool.name for tool in call.tools)) or [os.path.basename(path) for path in call.paths]
    more = f" +{len(names) - _MOST_TOOLS}" if len(names) > _MOST_TOOLS else ""
    return ", ".join(names[:_MOST_TOOLS]) + more


def _told(reply: Reply) -> Iterator[tuple[str, str, str, int]]:
    """Yield what a reply tells: what it is, its key, its text, and the number of tokens that the model reads."""
    speech = reply.speech
    if reply.log:
        yield rows.PRINTED, "", "\n".join(reply.log), 0
    if reply.error:
        yield rows.FAILED, "", reply.error, 0
    if speech.deny is not None:
        yield rows.DENIED, "", speech.deny, _tokens(speech.deny)
    if speech.go_on is not None:
        yield rows.CONTINUED, "", speech.go_on, _tokens(speech.go_on)
    if speech.arguments is not None:
        yield rows.CHANGED, "", written(speech.arguments), 0
    for one in reply.told:
        # Only a reminder that is alone in the answer may be cut off.
        body = speech.context if len(reply.told) == 1 else one.spec.body
        yield rows.SAID, one.name(), body, _tokens(body)


def _tokens(text: str) -> int:
    return math.ceil(tokens_of(text))
