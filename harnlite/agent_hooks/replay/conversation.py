"""What happens in a recorded conversation, as the calls of hooks that the agent makes."""

from __future__ import annotations

from harnlite.agent_hooks import agent_calls
from harnlite.agent_hooks.replay.recorded_times import seconds_of
from harnlite.agent_hooks.replay.steps import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.agent_hooks.agent_calls import Budget
    from harnlite.agent_hooks.replay.dialects import Dialect
_SAME_START = 5.0


class Conversation:
    """The main conversation of a session, or that of a sub-agent; its reader reports what the records say.

    A stop and the end of a batch of tools have no records of their own: they follow from the records after them, or
    from the end of the file.
    """

    def __init__(self, dialect: Dialect, actor: str = "", actor_type: str = "") -> None:
        self.session = ""
        self.cwd = ""
        self.model = ""
        self.turn_id = ""
        self.budget: Budget | None = None
        self.actor = actor
        self.actor_type = actor_type
        self.is_started = False
        self.is_working = False
        """Whether the agent works on a prompt."""
        self._dialect = dialect
        self._time: float | None = None
        self._has_time = False
        self._uses: dict[str, dict[str, object]] = {}
        self._batch: list[dict[str, object]] = []
        self._batched_at: float | None = None
        self._batch_id = ""
        self._message = ""
        self._prompt = ""
        self._worked_at: float | None = None
        self._stopped_at: float | None = None
        self._resumed_at: float | None = None

    def at(self, timestamp: object) -> None:
        """Note the time of the record that follows; times never decrease."""
        seconds = seconds_of(timestamp)
        self._has_time = seconds is not None
        if seconds is not None:
            self._time = seconds if self._time is None else max(seconds, self._time)

    # Events

    def start(self, source: str = "startup", task: str = "") -> Iterator[Step]:
        """Begin the session, or the work of a sub-agent on its task."""
        if self.is_started:
            return
        self.is_started = True
        if self.actor:
            self.is_working = True
            yield self._step(agent_calls.SUBAGENT_START, {"task": task} if task else {})
        else:
            yield self._step(agent_calls.SESSION_START, {"source": source})

    def resume(self, source: str) -> Iterator[Step]:
        """Report that the session goes on in another process; several hooks of one start are one start."""
        if self._resumed_at is None or self._time is None or self._time > self._resumed_at + _SAME_START:
            yield from self.finish()
            yield self._step(agent_calls.SESSION_START, {"source": source})
        self._resumed_at = self._time

    def prompt(self, text: str, more: dict[str, object] | None = None, *, turn_id: str = "") -> Iterator[Step]:
        """Report a prompt. `more` are further fields of the payload."""
        yield from self.start()
        if not (self.is_working and turn_id and turn_id == self.turn_id):
            yield from self.finish()
            yield from self._idle()
        if turn_id:
            self.turn_id = turn_id
        payload: dict[str, object] = {"prompt": text, **(more or {})}
        if self._dialect.turn_id and turn_id:
            payload[self._dialect.turn_id] = turn_id
        yield self._step(agent_calls.USER_PROMPT, payload)
        self.is_working, self._message, self._stopped_at = True, "", None
        self._prompt = text

    def use(self, name: str, arguments: object, use_id: str, message_id: str = "") -> Iterator[Step]:
        """Report that the model calls a tool."""
        if message_id != self._batch_id or not message_id:
            yield from self.end_batch()
            self._batch_id = message_id
        fields: dict[str, object] = {"tool_name": name, "tool_input": arguments}
        if self._dialect.has_tool_ids and use_id:
            fields["tool_use_id"] = use_id
        self._uses[use_id] = fields
        self._message = ""
        self._note_work()
        yield self._step(agent_calls.PRE_TOOL_USE, fields)

    def result(self, use_id: str, response: object) -> Iterator[Step]:
        """Report the result of a call, as far as the call is known."""
        fields = self._uses.pop(use_id, None)
        if fields is None:
            return
        fields = {**fields, "tool_response": response}
        self._note_work()
        if not self._dialect.is_batching:
            yield self._step(agent_calls.POST_TOOL_USE, fields)
            return
        self._batch.append(fields)
        self._batched_at = self._worked_at

    def says(self, text: str, message_id: str = "") -> Iterator[Step]:
        """Report a text of the model, which ends the batch of the message before."""
        if message_id != self._batch_id or not message_id:
            yield from self.end_batch()
        self._note_work()
        if text.strip():
            self._message = text

    def end_batch(self, *, is_at_end: bool = False) -> Iterator[Step]:
        """Report the tools of a message together, if that is how the agent does it."""
        if self._batch:
            batch, self._batch = self._batch, []
            step = self._step(agent_calls.POST_TOOL_USE, {"tool_calls": batch}, is_at_end=is_at_end)
            yield _at(step, self._batched_at)

    def compaction(self, trigger: str, *, has_end: bool = True) -> Iterator[Step]:
        """Report a compaction: its beginning, and its end where the agent reports that."""
        yield from self.start()
        yield from self.end_batch()
        yield self._step(agent_calls.PRE_COMPACT, {"trigger": trigger})
        self.budget = None
        if has_end:
            yield self._step(agent_calls.POST_COMPACT, {"source": "compact"})

    def interrupt(self) -> None:
        """Note that the user has stopped the agent: no hook is called."""
        self._batch, self._uses = [], {}
        self.is_working = False

    def finish(self, *, is_certain: bool = False, is_at_end: bool = False) -> Iterator[Step]:
        """Report that the agent has finished its work on the prompt, if it was working.

        Unless that is certain, the last message of the model shows it: after tools alone, the work was broken off.
        """
        if not self.is_working or (is_at_end and self._uses):
            return
        yield from self.end_batch(is_at_end=is_at_end)
        if is_at_end and not self._message:
            return
        self.is_working, self._uses = False, {}
        if not (is_certain or self._message):
            return
        payload: dict[str, object] = {"stop_hook_active": False}
        if self._message:
            payload[self._dialect.last_message] = self._message
        if self._prompt and self._dialect.has_prompt_at_stop:
            payload["prompt"] = self._prompt
        event = agent_calls.SUBAGENT_STOP if self.actor else agent_calls.STOP
        yield _at(self._step(event, payload, is_at_end=is_at_end), self._worked_at)
        self._stopped_at = self._worked_at

    def _note_work(self) -> None:
        self._worked_at = self._time if self._has_time else None

    def _idle(self) -> Iterator[Step]:
        """Report the time without a prompt, if the agent has waited long enough."""
        limit, since = self._dialect.idle_seconds, self._stopped_at
        if limit is None or since is None or self._time is None or self._time < since + limit or self.actor:
            return
        payload: dict[str, object] = {
            "message": "The agent is waiting for your input",
            "notification_type": "idle_prompt",
        }
        yield _at(self._step(agent_calls.SESSION_IDLE, payload), since + limit)

    def _step(self, event: str, payload: dict[str, object], *, is_at_end: bool = False) -> Step:
        native = self._dialect.natives[event]
        common: dict[str, object] = {"session_id": self.session, "cwd": self.cwd, "hook_event_name": native}
        if self.model:
            common["model"] = self.model
        if self._dialect.turn_id and self.turn_id:
            common[self._dialect.turn_id] = self.turn_id
        if self.actor:
            common["agent_id"], common["agent_type"] = self.actor, self.actor_type
        time = self._time if self._has_time else None
        return Step(event, native, {**common, **payload}, time, self.budget, is_at_end)


def _at(step: Step, time: float | None) -> Step:
    return Step(step.event, step.native, step.payload, time, step.budget, step.is_at_end)
