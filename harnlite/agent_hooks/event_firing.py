"""One event of an agent, as the hooks and reminder providers of the rules see it."""

from __future__ import annotations

import os

from harnlite.agent.hooks.firing import fire_budget_threshold, fire_session, fire_turn
from harnlite.agent.hooks.hook_registry import hooks_of
from harnlite.agent.reminder_providers.evaluation import fire, is_wanted
from harnlite.agent.tools.dispatch_options import DispatchOptions
from harnlite.agent.tools.tool_call import Call, Decision, ToolText, provider_payload
from harnlite.agent.tools.tool_hooks import hook_refusal, run_post_hooks
from harnlite.agent_hooks import agent_calls
from harnlite.agent_hooks.wanted_events import BANDS, SESSION_EVENTS
from harnlite.reminders import hook_events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.sessions.session import Session
    from harnlite.agent_hooks.agent_calls import AgentCall, ToolUse
    from harnlite.agent_hooks.counters import Counters
    from harnlite.reminders.enabled_providers import Enabled
    from harnlite.runtime.tasks.execution import Execution

STRATEGY = "agent"
"""The `strategy` in the payload of a compaction that the agent has done itself."""


class ReportedCall(Call):
    """A tool call of the agent. The payloads of its hooks contain what is known of the call in addition."""

    __slots__ = ("about", "use")

    def __init__(self, use: ToolUse, about: dict[str, object]) -> None:
        super().__init__(use.id, use.name, use.arguments, None)
        self.use = use
        self.about = about

    def payload(self, event: str) -> dict[str, object]:
        """Return the payload of a tool hook."""
        return self.extended(super().payload(event))

    def extended(self, payload: dict[str, object]) -> dict[str, object]:
        """Return a payload with what an agent tells of its calls."""
        use, tool = self.use, payload["tool"]
        known: dict[str, object] = tool if isinstance(tool, dict) else {}
        more = {"kind": use.kind, "paths": list(use.paths), "command": use.command}
        return {**self.about, **payload, "tool": {**known, **more}}


