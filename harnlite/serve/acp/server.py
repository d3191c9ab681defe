"""The server of one connection: it reads lines, starts the handlers in order, and ends all turns at the end."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from harnlite.known_keys import environment_keys
from harnlite.reminders.inbox import ReusedId
from harnlite.serve.acp.call import LATER, Call
from harnlite.serve.acp.client_options import ClientOptions
from harnlite.serve.acp.errors import RpcError, internal, refusal
from harnlite.serve.acp.events import Events
from harnlite.serve.acp.lanes import Lanes
from harnlite.serve.acp.methods import METHODS, Method
from harnlite.serve.acp.peer import Peer
from harnlite.serve.acp.permissions import PermissionBridge
from harnlite.serve.acp.session_states import SessionStates
from harnlite.serve.acp.transport import DEFAULT_LIMIT, TooLong, Writer, read_lines
from harnlite.serve.acp.wire_trace import WireTrace
from harnlite.serve.conversation_values import RequestRefused
from harnlite.serve.conversations import Conversations
from harnlite.serve.json_rpc import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Fault,
    Notification,
    Reply,
    Request,
    one_line,
    read_message,
)
from harnlite.store.redaction import Redactor

if TYPE_CHECKING:
    from typing import TextIO

    from harnlite.serve.acp.transport import Line
    from harnlite.serve.conversation_values import ServerSettings
    from harnlite.serve.json_rpc import Id, Message
    from harnlite.store.conversation_store import ConversationStore

PROTOCOL = "acp"
GRACE_SECONDS = 5.0
"""How long tools may clean up at the end of a connection, and how long a client may take to read the last lines."""


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """What does not concern the conversations: limits, and what is written to standard error."""

    max_message_bytes: int = DEFAULT_LIMIT
    trace: TextIO | None = None
    debug: bool = False


class AcpServer:
    """Serves one client over two file descriptors."""

    def __init__(
        self,
        settings: ServerSettings,
        store: ConversationStore,
        incoming: int,
        outgoing: int,
        connection: ConnectionSettings | None = None,
    ) -> None:
        self._connection = connection or ConnectionSettings()
        self._incoming = incoming
        self._stderr = settings.stderr
        self._ended: SimpleQueue[None] = SimpleQueue()  # unlike an event, safe in signal handlers
        self._is_stopping = False
        self._redactor = Redactor(environment_keys())
        trace = self._connection.trace
        self._trace = WireTrace(trace, self._redactor) if trace is not None else None
        self._writer = Writer(outgoing, self.stop)
        self._peer = Peer(self._writer, self._redactor, self._trace)
        self._lock = threading.Lock()
        self._calls: dict[tuple[type, Id], Call] = {}
        self.lanes = Lanes()
        self.states = SessionStates()
        self.is_initialized = False
        bridge = PermissionBridge(self._peer, self.states, self._redactor)
        self.events = bridge.events = Events(self._peer, self.states, ClientOptions(), self._redactor)
        self.conversations = Conversations(settings, store, self.events, protocol=PROTOCOL, bridge=bridge)

    # The connection

    def run(self) -> None:
        """Serve the client until the end of the input, `stop`, or the loss of the client; then end all turns."""
        threading.Thread(target=self._read, name="harnlite-acp-reader", daemon=True).start()
        self._ended.get()
        self._is_stopping = True
        self.lanes.join(GRACE_SECONDS)
        self.conversations.shutdown(GRACE_SECONDS)
        self._writer.close(GRACE_SECONDS)

    def stop(self) -> None:
        """End the connection; `run` returns when all turns have ended."""
        self._ended.put(None)

    def _read(self) -> None:
        try:
            for line in read_lines(self._incoming, self._connection.max_message_bytes):
                if self._is_stopping:
                    return
                self._serve(line)
        finally:
            self.stop()

    def _serve(self, line: Line | TooLong) -> None:
        if isinstance(line, TooLong):
            data = {"reason": "message_too_large", "limit": self._connection.max_message_bytes}
            self._peer.refuse(None, RpcError(INVALID_REQUEST, data))
            return
        message = read_message(line.data)
        if message is None or (line.is_cut and message == Fault(None, PARSE_ERROR)):
            return
        if self._trace is not None:
            self._trace.received(message)
        self._take(message)

    def _take(self, message: Message) -> None:
        match message:
            case Fault(request_id, code, data):
                self._peer.refuse(request_id, RpcError(code, dict(data) if data else None))
            case Reply() as reply:
                if not self._peer.take(reply):
                    self._debug(f"a reply to no request: id {reply.id!r}")
            case Request(request_id, method, params):
                found = METHODS.get(method)
                call = self._call(found.name if found else method, params, request_id, is_request=True)
                self._start(found, call, method)
            case Notification(method, params):
                found = METHODS.get(method)
                if found is None or not found.is_notification or not self.is_initialized:
                    self._debug(f"the notification {method} is ignored")
                    return
                self._start(found, self._call(found.name, params, None, is_request=False), method)

    # Calls

    def _call(self, method: str, params: dict[str, Any], request_id: Id, *, is_request: bool) -> Call:
        call = Call(self._peer, method, params, request_id, is_request=is_request, complain=self.complain)
        if is_request:
            key = (type(request_id), request_id)
            with self._lock:
                self._calls[key] = call
            call.on_answer = lambda: self._forget(key, call)
        return call

    def _forget(self, key: tuple[type, Id], call: Call) -> None:
        with self._lock:
            if self._calls.get(key) is call:
                del self._calls[key]

    def open_call(self, request_id: object) -> Call | None:
        """Return the request with this id that has not been answered."""
        if not isinstance(request_id, (str, int)) and request_id is not None:
            return None
        with self._lock:
            return self._calls.get((type(request_id), request_id))

    def _start(self, method: Method | None, call: Call, written: str) -> None:
        """Start a handler: at once, or in the lane of its session."""
        if not self.is_initialized and (method is None or method.name != "initialize"):
            call.refuse(RpcError(INVALID_REQUEST, {"reason": "not_initialized"}))
            return
        if method is None:
            call.refuse(RpcError(METHOD_NOT_FOUND, {"method": written}))
            return
        session_id = call.params.get("sessionId")
        if isinstance(session_id, str) and method.name not in _IMMEDIATE:
            if method.is_slow:
                self.lanes.run(session_id, lambda: self._carry_out(method, call))
                return
            if self.lanes.defer(session_id, lambda: self._carry_out(method, call)):
                return
        self._carry_out(method, call)

    def _carry_out(self, method: Method, call: Call) -> None:
        try:
            result = method.handler(self, call)
        except RpcError as error:
            call.refuse(error)
        except (RequestRefused, ReusedId) as error:
            call.refuse(refusal(error))
        except Exception as error:  # noqa: BLE001 - a bug must not end the connection
            if self._connection.debug or not isinstance(error, OSError):
                self.complain(self._account(error))
            call.refuse(internal(error))
        else:
            if result is not LATER:
                call.answer(result)

    def redacted(self, value: object) -> Any:  # noqa: ANN401 - any JSON value
        """Return a JSON value without the secrets in it."""
        return self._redactor.value(value)

    # What people read

    def complain(self, text: str) -> None:
        """Write a line about a mistake of the client, or a fault of ours, to standard error."""
        try:
            stream = self._stderr or sys.stderr
            stream.write(f"harnlite acp: {self._redactor.text(text.rstrip())}\n")
            stream.flush()
        except (OSError, ValueError):
            pass  # nobody reads standard error

    def _debug(self, text: str) -> None:
        if self._connection.debug:
            self.complain(text)

    def _account(self, error: BaseException) -> str:
        if self._connection.debug:
            import traceback

            return "".join(traceback.format_exception(error))
        return f"internal error: {type(error).__name__}: {one_line(str(error))}; use --debug for details"


_IMMEDIATE = frozenset({"session/cancel", "initialize"})
"""The methods that do not wait for the lane of a session."""
