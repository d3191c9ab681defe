"""The server of one connection: it reads lines, starts the handlers in order, and ends all turns at the end."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from harnlite.known_keys import environment_keys
from harnlite.serve.acp.call import LATER, Call
from harnlite.serve.acp.client_options import ClientOptions
from harnlite.serve.acp.errors import RpcError, internal
from harnlite.serve.acp.lifecycle import initialize
from harnlite.serve.acp.method import Method
from harnlite.serve.acp.peer import Peer
from harnlite.serve.acp.transport import DEFAULT_LIMIT, TooLong, Writer, read_lines
from harnlite.serve.acp.wire_trace import WireTrace
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
    from collections.abc import Callable
    from typing import TextIO

    from harnlite.serve.acp.events import Events
    from harnlite.serve.acp.lanes import Lanes
    from harnlite.serve.acp.service import Service
    from harnlite.serve.acp.session_states import SessionStates
    from harnlite.serve.acp.transport import Line
    from harnlite.serve.conversation_values import ServerSettings
    from harnlite.serve.conversations import Conversations
    from harnlite.serve.json_rpc import Id, Message
    from harnlite.store.conversation_store import ConversationStore

PATIENCE_SECONDS = 0.3
"""How long the server waits for `initialize` before it loads the part that serves sessions."""
_SIGNAL_SECONDS = 0.1
"""The longest delay of a signal that does not end the wait of the main thread."""
GRACE_SECONDS = 5.0
"""How long tools may clean up at the end of a connection, and how long a client may take to read the last lines."""


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """What does not concern the conversations: limits, and what is written to standard error."""

    max_message_bytes: int = DEFAULT_LIMIT
    stderr: TextIO | None = None
    trace: TextIO | None = None
    debug: bool = False


class AcpServer:
    """Serves one client over two file descriptors.

    `settings` is called when the part that serves sessions is loaded: after the answer to `initialize`, since editors
    wait for that one.
    """

    def __init__(
        self,
        settings: Callable[[], ServerSettings],
        store: ConversationStore,
        incoming: int,
        outgoing: int,
        connection: ConnectionSettings | None = None,
    ) -> None:
        self._connection = connection or ConnectionSettings()
        self._incoming = incoming
        self._settings = settings
        self._store = store
        self._ended: SimpleQueue[None] = SimpleQueue()  # unlike an event, safe in signal handlers
        self._is_stopping = False
        self._redactor = Redactor(environment_keys())
        trace = self._connection.trace
        self._trace = WireTrace(trace, self._redactor) if trace is not None else None
        self._writer = Writer(outgoing, self.stop)
        self._peer = Peer(self._writer, self._redactor, self._trace)
        self._lock = threading.Lock()
        self._calls: dict[tuple[type, Id], Call] = {}
        self._options = ClientOptions()
        self._service: Service | None = None
        self._loading = threading.Lock()
        self._may_load = threading.Event()
        self.is_initialized = False

    # Sessions

    def use(self, options: ClientOptions) -> None:
        """Use the options of a client from now on."""
        with self._loading:
            self._options = options
            if self._service is not None:
                self._service.events.options = options

    def _loaded(self) -> Service:
        if self._service is None:
            with self._loading:
                if self._service is None:
                    from harnlite.serve.acp.service import Service

                    self._service = Service(self._settings(), self._store, self._peer, self._options, self._redactor)
        return self._service

    def _is_loaded(self) -> bool:
        """Load what serves sessions; return whether that was possible. If not, `run` raises the error."""
        try:
            self._loaded()
        except Exception:  # noqa: BLE001 - the other thread reports it
            self._may_load.set()
            return False
        return True

    @property
    def conversations(self) -> Conversations:
        """Return the sessions and their turns."""
        return self._loaded().conversations

    @property
    def events(self) -> Events:
        """Return what sends the updates of sessions."""
        return self._loaded().events

    @property
    def states(self) -> SessionStates:
        """Return the sessions as the client sees them."""
        return self._loaded().states

    @property
    def lanes(self) -> Lanes:
        """Return the work that runs beside the reader."""
        return self._loaded().lanes

    # The connection

    def run(self) -> None:
        """Serve the client until the end of the input, `stop`, or the loss of the client; then end all turns."""
        threading.Thread(target=self._read, name="harnlite-acp-reader", daemon=True).start()
        self._may_load.wait(PATIENCE_SECONDS)
        self._writer.wait(PATIENCE_SECONDS)
        try:
            self._loaded()
        except BaseException:
            self._is_stopping = True
            self._writer.close(GRACE_SECONDS)
            raise
        self._wait_for_end()
        self._is_stopping = True
        self.lanes.join(GRACE_SECONDS)
        self.conversations.shutdown(GRACE_SECONDS)
        self._writer.close(GRACE_SECONDS)

    def _wait_for_end(self) -> None:
        while True:
            try:
                # Python calls handlers of signals between two waits, even if a signal has not ended the first.
                self._ended.get(timeout=_SIGNAL_SECONDS)
            except Empty:
                continue
            return

    def stop(self) -> None:
        """End the connection; `run` returns when all turns have ended."""
        self._ended.put(None)

    def _read(self) -> None:
        try:
            for line in read_lines(self._incoming, self._connection.max_message_bytes):
                if self._is_stopping:
                    return
                self._serve(line)
                if self.is_initialized:
                    self._may_load.set()
        finally:
            self._may_load.set()
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
                found = _method(method)
                call = self._call(found.name if found else method, params, request_id, is_request=True)
                self._start(found, call, method)
            case Notification(method, params):
                found = _method(method)
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
        if method.name == _INITIALIZE.name:
            self._carry_out(method, call)
            return
        if not self._is_loaded():
            return
        session_id = _session_id(call.params)
        if session_id is not None and method.name not in _IMMEDIATE:
            if method.is_slow:
                self.lanes.run(session_id, lambda: self._carry_out(method, call))
                return
            if self.lanes.defer(session_id, lambda: self._carry_out(method, call)):
                return
        self._carry_out(method, call)

    def _carry_out(self, method: Method, call: Call) -> None:
        try:
            result = method.handler(self, call)
        except Exception as error:  # noqa: BLE001 - a bug must not end the connection
            known = error if isinstance(error, RpcError) else _refusal_of(error)
            if known is None and (self._connection.debug or not isinstance(error, OSError)):
                self.complain(self._account(error))
            call.refuse(known or internal(error))
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
            stream = self._connection.stderr or sys.stderr
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


def _method(name: str) -> Method | None:
    """Return the method with this name. `initialize` is found without loading those that serve sessions."""
    if name == _INITIALIZE.name:
        return _INITIALIZE
    from harnlite.serve.acp.methods import METHODS

    return METHODS.get(name)


def _session_id(params: dict[str, Any]) -> str | None:
    """Return the session that params name, with either spelling."""
    found = params.get("sessionId", params.get("session_id"))
    return found if isinstance(found, str) else None


def _refusal_of(error: Exception) -> RpcError | None:
    from harnlite.serve.acp.refusals import error_of

    return error_of(error)


_INITIALIZE = Method("initialize", initialize)
_IMMEDIATE = frozenset({"session/cancel"})
"""The methods that do not wait for the lane of a session."""
