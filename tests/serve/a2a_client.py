"""A client of `harnlite a2a` over plain sockets, and the process that it talks to."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import typing
import uuid
from pathlib import Path

if typing.TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
"""Seconds after which a wait fails; it guards against hanging and does not measure speed."""
URI = "urn:harnlite:reminders:v1"
TOKEN = "tok-3f9a1c7be2d84650"
"""The token of the server that needs one."""
CARD = "/.well-known/agent-card.json"
Json = typing.Any
STATES_10 = "TASK_STATE_"
TERMINAL = {"completed", "failed", "canceled", "rejected"}
INTERRUPTED = {"input-required", "auth-required"}


class Answer(typing.NamedTuple):
    """One HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        """Return the body as JSON."""
        return json.loads(self.body)

    @property
    def error(self) -> Json:
        """Return the JSON-RPC error, which must be there."""
        assert "error" in self.json, self.json
        return self.json["error"]

    @property
    def result(self) -> Json:
        """Return the JSON-RPC result, which must be there."""
        assert "result" in self.json, self.json
        return self.json["result"]


class Server:
    """A running `harnlite a2a`. Its address is read from stderr."""

    def __init__(
        self,
        script: str | Path | None,
        *options: str,
        cwd: str | Path,
        env: Mapping[str, str] | None = None,
        command: tuple[str, ...] = (),
    ) -> None:
        words = [] if script is None else [str(script)]
        if "--port" not in options:
            options = (*options, "--port", "0")
        self.started = time.monotonic()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HARNLITE_A2A")}
        self.process = subprocess.Popen(
            [*(command or (sys.executable, "-m", "harnlite")), "a2a", *words, *options],
            cwd=cwd,
            env={**kept, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: list[str] = []
        self.stdout = b""
        self._changed = threading.Condition()
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_errors, self._read_output)]
        for reader in self._readers:
            reader.start()
        self.port = 0
        self.host = "127.0.0.1"

    def _read_errors(self) -> None:
        with contextlib.suppress(ValueError):  # the test has closed the stream, which a tool still writes to
            for line in self.process.stderr or ():
                with self._changed:
                    self._lines.append(line.decode("utf-8", "replace"))
                    self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def _read_output(self) -> None:
        with contextlib.suppress(ValueError):
            for line in self.process.stdout or ():
                self.stdout += line

    @property
    def stderr(self) -> str:
        """Return everything written to stderr until now."""
        with self._changed:
            return "".join(self._lines)

    def wait_for_line(self, pattern: str, timeout: float = PATIENCE) -> re.Match[str]:
        """Wait for text on stderr that matches the pattern."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                found = re.search(pattern, "".join(self._lines))
                if found:
                    return found
                left = deadline - time.monotonic()
                text = "".join(self._lines)
                assert self.process.poll() is None, f"it ended: {text}"
                assert left > 0, f"{pattern!r} not in stderr:\n{text}"
                self._changed.wait(min(left, 0.2))

    def wait_until_it_listens(self) -> Server:
        """Wait for the address on stderr."""
        found = self.wait_for_line(r"http://(\[[^\]\s]+\]|[^\s:/]+):(\d+)")
        self.host, self.port = found[1], int(found[2])
        return self

    @property
    def url(self) -> str:
        """Return the address of the endpoint."""
        return f"http://{self.host}:{self.port}/"

    def client(self, **headers: str) -> Client:
        """Return a client with some headers of its own."""
        return Client(self.port, headers=headers)

    def kill(self) -> None:
        """End the process with SIGKILL."""
        self.process.kill()
        self.wait()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait for the process to end, and return its status."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait for the process to end and return its status."""
        status = self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(5)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        self.process.stderr.close()
        return status


