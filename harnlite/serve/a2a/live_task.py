"""A task in memory: its state, history and artifacts, and the subscribers to its events."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from harnlite.runtime.tasks.clock import iso_time_of_ms
from harnlite.serve.a2a.artifacts import TaskArtifacts
from harnlite.serve.a2a.dialects import DIALECTS
from harnlite.serve.a2a.states import INTERRUPTED, SUBMITTED, TERMINAL
from harnlite.serve.a2a.task_events import TaskEvent, TaskNotice
from harnlite.serve.a2a.times import monotonic, now_ms
from harnlite.serve.json_rpc import encoded
from harnlite.store.conversation_store import TaskRow

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.serve.a2a.dialects import Dialect, Json
    from harnlite.serve.a2a.task_events import Subscriber

MOST_REMINDERS = 32
"""The number of reminder events in the metadata of a task."""
_SAVED_EACH = 0.5
"""The seconds between two saves of a task whose artifacts grow."""


class LiveTask:
    """A task. Every change of its state is stored, then visible, then sent.

    `writing` is held for a whole change, including the commit; `_lock` only while memory changes, so that the event
    loop may take it.
    """

    def __init__(  # noqa: PLR0913 - the fields of a stored task
        self,
        task_id: str,
        context_id: str,
        save: Callable[[TaskRow], None],
        *,
        made_by: str,
        entry: str | None = None,
        status: Json | None = None,
        changed_ms: int = 0,
        history: list[Json] | None = None,
        artifacts: TaskArtifacts | None = None,
        reminders: list[Json] | None = None,
    ) -> None:
        self.id = task_id
        self.context_id = context_id
        self.made_by = DIALECTS[made_by]
        """The version of the method that has created the task."""
        self.entry = entry
        """The pipeline that answers, or None for the entry of the script."""
        self.writing = threading.RLock()
        self.steers: set[str] = set()
        """The ids of the messages that the running turn has not necessarily received yet."""
        self.last_turn: tuple[str, list[Json] | None] = (SUBMITTED, None)
        """The state and the message parts with which the last turn ended."""
        self.turns: set[str] = set()
        """The message ids of the turns that run or wait for this task."""
        self.early: list[Any] = []
        """The messages that arrived before the turn began, which receives them as soon as it runs."""
        self.running: str | None = None
        """The message id of the turn that began last."""
        self.wants_cancel = False
        self._save = save
        self._lock = threading.Lock()
        self._changed_ms = changed_ms or now_ms()
        self._status: Json = status or {"state": SUBMITTED, "timestamp": iso_time_of_ms(self._changed_ms)}
        self._history = history or []
        self.artifacts = artifacts or TaskArtifacts()
        self._reminders = reminders or []
        self._subscribers: list[Subscriber] = []
        self._answers: dict[tuple[str, int | None], bytes] = {}
        self._saved_at = 0.0
        self.reply: Json | None = None
        """The message with which the script has answered instead of the task."""

    # Reading

    @property
    def state(self) -> str:
        """Return the current state."""
        return str(self._status["state"])

    @property
    def is_terminal(self) -> bool:
        """Return whether the task has ended."""
        return self.state in TERMINAL

    @property
    def is_settled(self) -> bool:
        """Return whether the task is terminal or interrupted."""
        return self.state in TERMINAL or self.state in INTERRUPTED

    @property
    def is_busy(self) -> bool:
        """Return whether something may still change without a further request."""
        return not self.is_settled or bool(self._subscribers) or bool(self.turns)

    def value(self, history_length: int | None = None) -> Json:
        """Return the task in the form of 1.0."""
        with self._lock:
            return self._value(history_length)

    def _value(self, history_length: int | None = None) -> Json:
        value: Json = {"id": self.id, "contextId": self.context_id, "status": self._status}
        artifacts = self.artifacts.value()
        if artifacts:
            value["artifacts"] = artifacts
        history = recent(self._history, history_length)
        if history:
            value["history"] = history
        if self._reminders:
            value["metadata"] = {"harn": {"reminders": list(self._reminders)}}
        return value

    def answer(self, dialect: Dialect, history_length: int | None) -> bytes:
        """Return the JSON of the task in a version, which is kept until the task changes."""
        key = (dialect.name, history_length)
        found = self._answers.get(key)
        if found is None:
            with self._lock:
                found = encoded(dialect.task(self._value(history_length)))
                if len(self._answers) > len(DIALECTS):
                    self._answers.clear()
                self._answers[key] = found
        return found

    def stored(self) -> Json:
        """Return the document that the store keeps."""
        document: Json = {
            "task": self._value(),
            "madeBy": self.made_by.name,
            "turns": self.artifacts.turns,
        }
        if self.entry is not None:
            document["entry"] = self.entry
        return document

    # Changing, on threads that may wait for a commit

    def save(self) -> None:
        """Store the task as it is."""
        with self.writing:
            with self._lock:
                row = TaskRow(self.id, self.context_id, self.state, self._changed_ms, self.stored())
            self._save(row)
            self._saved_at = monotonic()

    def set_status(self, state: str, message: Json | None = None) -> None:
        """Store a new status, and then send it. The message of the old one becomes history."""
        with self.writing:
            self.flush()
            with self._lock:
                # Time may stand still or run backwards; the order of statuses may not.
                changed_ms = max(now_ms(), self._changed_ms)
                status: Json = {"state": state, "timestamp": iso_time_of_ms(changed_ms)}
                if message is not None:
                    status["message"] = message
                history = self._history_with_question()
                old = self._status, self._history, self._changed_ms
                self._status, self._history, self._changed_ms = status, history, changed_ms
                row = TaskRow(self.id, self.context_id, state, changed_ms, self.stored())
                self._status, self._history, self._changed_ms = old
            self._save(row)
            self._saved_at = monotonic()
            is_last = state in TERMINAL or state in INTERRUPTED
            with self._lock:
                self._status, self._history, self._changed_ms = status, history, changed_ms
                self._publish(TaskEvent("status", self._status_event(), is_last=is_last))

    def add_message(self, message: Json) -> None:
        """Store a message of the user in the history."""
        with self.writing:
            with self._lock:
                self._history = [*self._history_with_question(), message]
                self._status = {key: item for key, item in self._status.items() if key != "message"}
                self._answers.clear()
            self.save()

    def _history_with_question(self) -> list[Json]:
        question = self._status.get("message")
        return self._history if question is None else [*self._history, question]

    def remove_message(self, message: Json) -> None:
        """Take a message that was not accepted out of the history."""
        with self.writing:
            with self._lock:
                self._history = [other for other in self._history if other is not message]
                self._answers.clear()
            self.save()

    # Changing in memory

    def add_text(self, text: str, message_id: str | None) -> bool:
        """Hold a piece of text back; send the piece before it. Return whether nothing was held back before."""
        with self._lock:
            was_empty = not self.artifacts.has_held
            for update in self.artifacts.add_text(text, message_id):
                self._publish_artifact(update)
        self._save_sometimes()
        return was_empty

    def flush(self) -> None:
        """Send the text that is held back."""
        with self._lock:
            for update in self.artifacts.flush():
                self._publish_artifact(update)

    def end_text(self, *, without: str | None = None) -> None:
        """End the text of the turn; if all of it was held back and is `without`, drop it."""
        with self._lock:
            for update in self.artifacts.end_turn(without=without):
                self._publish_artifact(update)

    def add_artifact(self, fields: Json) -> None:
        """Add an artifact of the script, or a piece of one."""
        with self._lock:
            for update in (*self.artifacts.flush(), *self.artifacts.add(fields)):
                self._publish_artifact(update)
        self._save_sometimes()

    def add_reminder_event(self, harn: Json, notice: TaskNotice) -> None:
        """Send an event of a reminder."""
        with self._lock:
            for update in self.artifacts.flush():
                self._publish_artifact(update)
            self._reminders = [*self._reminders, harn][-MOST_REMINDERS:]
            self._publish(TaskEvent("status", {**self._status_event(), "metadata": {"harn": harn}}))
            for subscriber in self._subscribers:
                subscriber.push(notice)

    def _save_sometimes(self) -> None:
        if monotonic() - self._saved_at > _SAVED_EACH:
            self.save()

    def _status_event(self) -> Json:
        return {"taskId": self.id, "contextId": self.context_id, "status": self._status}

    def _publish_artifact(self, update: Json) -> None:
        self._publish(TaskEvent("artifact", {"taskId": self.id, "contextId": self.context_id, **update}))

    def _publish(self, event: TaskEvent) -> None:
        self._answers.clear()
        for subscriber in tuple(self._subscribers):
            subscriber.push(event)

    # Subscribing

    def subscribe(self, subscriber: Subscriber, history_length: int | None = None, *, with_task: bool = False) -> None:
        """Let a subscriber receive the events from now on; `with_task` sends the task as it is first."""
        with self._lock:
            if with_task:
                subscriber.push(TaskEvent("task", self._value(history_length)))
            self._subscribers.append(subscriber)

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Send no more events to a subscriber."""
        with self._lock:
            self._subscribers = [other for other in self._subscribers if other is not subscriber]

    def close_streams(self) -> None:
        """End the streams, because the server stops."""
        with self._lock:
            for subscriber in self._subscribers:
                subscriber.close()


def recent(history: list[Json], length: int | None) -> list[Json]:
    """Return the last messages of a history: all without a length, none for 0."""
    return history if length is None else history[-length:] if length else []
