"""A readable account of what a connection carries, for `--trace`."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from harnlite.serve.json_rpc import Fault, Notification, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO

    from harnlite.serve.json_rpc import Message
    from harnlite.store.redaction import Redactor

_WIDTH = 160


class WireTrace:
    """Writes one line per message: the time, the direction, the kind, and the start of its content."""

    __slots__ = ("_clock", "_redactor", "_stream")

    def __init__(self, stream: TextIO, redactor: Redactor, clock: Callable[[], float] = time.time) -> None:
        self._stream = stream
        self._redactor = redactor
        self._clock = clock

    def received(self, message: Message) -> None:
        """Write a message of the client."""
        match message:
            case Request(request_id, method, params):
                self._line("-->", f"{method} #{json.dumps(request_id)}", params)
            case Notification(method, params):
                self._line("-->", method, params)
            case Reply(request_id, result, error):
                self._line("-->", f"reply #{json.dumps(request_id)}", result if error is None else error)
            case Fault(request_id, code, data):
                self._line("-->", f"invalid message #{json.dumps(request_id)}", {"code": code, **(data or {})})

    def sent(self, message: Mapping[str, Any]) -> None:
        """Write a message of the server."""
        number = f" #{json.dumps(message['id'])}" if "id" in message else ""
        if "method" not in message:
            kind = "error" if "error" in message else "result"
            self._line("<--", kind + number, message[kind])
            return
        method, params = message["method"], message["params"]
        update = params.get("update")
        if isinstance(update, dict):
            rest = {key: value for key, value in update.items() if key != "sessionUpdate"}
            self._line("<--", f"{update.get('sessionUpdate')} {params.get('sessionId')}", rest)
        else:
            self._line("<--", method + number, params)

    def _line(self, arrow: str, kind: str, content: object) -> None:
        now = self._clock()
        stamp = f"{time.strftime('%H:%M:%S', time.localtime(now))}.{int(now * 1000) % 1000:03}"
        text = json.dumps(self._redactor.value(content), ensure_ascii=False)
        if len(text) > _WIDTH:
            text = f"{text[: _WIDTH - 1]}…"
        try:
            self._stream.write(f"{stamp} {arrow} {kind} {text}\n")
            self._stream.flush()
        except (OSError, ValueError):
            pass  # a trace that cannot be written must not end the connection
