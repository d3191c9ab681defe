"""The other side of the connection: everything that the server sends to it, and the answers to our own requests."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from harnlite.serve.json_rpc import (
    encoded,
    error_message,
    notification_message,
    request_message,
    result_message,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.serve.acp.errors import RpcError
    from harnlite.serve.acp.transport import Writer
    from harnlite.serve.acp.wire_trace import WireTrace
    from harnlite.serve.json_rpc import Id, Reply
    from harnlite.store.redaction import Redactor


class Question:
    """A request to the client that has not been answered yet."""

    __slots__ = ("_answered", "id", "result")

    def __init__(self, request_id: str) -> None:
        self.id = request_id
        self.result: Any = None
        """The result, or None for an error and for a question that was withdrawn."""
        self._answered = threading.Event()

    def settle(self, result: object) -> None:
        """Set the result and wake the thread that waits for it."""
        self.result = result
        self._answered.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the answer; return whether it is there."""
        return self._answered.wait(seconds)


class Peer:
    """Sends answers, updates and requests, each as one line. Every method may be called from any thread."""

    __slots__ = ("_count", "_lock", "_open", "_redactor", "_trace", "_writer")

    def __init__(self, writer: Writer, redactor: Redactor, trace: WireTrace | None = None) -> None:
        self._writer = writer
        self._redactor = redactor
        self._trace = trace
        self._lock = threading.Lock()
        self._open: dict[str, Question] = {}
        self._count = 0

    def _send(self, *messages: Mapping[str, Any]) -> None:
        lines = [encoded(message) for message in messages]
        if self._trace is None:
            self._writer.write(*lines)
            return
        with self._lock:
            for message in messages:
                self._trace.sent(message)
            self._writer.write(*lines)

    def answer(self, request_id: Id, result: object) -> None:
        """Answer a request."""
        self._send(result_message(request_id, result))

    def refuse(self, request_id: Id, error: RpcError) -> None:
        """Answer a request with an error, without the secrets in its text and data."""
        text, data = self._redactor.text(error.message), error.data and self._redactor.value(error.data)
        self._send(error_message(request_id, error.code, text, data))

    def update(self, session_id: str, *updates: Mapping[str, Any]) -> None:
        """Send updates of a session as consecutive lines."""
        self._send(
            *(notification_message("session/update", {"sessionId": session_id, "update": one}) for one in updates)
        )

    # Our own requests

    def ask(self, method: str, params: Mapping[str, Any]) -> Question:
        """Send a request to the client."""
        with self._lock:
            self._count += 1
            question = Question(f"h-{self._count}")
            self._open[question.id] = question
        self._send(request_message(question.id, method, params))
        return question

    def withdraw(self, question: Question) -> None:
        """End a request that is still open, and tell the client so."""
        with self._lock:
            was_open = self._open.pop(question.id, None) is not None
        if was_open:
            self._send(notification_message("$/cancel_request", {"requestId": question.id}))
        question.settle(None)

    def take(self, reply: Reply) -> bool:
        """Settle the request that a reply belongs to; return whether there is one."""
        if not isinstance(reply.id, str):
            return False
        with self._lock:
            question = self._open.pop(reply.id, None)
        if question is None:
            return False
        question.settle(reply.result if reply.error is None else None)
        return True
