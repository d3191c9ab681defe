"""A client of `harnlite acp` over raw JSON lines: it knows no protocol beyond the framing of JSON-RPC.

Everything that arrives is kept in order; `line.index` is the place of a line among all lines received.

    with AcpClient(script, store=path) as client:
        client.initialize()
        session = client.new_session(folder)
        prompt = client.send_request("session/prompt", {...})   # an id, does not wait
        client.wait_for(is_update("agent_message_chunk", session))
        answer = client.answer(prompt)                          # the whole reply line
"""

import contextlib
import dataclasses
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence

Message = dict[str, typing.Any]
WAIT = 60.0
"""Seconds after which a wait fails; it guards against hanging and does not measure speed."""
PYTHON = (sys.executable, "-m", "harnlite")
REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """One line of stdout: its raw bytes without the newline, its JSON, and its place."""

    index: int
    raw: bytes
    message: Message
    at: float

    def __getitem__(self, key: str) -> typing.Any:
        return self.message[key]

    @property
    def update(self) -> Message:
        """Return the update of a session/update, or an empty dict."""
        return typing.cast("Message", self.message.get("params", {}).get("update", {}))


Match = Callable[[Line], bool]


class ProtocolError(AssertionError):
    """The server sent something that is not one JSON object per line."""


