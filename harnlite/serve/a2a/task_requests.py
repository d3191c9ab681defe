"""The operations of the protocol on tasks: sending messages, reading, cancelling, and reminders.

They may wait for the store, so the server calls them on worker threads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harnlite.reminders.waiting_entries import ReusedId
from harnlite.serve.a2a.errors import (
    NOT_CANCELABLE,
    A2AError,
    finished_task,
    invalid,
    unknown_task,
)
from harnlite.serve.a2a.live_task import LiveTask, recent
from harnlite.serve.a2a.request_params import page_token
from harnlite.serve.a2a.states import CANCELED, REJECTED, TERMINAL, WORKING
from harnlite.serve.conversation_values import Content, SessionInUse, UnknownSession
from harnlite.serve.json_rpc import INTERNAL_ERROR

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.serve.a2a.dialects import Dialect, Json
    from harnlite.serve.a2a.request_params import ListParams, SendParams
    from harnlite.serve.a2a.skills import Skills
    from harnlite.serve.a2a.task_book import TaskBook
    from harnlite.serve.a2a.task_events import Subscriber
    from harnlite.serve.a2a.task_reminders import TaskReminder
    from harnlite.serve.a2a.task_turns import TaskTurns
    from harnlite.serve.conversation_values import Acceptance
    from harnlite.store.conversation_store import ConversationStore

MOST_KNOWN = 4096
"""The number of contexts that are known to be open."""


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """The folder in which scripts run, and the number of tasks that may run or wait at a time."""

    cwd: str
    max_tasks: int | None = None


class TaskRequests:
    """Carries out requests. Each method raises A2AError if it refuses."""

    def __init__(
        self,
        settings: TaskSettings,
        book: TaskBook,
        turns: TaskTurns,
        skills: Skills,
        store: ConversationStore,
        new_id: Callable[[], str],
    ) -> None:
        self._settings = settings
        self._book = book
        self._turns = turns
        self._skills = skills
        self._store = store
        self._new_id = new_id
        self._lock = threading.Lock()
        self._known: OrderedDict[str, None] = OrderedDict()
        self.is_stopping = False

    # Sending

    def send(
        self,
        params: SendParams,
        dialect: Dialect,
        reminders: list[TaskReminder],
        subscriber: Subscriber,
        *,
        streams: bool,
    ) -> LiveTask:
        """Create or continue a task; the subscriber receives what follows, and with `streams` first the task."""
        if params.skill is not None and params.skill not in self._skills.names():
            raise invalid(params.skill_place, "must be the id of a skill on the agent card")
        if self.is_stopping:
            raise A2AError(INTERNAL_ERROR, reason="SERVER_STOPPING")
        task = self._book.get(params.task_id) if params.task_id is not None else None
        if task is None:
            if params.task_id is not None and dialect.name != "0.1":
                raise unknown_task(params.task_id)
            task = self._created(params, dialect, reminders, subscriber, streams=streams)
            if task is not None:
                return task
            task = self._existing(str(params.task_id))
        if params.context_id is not None and params.context_id != task.context_id:
            raise invalid("sessionId" if dialect.name == "0.1" else "message.contextId", "is not that of the task")
        self._continue(task, params, reminders, subscriber, streams=streams)
        return task

    def _existing(self, task_id: str) -> LiveTask:
        task = self._book.get(task_id)
        if task is None:
            raise unknown_task(task_id)
        return task

    def _created(
        self,
        params: SendParams,
        dialect: Dialect,
        reminders: list[TaskReminder],
        subscriber: Subscriber,
        *,
        streams: bool,
    ) -> LiveTask | None:
        """Create a task and queue its turn; return None if its id is taken by now."""
        context_id = params.context_id or self._new_id()
        self._open_context(context_id)
        entry = None if params.skill is None else self._skills.entry(params.skill)
        task_id = params.task_id or self._new_id()
        task = LiveTask(task_id, context_id, self._book.save, made_by=dialect.name, entry=entry)
        is_full = self._settings.max_tasks is not None and self._count() >= self._settings.max_tasks
        if not self._book.add(task):
            return None
        turn = self._turns.reserve(task, params.message_id)
        try:
            if not is_full:
                self._remind(task, reminders, turn)
            task.add_message(self._user_message(task, params))
        except BaseException:
            self._turns.forget(task, turn)
            self._book.remove(task)
            raise
        task.subscribe(subscriber, params.history_length, with_task=streams)
        if is_full:
            self._turns.forget(task, turn)
            text = f"the agent already runs {self._settings.max_tasks} tasks, the most that --max-tasks allows"
            task.set_status(REJECTED, self._turns.message(task, [{"text": text}]))
            return task
        self._prompt(task, turn, params)
        return task

    def _count(self) -> int:
        return sum(1 for task in self._book.busy() if not task.is_settled)

    def _prompt(self, task: LiveTask, turn: str, params: SendParams) -> None:
        try:
            self._turns.prompt(task, turn, Content(params.text, params.blocks), params.metadata)
        except Exception:
            self._turns.fail(task, turn)
            raise

    def _continue(
        self,
        task: LiveTask,
        params: SendParams,
        reminders: list[TaskReminder],
        subscriber: Subscriber,
        *,
        streams: bool,
    ) -> None:
        """Steer the running turn of a task, or start the next turn of one that needs input."""
        self._open_context(task.context_id)
        message = self._user_message(task, params)
        content = Content(params.text, params.blocks)
        with task.writing:
            if task.is_terminal:
                raise finished_task(task.id, task.state)
            is_steer = self._turns.begin_sending(task)
            turn = None if is_steer else self._turns.reserve(task, params.message_id)
        try:
            self._remind(task, reminders, turn or self._turns.waiting_turn(task))
            task.add_message(message)
        except BaseException:
            if turn is None:
                self._turns.sent(task)
            else:
                self._turns.forget(task, turn)
            raise
        if is_steer:
            task.subscribe(subscriber, params.history_length, with_task=streams)
            self._turns.send(task, content)
            return
        if params.skill is not None:
            task.entry = self._skills.entry(params.skill)
        with task.writing:
            if task.state in TERMINAL:  # it was cancelled in the meantime
                self._turns.forget(task, str(turn))
                raise finished_task(task.id, task.state)
            task.subscribe(subscriber, params.history_length, with_task=streams)
            task.reply = None
            task.set_status(WORKING)
        self._prompt(task, str(turn), params)

    def _user_message(self, task: LiveTask, params: SendParams) -> Json:
        ids = {"messageId": params.message_id or self._new_id(), "taskId": task.id, "contextId": task.context_id}
        return {**params.message, **ids}

    def _open_context(self, context_id: str) -> None:
        """Open the session of a context, or create it."""
        with self._lock:
            if context_id in self._known:
                self._known.move_to_end(context_id)
                return
        conversations = self._turns.conversations
        try:
            conversations.open(context_id)
        except UnknownSession:
            try:
                conversations.create(self._settings.cwd, session_id=context_id)
            except ValueError:  # another request has created it
                conversations.open(context_id)
        except SessionInUse:
            raise A2AError(INTERNAL_ERROR, reason="CONTEXT_IN_USE", metadata={"contextId": context_id}) from None
        with self._lock:
            self._known[context_id] = None
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)

    # Reminders

    def _remind(self, task: LiveTask, reminders: list[TaskReminder], turn: str | None) -> None:
        for reminder in reminders:
            self._accept(task, reminder, turn)

    def _accept(self, task: LiveTask, reminder: TaskReminder, turn: str | None) -> Acceptance:
        """Store a reminder; with a turn, only that one receives it."""
        given = reminder.given
        try:
            return self._turns.conversations.remind(
                task.context_id, given.fields, label=given.label, turn=turn, metadata=given.metadata
            )
        except ReusedId as reused:
            raise reminder.conflict(reused, task.id) from None

    def remind(self, task_id: str, reminder: TaskReminder, *, unknown: A2AError) -> Json:
        """Give a reminder to a task, and return the answer."""
        task = self._book.get(task_id)
        if task is None:
            raise unknown
        if task.is_terminal:
            raise finished_task(task_id, task.state)
        self._open_context(task.context_id)
        accepted = self._accept(task, reminder, self._turns.waiting_turn(task))
        answer: Json = {"reminderId": accepted.reminder_id}
        if accepted.deduped_count is not None:
            answer["dedupedCount"] = accepted.deduped_count
        answer["acceptedAt"] = accepted.accepted_at
        return answer

    # Tasks

    def task(self, task_id: str) -> LiveTask:
        """Return a task."""
        return self._existing(task_id)

    def cancel(self, task: LiveTask, subscriber: Subscriber) -> bool:
        """Cancel a task; return whether the subscriber has to wait for the end."""
        if task.is_terminal:
            raise finished_task(task.id, task.state, NOT_CANCELABLE)
        task.subscribe(subscriber)
        with task.writing:
            is_idle = not self._turns.has_turns(task) and not task.is_terminal
            if is_idle:
                task.set_status(CANCELED)
        if is_idle:
            return False
        self._turns.cancel(task)
        return not task.is_terminal

    def subscribe(self, task: LiveTask, subscriber: Subscriber, history_length: int | None) -> None:
        """Send the task as it is, and then its events, to a subscriber."""
        with task.writing:
            if task.is_terminal:
                raise finished_task(task.id, task.state)
            task.subscribe(subscriber, history_length, with_task=True)

    def listed(self, params: ListParams) -> Json:
        """Return a page of tasks."""
        filters: dict[str, Any] = {
            "context": params.context_id,
            "states": params.states,
            "changed_after": params.changed_after,
        }
        rows = self._store.tasks(**filters, after=params.after, limit=params.page_size + 1)
        page = rows[: params.page_size]
        tasks = []
        for row in page:
            task = dict(row.document["task"])
            if not params.with_artifacts:
                task.pop("artifacts", None)
            history = recent(task.pop("history", []), params.history_length)
            if history:
                task["history"] = history
            tasks.append(task)
        return {
            "tasks": tasks,
            "nextPageToken": page_token(page[-1].changed_ms, page[-1].id) if len(rows) > len(page) else "",
            "pageSize": params.page_size,
            "totalSize": self._store.count_tasks(**filters),
        }
