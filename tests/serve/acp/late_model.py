"""A model on loopback whose answers a test decides after it has seen the request.

It speaks the chat completions of OpenAI. Each request carries the id of its session in the system prompt
(`session=<id>`), so that the calls of several sessions do not mix.
"""

import collections
import http.server
import itertools
import json
import re
import threading
import time
import typing

if typing.TYPE_CHECKING:
    from collections.abc import Callable

WAIT = 60.0
Body = dict[str, typing.Any]


class Call:
    """One request to the model, and what it is answered."""

    def __init__(self, body: Body, serial: int) -> None:
        self.body = body
        self.serial = serial
        self.gone = threading.Event()
        self._deltas: collections.deque[Body] = collections.deque()
        self._changed = threading.Condition()
        self._ended: str | None = None

    @property
    def messages(self) -> list[Body]:
        """Return the messages of the request."""
        return typing.cast("list[Body]", self.body["messages"])

    @property
    def roles(self) -> list[str]:
        """Return the role of each message."""
        return [message["role"] for message in self.messages]

    @property
    def users(self) -> list[str]:
        """Return the text of each user message."""
        return [_text(message) for message in self.messages if message["role"] == "user"]

    @property
    def system(self) -> str:
        """Return the system prompt."""
        return "\n".join(_text(message) for message in self.messages if message["role"] == "system")

    @property
    def reminders(self) -> list[str]:
        """Return the bodies of the rendered reminders, each of one line."""
        return re.findall(r"^System reminder:\n(.*)$", self.system, re.MULTILINE)

    @property
    def seen(self) -> str:
        """Return everything that the model saw."""
        return "\n".join(_text(message) for message in self.messages)

    def begin(self, text: str) -> None:
        """Send a piece of text and go on waiting."""
        with self._changed:
            self._deltas.append({"content": text})
            self._changed.notify_all()

    def finish(self, text: str = "") -> None:
        """Send the last piece of text and end the answer."""
        if text:
            self.begin(text)
        self._end("stop")

    answer = finish

    def use(self, *names: str, text: str = "", **arguments: object) -> None:
        """End the answer with calls of tools."""
        if text:
            self.begin(text)
        calls = [
            {
                "index": index,
                "id": f"call_{self.serial}_{index}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for index, name in enumerate(names)
        ]
        with self._changed:
            self._deltas.append({"tool_calls": calls})
        self._end("tool_calls")

    def _end(self, reason: str) -> None:
        with self._changed:
            self._ended = reason
            self._changed.notify_all()

    @property
    def is_answered(self) -> bool:
        """Return whether the answer has been decided."""
        return self._ended is not None

    def deltas(self, seconds: float) -> typing.Iterator[Body | None]:
        """Yield the deltas as they are decided, and None each time nothing was decided for a moment."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with self._changed:
                if not self._deltas and self._ended is None:
                    self._changed.wait(0.1)
                delta = self._deltas.popleft() if self._deltas else None
                is_over = self._ended is not None and delta is None
            if is_over:
                return
            yield delta

    @property
    def reason(self) -> str:
        """Return why the answer ended."""
        return self._ended or "stop"


def _text(message: Body) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content or "")


class LateModel:
    """The running model. `decide`, if set, answers each call at once, on the thread of its request."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.decide: Callable[[Call], None] | None = None
        self._waiting: dict[str, collections.deque[Call]] = collections.defaultdict(collections.deque)
        self._changed = threading.Condition()
        self._serials = itertools.count()
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                model._serve(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.environment = {
            "OPENAI_API_KEY": "test-key-of-the-late-model",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{self._server.server_port}/v1",
            "HARNLITE_LLM_PROVIDER": "openai",
            "HARNLITE_LLM_MODEL": "gpt-4o",
        }

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()

    def call(self, session: str, timeout: float = WAIT) -> Call:
        """Wait for the next call of a session."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._waiting[session], timeout):
                raise AssertionError("the model was not called")
            return self._waiting[session].popleft()

    def waiting(self, session: str) -> Call | None:
        """Return the next call of a session if there is one."""
        with self._changed:
            return self._waiting[session].popleft() if self._waiting[session] else None

    def _serve(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        call = Call(body, next(self._serials))
        found = re.search(r"session=(\S+)", call.system)
        self.calls.append(call)
        if self.decide is not None:
            self.decide(call)
        else:
            with self._changed:
                self._waiting[found.group(1) if found else ""].append(call)
                self._changed.notify_all()
        try:
            self._stream(handler, call)
        except OSError:
            call.gone.set()
            handler.close_connection = True

    @staticmethod
    def _stream(handler: http.server.BaseHTTPRequestHandler, call: Call) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("connection", "close")
        handler.end_headers()
        handler.close_connection = True
        base = {"id": f"chatcmpl-{call.serial}", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o"}

        def send(text: str) -> None:
            handler.wfile.write(text.encode())
            handler.wfile.flush()

        def chunk(delta: Body, reason: str | None = None) -> str:
            choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
            return f"data: {json.dumps({**base, 'choices': choices})}\n\n"

        send(chunk({"role": "assistant", "content": ""}))
        for delta in call.deltas(120):
            send(": waiting\n\n" if delta is None else chunk(delta))
        send(chunk({}, call.reason))
        usage = {"prompt_tokens": 25, "completion_tokens": 12, "total_tokens": 37}
        send(f"data: {json.dumps({**base, 'choices': [], 'usage': usage})}\n\ndata: [DONE]\n\n")
