"""The JSON-RPC endpoint: from the body of a POST to its answer, a JSON document or a stream of events."""

from __future__ import annotations

import asyncio
import sys
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from harnlite.known_keys import without_keys
from harnlite.serve.a2a import methods
from harnlite.serve.a2a.dialects import V01, V03, V10
from harnlite.serve.a2a.errors import (
    BAD_VERSION,
    NO_EXTENDED_CARD,
    NO_PUSH,
    NOT_CANCELABLE,
    TASK_NOT_FOUND,
    UNSUPPORTED,
    A2AError,
    finished_task,
    wire_error,
)
from harnlite.serve.a2a.request_params import EXTENSION, Fields, read_list, read_send, read_task
from harnlite.serve.a2a.states import CANCELED
from harnlite.serve.a2a.task_events import EndOfTurn, TaskStream, opening_of
from harnlite.serve.a2a.task_reminders import read_attached, read_task_reminder
from harnlite.serve.json_rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Fault,
    Notification,
    Reply,
    Request,
    encoded,
    read_message,
    result_message,
)
from harnlite.serve.wire_reminders import ENUM_METHOD

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from harnlite.serve.a2a.dialects import Dialect, Json
    from harnlite.serve.a2a.live_task import LiveTask
    from harnlite.serve.a2a.methods import Method
    from harnlite.serve.a2a.request_params import SendParams
    from harnlite.serve.a2a.task_book import TaskBook
    from harnlite.serve.a2a.task_reminders import TaskReminder
    from harnlite.serve.a2a.task_requests import TaskRequests
    from harnlite.serve.json_rpc import Id
    from harnlite.store.redaction import Redactor

NO_CONTENT = None


@dataclass(slots=True)
class Answer:
    """The answer to a POST: a body, a stream, or neither."""

    method: str
    """The name of the method for the access log, `-` for one that does not exist."""
    body: bytes | None = None
    stream: TaskStream | None = None
    error_event: bytes | None = None
    """An error that is sent as the only event of a stream."""
    end: Callable[[], object] | None = None
    """Called when the stream has ended."""
    error: int | None = None
    """The code of the error, for the access log."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request: its method, id, parameters, version, and the extensions that its headers name."""

    method: Method
    id: Id
    params: Json
    version: str
    extensions: frozenset[str] = field(default_factory=frozenset)

    @property
    def error_dialect(self) -> Dialect:
        """Return the version whose shape an error has."""
        if self.method.dialect is not None:
            return self.method.dialect
        return V01 if self.version == "0.1" else V03

    def dialect_for(self, task: LiveTask) -> Dialect:
        """Return the version whose shape an answer about a task has."""
        if self.method.dialect is not None:
            return self.method.dialect
        return V01 if self.version == "0.1" or task.made_by is V01 else V03