def with_bytecode(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which Python keeps compiled modules, without which each server starts a second later."""
    found = dict(environment)
    if found.pop("PYTHONDONTWRITEBYTECODE", None):
        found["PYTHONPYCACHEPREFIX"] = os.path.join(tempfile.gettempdir(), "harnlite-tests-bytecode")
    return found


class AcpClient:
    """One server process. All methods may be called from several threads."""

    def __init__(
        self,
        script: str | None = None,
        *,
        store: str = ":memory:",
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
        reading: bool = True,
        python: Sequence[str] = PYTHON,
    ) -> None:
        command = [*python, "acp", *([script] if script else []), "--store", store, *arguments]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**with_bytecode(os.environ if environment is None else environment), "PYTHONPATH": REPOSITORY},
        )
        self.lines: list[Line] = []
        self.garbage: list[bytes] = []
        self.errors = bytearray()
        self.permission: Callable[[Message], Message | None] = lambda _: None
        self._changed = threading.Condition()
        self._ids = itertools.count(1)
        self._writing = threading.Lock()
        self._ended = False
        self.is_killed = False
        self._may_read = threading.Event()
        if reading:
            self._may_read.set()
        self._threads = [
            threading.Thread(target=self._read_output, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    # --- receiving

    def _read_output(self) -> None:
        stream = typing.cast("typing.BinaryIO", self.process.stdout)
        self._may_read.wait()
        with contextlib.suppress(ValueError):  # the test has closed the stream
            for raw in stream:
                self._may_read.wait()
                self._received(raw)
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _received(self, raw: bytes) -> None:
        try:
            message = json.loads(raw.decode("utf-8"))
            is_line = isinstance(message, dict) and raw.endswith(b"\n")
        except ValueError:
            is_line = False
        with self._changed:
            if self.is_killed and not raw.endswith(b"\n"):
                return  # a server that is killed may be writing more than the pipe takes
            if is_line:
                self.lines.append(Line(len(self.lines), raw[:-1], message, time.monotonic()))
            else:
                self.garbage.append(raw)
            self._changed.notify_all()
        if is_line and message.get("method") == "session/request_permission":
            result = self.permission(message)
            if result is not None:
                self.send({"jsonrpc": "2.0", "id": message["id"], **result})

    def _read_errors(self) -> None:
        stream = typing.cast("typing.BinaryIO", self.process.stderr)
        with contextlib.suppress(ValueError):  # the test has closed the stream, which a tool still writes to
            while block := os.read(stream.fileno(), 65536):
                self.errors += block

    def stop_reading(self) -> None:
        """Stop reading stdout, as an editor that hangs; takes effect after at most one more line."""
        self._may_read.clear()

    def go_on_reading(self) -> None:
        """Read stdout again."""
        self._may_read.set()

    @property
    def stderr(self) -> str:
        """Return what the server has written to stderr so far."""
        return self.errors.decode("utf-8", "replace")

    def wait_for_stderr(self, text: str, timeout: float = WAIT, *, start: int = 0) -> str:
        """Wait until the text occurs in stderr, after the first `start` characters."""
        end = time.monotonic() + timeout
        while text not in self.stderr[start:]:
            assert time.monotonic() < end, f"no {text!r} in stderr:\n{self.stderr}"
            time.sleep(0.01)
        return self.stderr

    def wait_for(self, match: Match, timeout: float = WAIT, *, after: int = -1) -> Line:
        """Return the first line with a larger index than `after` that matches."""
        found = self.find(match, timeout, after=after)
        if found is None:
            raise AssertionError(
                f"no such line; received after {after}:\n{self.received(after)}\nstderr:\n{self.stderr}"
            )
        return found

    def find(self, match: Match, timeout: float = WAIT, *, after: int = -1) -> Line | None:
        """Return the first line after `after` that matches, or None if none arrives in time."""
        end = time.monotonic() + timeout
        at = after + 1
        with self._changed:
            while True:
                while at < len(self.lines):
                    if match(self.lines[at]):
                        return self.lines[at]
                    at += 1
                if self.garbage:
                    raise ProtocolError(f"not a JSON object on a line: {self.garbage[0][:500]!r}")
                left = end - time.monotonic()
                if self._ended or left <= 0:
                    return None
                self._changed.wait(left)

    def received(self, after: int = -1) -> str:
        """Return the lines after an index as text, for reports."""
        return "\n".join(line.raw.decode()[:300] for line in self.lines[after + 1 :][-30:])

    def matching(self, match: Match, after: int = -1) -> list[Line]:
        """Return all lines received so far that match."""
        return [line for line in self.lines[after + 1 :] if match(line)]

    def updates(self, session: str, kind: str | None = None, after: int = -1) -> list[Message]:
        """Return the updates of a session received so far, all or of one kind."""
        return [line.update for line in self.matching(is_update(kind, session), after)]

    # --- sending

    def send_bytes(self, data: bytes) -> None:
        """Write bytes as they are."""
        stream = typing.cast("typing.BinaryIO", self.process.stdin)
        with self._writing:
            stream.write(data)
            stream.flush()

    def send(self, *messages: object) -> None:
        """Write each value as one line of JSON, all in one piece. A text is written as it is, with a newline."""
        texts = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in messages]
        self.send_bytes("".join(text + "\n" for text in texts).encode())

    def send_request(self, method: str, params: object = None, *, id: object = None) -> typing.Any:  # noqa: A002
        """Send a request without waiting; return its id."""
        id = id if id is not None else next(self._ids)  # noqa: A001
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return id

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method}
        self.send(message if params is None else {**message, "params": params})

    def answer(self, id: object, timeout: float = WAIT, *, after: int = -1) -> Line:  # noqa: A002
        """Wait for the reply to a request."""
        return self.wait_for(is_answer(id), timeout, after=after)

    def request(self, method: str, params: object = None, timeout: float = WAIT) -> typing.Any:
        """Send a request and return its result; an error is a failure of the test."""
        line = self.call(method, params, timeout)
        assert "result" in line.message, f"{method}: {line.message}"
        return line["result"]

    def call(self, method: str, params: object = None, timeout: float = WAIT) -> Line:
        """Send a request and return the line that answers it."""
        after = len(self.lines) - 1
        return self.answer(self.send_request(method, params), timeout, after=after)

    def error(self, method: str, params: object = None, timeout: float = WAIT) -> Message:
        """Send a request and return its error; a result is a failure of the test."""
        line = self.call(method, params, timeout)
        assert "error" in line.message, f"{method}: {line.message}"
        return typing.cast("Message", line["error"])

    def ask(self, text: str | bytes, id: object = None, timeout: float = WAIT) -> Line:  # noqa: A002
        """Send a raw line and return the first reply with the id that arrives after it."""
        after = len(self.lines) - 1
        self.send_bytes((text.encode() if isinstance(text, str) else text) + b"\n")
        return self.answer(id, timeout, after=after)

    def sync(self) -> int:
        """Wait until the server has read everything sent so far; return the index of the last line."""
        line = self.call("session/sync_of_the_tests", {})
        assert line["error"]["code"] in {-32601, -32600}
        return line.index

    # --- frequent sequences

    def initialize(self, harn: Mapping[str, object] | None = None, **capabilities: object) -> Message:
        """Send `initialize`; `harn` are the switches in clientCapabilities._meta.harn."""
        if harn is not None:
            capabilities["_meta"] = {"harn": dict(harn)}
        params = {"protocolVersion": 1, "clientCapabilities": capabilities}
        return typing.cast("Message", self.request("initialize", params))

    def new_session(self, folder: str | os.PathLike[str], **params: object) -> str:
        """Open a new session."""
        params = {"cwd": os.fspath(folder), "mcpServers": [], **params}
        return typing.cast("str", self.request("session/new", params)["sessionId"])

    def start_prompt(self, session: str, *texts: str) -> typing.Any:
        """Send a prompt without waiting; return the id of the request."""
        return self.send_request("session/prompt", prompt_params(session, *texts))

    def prompt(self, session: str, *texts: str, timeout: float = WAIT) -> Message:
        """Send a prompt and return its result."""
        return typing.cast("Message", self.request("session/prompt", prompt_params(session, *texts), timeout))

    # --- the end

    def close_input(self) -> None:
        """Close stdin."""
        with contextlib.suppress(BrokenPipeError):
            typing.cast("typing.BinaryIO", self.process.stdin).close()

    def close_output(self) -> None:
        """Close the client's end of stdout, as an editor that died; only without `reading`."""
        assert not self._may_read.is_set()
        typing.cast("typing.BinaryIO", self.process.stdout).close()
        self.process.stdout = None

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send a signal, by default the one that cannot be handled."""
        self.is_killed = self.is_killed or number == signal.SIGKILL
        self.process.send_signal(number)

    def wait(self, timeout: float = WAIT) -> int:
        """Wait for the exit of the process and the end of its output; return its exit code."""
        code = self.process.wait(timeout)
        output, errors = self._threads
        if self._may_read.is_set():
            output.join(WAIT)
        errors.join(5)  # a tool that goes on keeps stderr open
        return code

    def finish(self, timeout: float = WAIT) -> int:
        """Close stdin, wait for the exit, and check that stdout was clean."""
        self.close_input()
        code = self.wait(timeout)
        assert not self.garbage, self.garbage[:3]
        return code

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()
        self._may_read.set()
        self.process.wait(WAIT)
        for thread in self._threads:
            thread.join(5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def is_answer(id: object) -> Match:  # noqa: A002
    """Match the reply to a request; `1` and `"1"` and `true` differ."""

    def match(line: Line) -> bool:
        message = line.message
        found = message.get("id", _NONE)
        return "method" not in message and type(found) is type(id) and found == id

    return match


def is_update(kind: str | Iterable[str] | None = None, session: str | None = None, **fields: object) -> Match:
    """Match a session/update of a kind (or several), of a session, with these fields in the update."""
    kinds = None if kind is None else {kind} if isinstance(kind, str) else set(kind)

    def match(line: Line) -> bool:
        if line.message.get("method") != "session/update":
            return False
        update = line.update
        return (
            (kinds is None or update.get("sessionUpdate") in kinds)
            and (session is None or line["params"]["sessionId"] == session)
            and all(update.get(name, _NONE) == value for name, value in fields.items())
        )

    return match


def is_request(method: str) -> Match:
    """Match a request or notification of the server."""
    return lambda line: line.message.get("method") == method


def text_block(text: str) -> Message:
    """Return a content block."""
    return {"type": "text", "text": text}


def prompt_params(session: str, *texts: str) -> Message:
    """Return the params of a prompt with one text block for each text."""
    return {"sessionId": session, "prompt": [text_block(text) for text in texts]}


_NONE = object()