class EventFiring:
    """Fires the hooks and reminder providers for one call of an agent, and collects their decisions."""

    __slots__ = ("about", "arguments", "call", "counters", "deny", "enabled", "go_on", "run", "session")

    def __init__(
        self,
        run: Execution,
        call: AgentCall,
        session: Session,
        counters: Counters,
        enabled: Enabled,
    ) -> None:
        self.run = run
        self.call = call
        self.session = session
        self.counters = counters
        self.enabled = enabled
        self.deny: str | None = None
        self.go_on: str | None = None
        self.arguments: dict[str, object] | None = None
        self.about: dict[str, object] = {"turn": max(1, counters.turn), "agent": call.agent, "cwd": call.cwd}

    def fire(self) -> None:
        """Fire the event of the call."""
        event = self.call.event
        if event == agent_calls.PRE_TOOL_USE:
            self._before_tools()
        elif event == agent_calls.POST_TOOL_USE:
            self._after_tools()
        elif event == agent_calls.FILE_EDITED:
            for path in self.call.paths:
                self._file_edited(path, {})
        elif event != agent_calls.USER_PROMPT or self.call.is_user_prompt:
            self._session_events(event)

    def compacted(self, archived: int = 0) -> None:
        """Fire the end of a compaction that the agent has not reported itself."""
        self._fire(hook_events.POST_COMPACT, self._compaction(archived))

    def crossed(self, thresholds: list[float], used: int, window: int) -> None:
        """Fire thresholds of the context window that are newly reached."""
        chosen = set(thresholds)
        registered = hooks_of(self.run).of_persona(hook_events.ON_BUDGET_THRESHOLD)
        done: set[object] = {hook for hook in registered if float(hook.percent) not in chosen}
        facts: dict[str, object] = {
            **self.about,
            "context_tokens": used,
            "context_window": window,
            "percent": round(used * 100 / window, 1),
            "threshold": max(thresholds),
            "model": self.call.model or None,
        }
        fire_budget_threshold(self.run, self.session, used, window, done, facts)
        if chosen & set(BANDS):
            self._provide(hook_events.ON_BUDGET_THRESHOLD, {"session": {"id": self.session.id}, **facts})

    # Sessions

    def _session_events(self, event: str) -> None:
        for name in SESSION_EVENTS.get(event, ()):
            self._fire(name, self._payload(name))

    def _fire(self, name: str, payload: dict[str, object]) -> None:
        """Fire an event for hooks and reminder providers, and note what the hooks decide."""
        full = {"session": {"id": self.session.id}, **self.about, **payload}
        if name == hook_events.POST_AGENT_TURN:
            fire_turn(self.run, self.session, name, full)
        else:
            verdict = fire_session(self.run, self.session, name, full)
            if verdict.is_veto:
                self._refuse(verdict.reason or f"{name} hook blocked the operation")
        self._provide(name, full)

    def _provide(self, name: str, payload: dict[str, object]) -> None:
        if is_wanted(self.run, name, self.enabled):
            fire(self.run, self.session, name, payload, {}, self.enabled)

    def _refuse(self, reason: str) -> None:
        if self.call.event in {agent_calls.STOP, agent_calls.SUBAGENT_STOP}:
            self.go_on = self.go_on or reason
        elif self.call.event in {agent_calls.USER_PROMPT, agent_calls.PRE_COMPACT}:
            self.deny = self.deny or reason

    def _payload(self, name: str) -> dict[str, object]:
        call, session = self.call, self.session.id
        if name == hook_events.SESSION_START:
            task = call.task or None
            return {"task": task, "system": None, "source": call.source, "actor_type": call.actor_type or None}
        if name == hook_events.USER_PROMPT_SUBMIT:
            return {"prompt": call.prompt, "system": None}
        if name in {hook_events.PRE_COMPACT, hook_events.POST_COMPACT}:
            return self._compaction(0)
        if name == hook_events.SESSION_IDLE:
            return {"iteration": self.counters.turn, "message": call.message}
        if name == hook_events.SESSION_END:
            return {"final_status": "done", "stop_reason": call.source or None, "iterations": self.counters.turn}
        facts = {"session_id": session, "iteration": self.counters.turn, "is_continuing": call.is_continuing}
        return {**facts, "text": call.message, "visible_text": call.message}

    def _compaction(self, archived: int) -> dict[str, object]:
        data, payload = self.call.data, {"session_id": self.session.id, "strategy": STRATEGY}
        found: dict[str, object] = {**payload, "reason": self.call.source or None}
        count = data.get("archived_messages", archived)
        if isinstance(count, int) and count > 0:
            found["archived_messages"] = count
        summary = data.get("compact_summary")
        if isinstance(summary, str) and summary:
            found["summary"] = summary
        return found

    # Tools

    def _before_tools(self) -> None:
        decision = Decision(DispatchOptions(session=self.session))
        for use in self.call.tools:
            call = ReportedCall(use, self.about)
            reason = hook_refusal(self.run, call, decision)
            if reason is not None:
                self.deny = reason
                return
            if call.arguments is not use.arguments:
                self.arguments = call.arguments

    def _after_tools(self) -> None:
        decision = Decision(DispatchOptions(session=self.session))
        for use in self.call.tools:
            call = ReportedCall(use, self.about)
            shown = use.error or use.result
            text = ToolText(shown, None if use.error else use.result, is_cut=use.is_truncated, size=use.size)
            run_post_hooks(self.run, call, decision, text)
            if text.truncated or self.counters.wanted.get(agent_calls.POST_TOOL_USE) is True:
                failure: dict[str, object] | None
                failure = {"status": "error", "error": use.error, "error_category": "tool_error"} if use.error else None
                payload = provider_payload(self.session.id, hook_events.POST_TOOL_USE, call, text, failure)
                self._provide(hook_events.POST_TOOL_USE, call.extended(payload))
            if use.kind == agent_calls.EDIT and not use.error:
                for path in use.paths:
                    self._file_edited(path, {"tool": use.name})

    def _file_edited(self, path: str, metadata: dict[str, object]) -> None:
        full = os.path.normpath(os.path.join(self.call.cwd or os.curdir, path))
        facts: dict[str, object] = {"session_id": self.session.id, "path": full, "metadata": metadata}
        self._fire(hook_events.FILE_EDITED, facts)