class RpcEndpoint:
    """Answers requests. Whatever may wait for the store runs on the executor."""

    def __init__(
        self, requests: TaskRequests, book: TaskBook, executor: Executor, redactor: Redactor, *, debug: bool = False
    ) -> None:
        self._requests = requests
        self.redactor = redactor
        """Removes secrets from the errors that clients receive."""
        self._book = book
        self._executor = executor
        self._debug = debug
        self._operations: dict[str, Callable[[Call], Any]] = {
            methods.SEND: self._send,
            methods.STREAM: self._stream,
            methods.GET: self._get,
            methods.LIST: self._list,
            methods.CANCEL: self._cancel,
            methods.SUBSCRIBE: self._subscribe,
            methods.REMIND: self._remind,
            methods.PUSH: self._refuse_push,
            methods.EXTENDED_CARD: self._refuse_card,
        }
        self._checks: dict[str, Callable[[Call], object]] = {
            methods.SEND: self._send_params,
            methods.STREAM: self._send_params,
            methods.GET: lambda call: read_task(call.params, call.error_dialect),
            methods.LIST: lambda call: read_list(call.params),
            methods.CANCEL: lambda call: read_task(call.params, call.error_dialect),
            methods.SUBSCRIBE: lambda call: read_task(call.params, call.error_dialect),
        }

    async def answer(self, body: bytes, version: str | None, extensions: frozenset[str]) -> Answer:
        """Return the answer to a body; `version` and `extensions` come from the headers."""
        message = read_message(body)
        is_typed = methods.read_version(version) == V10.name
        if isinstance(message, Fault):
            error = A2AError(message.code, reason=str(message.data["reason"]).upper() if message.data else None)
            if message.data and not is_typed:
                error = A2AError(message.code, reason=str(message.data["reason"]))
            return self._refusal("-", message.id, error, is_typed=is_typed)
        if message is None:
            return self._refusal("-", None, A2AError(PARSE_ERROR), is_typed=is_typed)
        if isinstance(message, Reply):
            return self._refusal("-", None, A2AError(INVALID_REQUEST), is_typed=is_typed)
        return await self._carry_out(message, version, extensions)

    async def _carry_out(
        self, message: Request | Notification, version: str | None, extensions: frozenset[str]
    ) -> Answer:
        request_id = message.id if isinstance(message, Request) else None
        method = methods.method_of(message.method)
        named = methods.read_version(version)
        if named is None or method is None:
            is_typed = method.dialect is V10 if method is not None else named == V10.name
            error = (
                A2AError(BAD_VERSION)
                if named is None
                else A2AError(METHOD_NOT_FOUND, metadata={"method": message.method})
            )
            if method is not None and method.is_stream and method.dialect is not V10:
                return self._error_event(method.name, request_id, error, is_typed=is_typed)
            return self._refusal(method.name if method else "-", request_id, error, is_typed=is_typed)
        call = Call(method, request_id, message.params, named, extensions)
        is_typed = call.error_dialect.is_typed or method.operation == methods.REMIND
        try:
            if isinstance(message, Notification) and method.operation != methods.REMIND:
                self._refuse_notification(call)
            found: Answer = await self._operations[method.operation](call)
        except A2AError as error:
            refused = error
            is_typed = is_typed or error.is_about_reminder
        except Exception as error:  # noqa: BLE001 - every request is answered
            self._report(method.name, error)
            refused = A2AError(INTERNAL_ERROR)
        else:
            return found if isinstance(message, Request) else Answer(method.name)
        if isinstance(message, Notification) and method.operation == methods.REMIND:
            sys.stderr.write(f"[harn] warning: {refused.message}\n")
            return Answer(method.name, error=refused.code)
        if method.is_stream and call.error_dialect.streams_errors:
            return self._error_event(method.name, request_id, refused, is_typed=is_typed)
        return self._refusal(method.name, request_id, refused, is_typed=is_typed)

    def _refuse_notification(self, call: Call) -> NoReturn:
        """Refuse a request without an id; wrong parameters are reported first."""
        check = self._checks.get(call.method.operation)
        if check is not None:
            check(call)
        raise A2AError(INVALID_REQUEST)

    def _refusal(self, method: str, request_id: Id, error: A2AError, *, is_typed: bool) -> Answer:
        body = encoded(wire_error(request_id, error, self.redactor, is_typed=is_typed))
        return Answer(method, body, error=error.code)

    def _error_event(self, method: str, request_id: Id, error: A2AError, *, is_typed: bool) -> Answer:
        body = encoded(wire_error(request_id, error, self.redactor, is_typed=is_typed))
        return Answer(method, error_event=b"data: " + body + b"\n\n", error=error.code)

    def _report(self, method: str, error: Exception) -> None:
        if self._debug:
            sys.stderr.write(without_keys("".join(traceback.format_exception(error))))
        else:
            sys.stderr.write(f"[harn] error: {method}: {type(error).__name__}: {str(error).partition(chr(10))[0]}\n")

    async def _on_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401 - any result
        return await asyncio.get_running_loop().run_in_executor(self._executor, function, *arguments)

    # Sending

    def _send_params(self, call: Call) -> tuple[SendParams, list[TaskReminder]]:
        params = read_send(call.params, call.error_dialect)
        return params, [read_attached(value, call.method.name, place) for place, value in params.reminders]

    async def _send(self, call: Call) -> Answer:
        params, reminders = self._send_params(call)
        dialect = call.error_dialect
        end = EndOfTurn(asyncio.get_running_loop())

        def send() -> LiveTask:
            return self._requests.send(params, dialect, reminders, end, streams=False)

        task: LiveTask = await self._on_thread(send)
        try:
            if params.waits:
                await end.wait()
        finally:
            task.unsubscribe(end)
        reply = task.reply if params.waits and dialect is not V01 else None
        if reply is not None:
            return _result(call, dialect.sent("message", reply))
        return _result(call, dialect.sent("task", task.value(params.history_length)))

    async def _stream(self, call: Call) -> Answer:
        params, reminders = self._send_params(call)
        dialect = call.error_dialect
        takes_notices = call.method.name == methods.SUBSCRIBING_SEND or EXTENSION in params.extensions
        stream = self._new_stream(call, dialect, takes_notices=takes_notices)

        def send() -> LiveTask:
            return self._requests.send(params, dialect, reminders, stream, streams=True)

        task: LiveTask = await self._on_thread(send)
        return Answer(call.method.name, stream=stream, end=lambda: task.unsubscribe(stream))

    def _new_stream(self, call: Call, dialect: Dialect, *, takes_notices: bool = False) -> TaskStream:
        loop = asyncio.get_running_loop()
        return TaskStream(loop, dialect, call.id, takes_notices=takes_notices or EXTENSION in call.extensions)

    # Tasks

    async def _task(self, task_id: str) -> LiveTask:
        found = self._book.in_memory(task_id)
        return found if found is not None else await self._on_thread(self._requests.task, task_id)

    async def _get(self, call: Call) -> Answer:
        params = read_task(call.params, call.error_dialect)
        task = await self._task(params.task_id)
        answer = task.answer(call.dialect_for(task), params.history_length)
        return Answer(call.method.name, opening_of(call.id) + answer + b"}")

    async def _list(self, call: Call) -> Answer:
        return _result(call, await self._on_thread(self._requests.listed, read_list(call.params)))

    async def _cancel(self, call: Call) -> Answer:
        params = read_task(call.params, call.error_dialect)
        task = await self._task(params.task_id)
        end = EndOfTurn(asyncio.get_running_loop())
        try:
            if await self._on_thread(self._requests.cancel, task, end):
                await end.wait()
        finally:
            task.unsubscribe(end)
        if task.state != CANCELED:
            raise finished_task(task.id, task.state, NOT_CANCELABLE)
        return _result(call, call.dialect_for(task).task(task.value(params.history_length)))

    async def _subscribe(self, call: Call) -> Answer:
        params = read_task(call.params, call.error_dialect)
        task = await self._task(params.task_id)
        stream = self._new_stream(call, call.dialect_for(task))
        await self._on_thread(self._requests.subscribe, task, stream, params.history_length)
        return Answer(call.method.name, stream=stream, end=lambda: task.unsubscribe(stream))

    # Reminders

    async def _remind(self, call: Call) -> Answer:
        is_new = call.method.name == ENUM_METHOD
        method = call.method.name if is_new else methods.PLAIN_REMIND
        reminder = read_task_reminder(call.params, method)
        task_id = _task_id(call)
        code, text = (TASK_NOT_FOUND, None) if is_new else (UNSUPPORTED, "Unknown task")
        unknown = A2AError(code, message=text, reason="TASK_NOT_FOUND", metadata={"taskId": task_id})

        def remind() -> Json:
            return self._requests.remind(task_id, reminder, unknown=unknown)

        return _result(call, await self._on_thread(remind))

    async def _refuse_push(self, _call: Call) -> Answer:
        raise A2AError(NO_PUSH)

    async def _refuse_card(self, call: Call) -> Answer:
        raise A2AError(UNSUPPORTED if call.method.dialect is V10 else NO_EXTENDED_CARD)


def _task_id(call: Call) -> str:
    fields = Fields(call.params, V10)
    try:
        return fields.required("taskId")
    except A2AError as error:
        raise A2AError(INVALID_PARAMS, field=error.field, description=error.description) from None


def _result(call: Call, result: Json) -> Answer:
    return Answer(call.method.name, encoded(result_message(call.id, result)))
