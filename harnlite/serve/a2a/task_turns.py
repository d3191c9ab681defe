"""The turns of tasks: prompts and steers for the conversations, and what their events mean for the tasks."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from harnlite.serve.a2a.reminder_events import reminder_event
from harnlite.serve.a2a.states import CANCELED, TERMINAL, WORKING
from harnlite.serve.a2a.states import FAILED as STOPPED
from harnlite.serve.a2a.task_book import INTERRUPTION, agent_message
from harnlite.serve.a2a.turn_results import NewestAnswers, artifacts_of, final_status, reply_of
from harnlite.serve.conversation_values import Content, InjectError, RequestRefused
from harnlite.serve.turn_outcomes import CANCELLED, COMPLETED, FAILED, TurnError, TurnOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Executor

    from harnlite.serve.a2a.dialects import Json
    from harnlite.serve.a2a.live_task import LiveTask
    from harnlite.serve.conversations import Conversations
    from harnlite.store.redaction import Redactor

STEER = "steer"


class TaskTurns:
    """Runs the turns of tasks. It listens to the events of all conversations of the server.

    Methods of the conversations are never called while a lock of this object or of a task is held.
    """

    def __init__(
        self,
        redactor: Redactor,
        new_id: Callable[[], str],
        executor: Executor,
        later: Callable[[Callable[[], None]], None],
        paths: Mapping[str, str],
    ) -> None:
        self.conversations: Conversations
        self._redactor = redactor
        self._new_id = new_id
        self._executor = executor
        self._later = later
        """Calls a function after a moment."""
        self._paths = paths
        """What errors show instead of the paths of this machine."""
        self.is_stopping = False
        """Whether turns are cancelled because the server stops."""
        self._lock = threading.Lock()
        self._tasks: dict[tuple[str, str], LiveTask] = {}
        """The tasks by context and message id of the turns that run or wait."""
        self._current: dict[str, LiveTask] = {}
        """The task whose turn runs, by context."""
        self._answers = NewestAnswers()
        self._deferred: dict[str, TurnOutcome] = {}
        """The outcomes of turns that ended while a message was on its way to them, by task."""
        self._sending: dict[str, int] = {}
        """The number of messages that are on their way, by task."""

    # Starting

    def reserve(self, task: LiveTask, message_id: str) -> str:
        """Note a turn of a task before it is queued, and return its message id."""
        with self._lock:
            turn = message_id if message_id and (task.context_id, message_id) not in self._tasks else self._new_id()
            self._tasks[task.context_id, turn] = task
            task.turns.add(turn)
        return turn

    def forget(self, task: LiveTask, turn: str) -> None:
        """Take back a reservation."""
        with self._lock:
            self._tasks.pop((task.context_id, turn), None)
            task.turns.discard(turn)

    def prompt(self, task: LiveTask, turn: str, content: Content, metadata: Json) -> None:
        """Queue a turn of a task."""
        self.conversations.prompt(
            task.context_id,
            content,
            on_end=lambda outcome: self._ended(task, turn, outcome),
            message_id=turn,
            metadata=metadata,
            entry=task.entry,
        )

    def begin_sending(self, task: LiveTask) -> bool:
        """Note that a message is on its way to a task; return False if no turn of the task runs or waits."""
        with self._lock:
            if not task.turns and task.id not in self._deferred:
                return False
            self._sending[task.id] = self._sending.get(task.id, 0) + 1
        return True

    def send(self, task: LiveTask, content: Content) -> None:
        """Deliver a message to the running turn of a task, after `begin_sending`.

        If its turn has not begun, or ends before it can take the message, the next turn of the task has it.
        """
        try:
            is_current = self._current.get(task.context_id) is task
            if not is_current or not self._steer(task, content):
                with self._lock:
                    task.early.append(content)
        finally:
            self.sent(task)

    def _steer(self, task: LiveTask, content: Content) -> bool:
        def expect(message_id: str) -> None:
            """Note that a turn with the id of the steer would belong to the task."""
            with self._lock:
                self._tasks[task.context_id, message_id] = task
                task.steers.add(message_id)

        try:
            self.conversations.inject(task.context_id, content, STEER, on_accept=expect, turn=task.running)
        except InjectError:
            return False
        return True

    def sent(self, task: LiveTask) -> None:
        """Note that a message is no longer on its way; end the task if its turn has ended in the meantime."""
        outcome = None
        with self._lock:
            self._sending[task.id] -= 1
            if not self._sending[task.id]:
                del self._sending[task.id]
                outcome = self._deferred.pop(task.id, None)
        if outcome is not None:
            with task.writing:
                self._finish(task, outcome)
        elif task.early and self._current.get(task.context_id) is task:
            self._send_early(task)

    def fail(self, task: LiveTask, turn: str) -> None:
        """End a task whose turn could not be queued."""
        self._ended(task, turn, TurnOutcome(FAILED, error=TurnError("the turn could not be started")))

    def has_turns(self, task: LiveTask) -> bool:
        """Return whether a turn of a task runs or waits, or has ended while a message is on its way."""
        with self._lock:
            return bool(task.turns) or task.id in self._deferred

    # Cancelling

    def cancel(self, task: LiveTask) -> None:
        """Cancel all turns of a task."""
        with self._lock:
            task.wants_cancel = True
            task.early.clear()
            turns, steers = tuple(task.turns), tuple(task.steers)
        for message_id in steers:
            with suppress(RequestRefused):  # it has been delivered
                self.conversations.revoke_message(task.context_id, message_id)
        for turn in turns:
            if not self.conversations.cancel_prompt(task.context_id, turn):
                self._revoke(task, (turn,))

    def _revoke(self, task: LiveTask, message_ids: Iterable[str]) -> None:
        """Withdraw messages that wait; cancel the turns of those that do not."""
        for message_id in message_ids:
            try:
                self.conversations.revoke_message(task.context_id, message_id)
            except RequestRefused:  # it has been delivered
                self.conversations.cancel_prompt(task.context_id, message_id)

    # Events

    def waiting_turn(self, task: LiveTask) -> str | None:
        """Return the turn of a task that waits while another task of the context runs, or None."""
        with self._lock:
            return None if self._current.get(task.context_id) is task else next(iter(task.turns), None)

    def on_event(self, session_id: str, event: dict[str, Any]) -> None:
        """Receive an event of a conversation, on the thread of its turn."""
        kind = event["type"]
        if kind == "turn_started":
            self._started(session_id, event["message_id"])
            return
        task = self._current.get(session_id)
        if task is None:
            return
        if kind == "agent_message_chunk":
            self._add_text(task, event)
        elif kind == "tool_call":
            task.flush()
        elif kind == "artifact":
            task.add_artifact(self._redactor.value(event))
        elif kind in {"reminder_emitted", "reminder_deduped", "reminder_expired"}:
            harn, notice = reminder_event(task.id, event)
            task.add_reminder_event(harn, notice)
        elif kind == "turn_ended" and isinstance(event.get("outcome"), TurnOutcome) and event.get("is_queued"):
            self._ended(task, event["message_id"], event["outcome"])

    def _started(self, context_id: str, message_id: str) -> None:
        with self._lock:
            task = self._tasks.get((context_id, message_id))
            if task is None:
                self._current.pop(context_id, None)
                return
            self._current[context_id] = task
            task.turns.add(message_id)
            task.running = message_id
            self._answers.take(context_id)
        if task.is_terminal:
            return
        if task.state != WORKING:
            task.set_status(WORKING)
        if task.early:
            self._send_early(task)

    def _send_early(self, task: LiveTask) -> None:
        """Deliver the messages that were sent before the turn began, on another thread."""
        with self._lock:
            contents, task.early[:] = list(task.early), []
            if not contents:
                return
            self._sending[task.id] = self._sending.get(task.id, 0) + len(contents)
        for content in contents:
            self._executor.submit(self.send, task, content)

    def _add_text(self, task: LiveTask, event: dict[str, Any]) -> None:
        text, message_id = event["content"], event.get("message_id")
        if event.get("is_returned"):
            task.add_text(text, message_id)
            return
        self._answers.add(task.context_id, message_id, text)
        if task.add_text(text, message_id):
            self._later(task.flush)

    def _ended(self, task: LiveTask, turn: str, outcome: TurnOutcome) -> None:
        """Take the outcome of a turn. The task goes on if messages wait for its next turn."""
        with task.writing:
            with self._lock:
                if turn not in task.turns:
                    return
                streamed = self._leave(task, turn, outcome.follow_ups)
            self._end_text(task, outcome, streamed)
            with self._lock:
                if self._sending.get(task.id):
                    self._deferred[task.id] = outcome
                    return
            self._finish(task, outcome)

    def _leave(self, task: LiveTask, turn: str, follow_ups: Sequence[str]) -> str:
        """Forget a turn that has ended, and note those that follow; return the text that it streamed last."""
        self._tasks.pop((task.context_id, turn), None)
        task.turns.discard(turn)
        task.steers.discard(turn)
        if self._current.get(task.context_id) is task:
            del self._current[task.context_id]
        for message_id in task.steers.difference(follow_ups):
            self._tasks.pop((task.context_id, message_id), None)
        task.steers.clear()
        for message_id in follow_ups:
            self._tasks[task.context_id, message_id] = task
            task.turns.add(message_id)
        return self._answers.take(task.context_id)

    def _end_text(self, task: LiveTask, outcome: TurnOutcome, streamed: str) -> None:
        """End the text of a turn; remember the message of its status."""
        value = self._redactor.value(outcome.value)
        state, text = final_status(outcome, value, streamed)
        if outcome.kind == FAILED and text is not None:
            text = [{"text": _without_paths(part["text"], self._paths)} for part in text]
        is_plain = outcome.kind == COMPLETED
        task.end_text(without=None if is_plain or outcome.text is None else outcome.text)
        for artifact in artifacts_of(value):
            task.add_artifact(artifact)
        task.last_turn = (state, reply_of(value) or text)

    def _finish(self, task: LiveTask, outcome: TurnOutcome) -> None:
        """Go on with the messages that wait, or end the task."""
        is_cancelled = outcome.kind == CANCELLED or task.wants_cancel
        with self._lock:
            waiting = tuple(task.turns)
            early, task.early[:] = list(task.early), []
            if is_cancelled:
                for turn in waiting:
                    self._tasks.pop((task.context_id, turn), None)
                task.turns.clear()
        if is_cancelled:
            self._executor.submit(self._revoke, task, waiting)
        elif waiting:
            with self._lock:
                task.early[:0] = early
            return
        elif early:
            self._go_on(task, early)
            return
        state, parts = task.last_turn
        message = None if parts is None else self.message(task, parts)
        if outcome.kind == CANCELLED or (task.wants_cancel and state not in TERMINAL):
            state, message = CANCELED, None
            if self.is_stopping and not task.wants_cancel:
                state, message = STOPPED, self.message(task, [{"text": INTERRUPTION}])
        task.reply = message if outcome.kind == COMPLETED else None
        task.set_status(state, message)

    def message(self, task: LiveTask, parts: list[Json]) -> Json:
        """Return a message of the agent."""
        return agent_message(task.id, task.context_id, self._new_id(), parts)

    def _go_on(self, task: LiveTask, contents: list[Content]) -> None:
        """Start the next turn of a task with messages that no turn has taken."""
        content = _joined(contents)
        turn = self.reserve(task, "")

        def start() -> None:
            try:
                self.prompt(task, turn, content, {})
            except Exception:
                self.fail(task, turn)
                raise

        self._executor.submit(start)


def _joined(contents: list[Content]) -> Content:
    """Return the content of several messages as one."""
    blocks = [block for content in contents for block in content.blocks]
    return Content("\n".join(content.text for content in contents), blocks)


def _without_paths(text: str, paths: Mapping[str, str]) -> str:
    for path, shown in paths.items():
        text = text.replace(path, shown)
    return text