@contextlib.contextmanager
def a2a_server(
    script: str | Path | None, *options: str, cwd: str | Path, env: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Run a server until the end of the block. A script with a line break is written to a file in `cwd`."""
    if isinstance(script, str) and "\n" in script:
        path = Path(tempfile.mkdtemp(dir=cwd)) / "agent.harn"
        path.write_text(script, "utf-8")
        script = path
    server = Server(script, *options, cwd=cwd, env=env)
    try:
        yield server.wait_until_it_listens()
    finally:
        if server.process.poll() is None:
            server.kill()
        elif server.process.stderr is not None and not server.process.stderr.closed:
            server.wait()


def message(text: str | None = None, *, parts: list[Json] | None = None, **fields: Json) -> Json:
    """Return a 1.0 message of a user."""
    return {
        "messageId": str(uuid.uuid4()),
        "role": "ROLE_USER",
        "parts": parts if parts is not None else [{"text": text}],
        **fields,
    }


class Client:
    """Sends requests, each on a connection of its own, so that it may be used by many threads."""

    def __init__(self, port: int, *, headers: Mapping[str, str] | None = None, host: str = "127.0.0.1") -> None:
        self.port = port
        self.host = host
        self.headers = dict(headers or {})
        self.streams: list[Stream] = []

    def close_streams(self) -> None:
        """Close every stream of this client."""
        for stream in self.streams:
            stream.close()

    def http(
        self, verb: str, path: str = "/", body: bytes | None = None, headers: Mapping[str, str | None] | None = None
    ) -> Answer:
        """Send one request and return its answer. A header with the value None is not sent."""
        sent: dict[str, str | None] = {**self.headers, **(headers or {})}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            connection.request(
                verb, path, body=body, headers={name: value for name, value in sent.items() if value is not None}
            )
            answer = connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        """Send a GET request."""
        return self.http("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, body: Json, headers: Mapping[str, str | None] | None = None, path: str = "/") -> Answer:
        """Post bytes as they are, or anything else as JSON."""
        data = (
            body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        )
        return self.http("POST", path, data, {"Content-Type": "application/json", **(headers or {})})

    def call(
        self,
        method: str,
        params: Json = None,
        *,
        id: Json = "c1",  # noqa: A002
        headers: Mapping[str, str] | None = None,
    ) -> Json:
        """Call a method and return the JSON-RPC answer."""
        request = {"jsonrpc": "2.0", "id": id, "method": method}
        if params is not None:
            request["params"] = params
        answer = self.post(request, headers)
        assert answer.status == 200, answer
        assert answer.headers["content-type"].startswith("application/json"), answer
        reply = answer.json
        assert reply["jsonrpc"] == "2.0"
        assert reply["id"] == id
        assert set(reply) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}), reply
        return reply

    def result(self, method: str, params: Json = None, **options: typing.Any) -> Json:
        """Call a method that must succeed."""
        reply = self.call(method, params, **options)
        assert "result" in reply, reply
        return reply["result"]

    def error(self, method: str, params: Json = None, **options: typing.Any) -> Json:
        """Call a method that must fail."""
        reply = self.call(method, params, **options)
        assert "error" in reply, reply
        return reply["error"]

    def send(self, text: str, *, is_waited_for: bool = True, metadata: Json = None, **fields: Json) -> Json:
        """Send a 1.0 message and return the task."""
        params: Json = {"message": message(text, **fields)}
        if not is_waited_for:
            params["configuration"] = {"returnImmediately": True}
        if metadata is not None:
            params["metadata"] = metadata
        return self.result("SendMessage", params)["task"]

    def start(self, text: str, **fields: Json) -> Json:
        """Send a 1.0 message without waiting, wait until its task works, and return the task."""
        task = self.send(text, is_waited_for=False, **fields)
        return self.wait_for(task["id"], "working")

    def task(self, task_id: str, **params: Json) -> Json:
        """Return a task in the 1.0 shape."""
        return self.result("GetTask", {"id": task_id, **params})

    def wait_for(self, task_id: str, *states: str, timeout: float = PATIENCE) -> Json:
        """Poll until the task is in one of the states, or in any terminal state if none is given."""
        deadline = time.monotonic() + timeout
        while True:
            task = self.task(task_id)
            if state_of(task) in (states or TERMINAL):
                return task
            assert time.monotonic() < deadline, task
            assert state_of(task) not in TERMINAL, task
            time.sleep(0.01)

    def inject(self, task_id: str, body: str, *, method: str = "tasks/inject_reminder", **fields: Json) -> Json:
        """Inject a reminder that must be accepted."""
        return self.result(method, {"taskId": task_id, "reminder": {"body": body, **fields}})

    def stream(
        self,
        method: str,
        params: Json,
        *,
        id: Json = "s1",  # noqa: A002
        headers: Mapping[str, str] | None = None,
        is_paused: bool = False,
    ) -> Stream:
        """Call a method whose answer is a stream of events."""
        request = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        stream = Stream(self.host, self.port, request, {**self.headers, **(headers or {})}, is_paused=is_paused)
        self.streams.append(stream)
        return stream

    def stream_text(self, text: str, *, headers: Mapping[str, str] | None = None, **fields: Json) -> Stream:
        """Send a 1.0 message on a stream."""
        return self.stream("SendStreamingMessage", {"message": message(text, **fields)}, headers=headers)


class Event(typing.NamedTuple):
    """One event of a stream: its number, the time of its arrival, and its data."""

    number: int
    arrived: float
    data: Json

    @property
    def result(self) -> Json:
        """Return the result of the JSON-RPC answer, or None for a notification or error."""
        return self.data.get("result")

    @property
    def state(self) -> str | None:
        """Return the state that the event reports, in the spelling of 0.3, or None."""
        result = self.result or {}
        result = result.get("task") or result.get("statusUpdate") or result
        return state_of(result) if isinstance(result, dict) and "status" in result else None

    @property
    def reminder(self) -> Json:
        """Return `{event, reminder}` of a reminder event, or None."""
        result = self.result or {}
        update = result.get("statusUpdate") or (result if "final" in result else {})
        harn = (update.get("metadata") or {}).get("harn") or {}
        return harn if "event" in harn else None


class Stream:
    """Events of one answer, read by a thread of its own."""

    def __init__(
        self, host: str, port: int, request: Json, headers: Mapping[str, str], *, is_paused: bool = False
    ) -> None:
        body = json.dumps(request).encode()
        head = {"Content-Type": "application/json", "Accept": "text/event-stream", **headers}
        lines = [f"POST / HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {len(body)}\r\nConnection: close"]
        lines += [f"{name}: {value}" for name, value in head.items()]
        self.socket = socket.socket()
        if is_paused:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(PATIENCE)
        self.socket.connect((host, port))
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        self.request = request
        self._answer: http.client.HTTPResponse | None = None
        self.status = 0
        self.headers: dict[str, str] = {}
        self.events: list[Event] = []
        self.lines: list[str] = []
        self.body = b""
        self.is_ended = False
        self.failure: BaseException | None = None
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        if not is_paused:
            self._thread.start()

    def go_on(self) -> None:
        """Start to read a paused stream."""
        self._thread.start()

    def _read(self) -> None:
        try:
            answer = http.client.HTTPResponse(self.socket)
            self._answer = answer
            answer.begin()
            with self._changed:
                self.status = answer.status
                self.headers = {name.lower(): value for name, value in answer.getheaders()}
                self._changed.notify_all()
            if "text/event-stream" not in self.headers.get("content-type", ""):
                self.body = answer.read()
            else:
                self._read_events(answer)
        except (OSError, http.client.HTTPException, ValueError) as failure:
            self.failure = failure
        finally:
            with self._changed:
                self.is_ended = True
                self._changed.notify_all()

    def _read_events(self, answer: http.client.HTTPResponse) -> None:
        data: list[str] = []
        for line in iter(answer.readline, b""):
            text = line.decode("utf-8").rstrip("\r\n")
            with self._changed:
                self.lines.append(text)
                if text.startswith("data:"):
                    data.append(text.removeprefix("data:").removeprefix(" "))
                elif not text and data:
                    self.events.append(Event(len(self.events), time.monotonic(), json.loads("\n".join(data))))
                    data = []
                self._changed.notify_all()

    def wait(self, matches: Callable[[Event], object], *, after: int = 0, timeout: float = PATIENCE) -> Event:
        """Wait for an event that matches; `after` is the number of events to skip."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                for event in self.events[after:]:
                    if matches(event):
                        return event
                assert not self.is_ended, f"the stream ended: {self.describe()}"
                assert time.monotonic() < deadline, f"no such event: {self.describe()}"
                self._changed.wait(0.2)

    def wait_for(self, state: str) -> Event:
        """Wait for a state, in the spelling of 0.3."""
        return self.wait(lambda event: event.state == state)

    def all(self, timeout: float = PATIENCE) -> list[Event]:
        """Wait for the end of the stream and return its events."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while not self.is_ended:
                assert time.monotonic() < deadline, f"the stream does not end: {self.describe()}"
                self._changed.wait(0.2)
        return self.events

    def describe(self) -> str:
        """Return everything that arrived, for an error message."""
        events = "\n".join(json.dumps(event.data)[:400] for event in self.events)
        return f"{self.status} {self.failure} {self.body[:400]!r}\n{events}"

    @property
    def task_id(self) -> str:
        """Return the id of the task, which is in the first event."""
        first = self.wait(lambda _: True).result
        return typing.cast("str", (first.get("task") or first)["id"])

    def close(self) -> None:
        """Go away without reading further."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        if self._thread.is_alive():
            self._thread.join(5)
        if self._answer is not None:
            self._answer.close()
        self.socket.close()


def state_of(task: Json) -> str:
    """Return the state of a task or status event of any version, in the spelling of 0.3."""
    state = task["status"]["state"]
    return typing.cast("str", state.removeprefix(STATES_10).lower().replace("_", "-"))


def text_of(task: Json, name: str = "result") -> str:
    """Return the text of an artifact."""
    return "".join(
        part.get("text", "") for item in task.get("artifacts") or () if item["name"] == name for part in item["parts"]
    )


def last_text_of(task: Json) -> str:
    """Return the text of the last artifact."""
    return "".join(part.get("text", "") for part in task["artifacts"][-1]["parts"])


def status_text(task: Json) -> str:
    """Return the text of the message of the status."""
    return "".join(part.get("text", "") for part in (task["status"].get("message") or {}).get("parts", ()))


def eventually(check: Callable[[], object], timeout: float = PATIENCE) -> typing.Any:
    """Repeat a check until it returns something true, and return that."""
    deadline = time.monotonic() + timeout
    while True:
        value = check()
        if value:
            return value
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.01)


def reasons_of(error: Json) -> list[str]:
    """Return the reasons in the typed data of an error."""
    assert isinstance(error.get("data"), list), error
    return [item["reason"] for item in error["data"] if item["@type"].endswith("google.rpc.ErrorInfo")]
