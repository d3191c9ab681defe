"""The cost of small requests to the servers: A2A against a bare Starlette application, ACP as latencies."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REQUESTS, ROUNDS = 300, 5
ASKING = 'pipeline default(task) { return {status: "input_required", text: "Which branch?"} }\n'
BARE = """
import json, socket, sys
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

async def answer(request):
    given = json.loads(await request.body())
    result = {"jsonrpc": "2.0", "id": given["id"], "result": TASK}
    return Response(json.dumps(result), media_type="application/json")

TASK = json.loads(sys.argv[1])
listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio sets TCP_NODELAY for TCP
listener.bind(("127.0.0.1", 0))
listener.listen()
print(f"http://127.0.0.1:{listener.getsockname()[1]}/", file=sys.stderr, flush=True)
app = Starlette(routes=[Route("/", answer, methods=["POST"])])
uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", timeout_keep_alive=60)).run([listener])
"""
Call = dict[str, Any]


def _request(method: str, params: Call, number: int = 1) -> Call:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@contextlib.contextmanager
def _process(*words: str, folder: str) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, *words], cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def _connection(*words: str, folder: str) -> Iterator[Callable[[Call], Call]]:
    """Start a server that prints its address, and yield a function that sends a request on one connection."""
    with _process(*words, folder=folder) as process:
        assert process.stderr is not None
        port = int(process.stderr.readline().rstrip(b"/\n").rpartition(b":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

        def send(call: Call) -> Call:
            connection.request("POST", "/", json.dumps(call), {"Content-Type": "application/json"})
            found: Call = json.loads(connection.getresponse().read())
            return found

        yield send
        connection.close()


def _seconds(send: Callable[[Call], Call], calls: list[Call]) -> float:
    start = time.perf_counter()
    for call in calls:
        assert "result" in send(call)
    return time.perf_counter() - start


def a2a_ratios() -> dict[str, float]:
    """Return how much longer GetTask and an injected reminder take than an answer of a bare application."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        Path(folder, "agent.harn").write_text(ASKING)
        options = ("--port", "0", "--store", "store.sqlite", "--access-log", "off")
        own = stack.enter_context(_connection("-m", "harnlite", "a2a", "agent.harn", *options, folder=folder))
        message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Rebase."}]}
        task = own(_request("SendMessage", {"message": message}))["result"]["task"]
        bare = stack.enter_context(_connection("-c", BARE, json.dumps(task), folder=folder))
        calls = {
            "GetTask": [_request("GetTask", {"id": task["id"]})] * REQUESTS,
            "inject_reminder": [
                _request("tasks/inject_reminder", {"taskId": task["id"], "reminder": {"body": "B", "dedupeKey": "k"}})
            ]
            * (REQUESTS // ROUNDS),
        }
        found = {}
        for name, given in calls.items():
            rows = [(_seconds(own, given), _seconds(bare, given)) for _ in range(ROUNDS)]
            found[name] = min(mine for mine, _ in rows) / min(theirs for _, theirs in rows)
    return found


def acp_latencies() -> dict[str, float]:
    """Return the milliseconds from a line of an ACP client to its answer, for a reminder and for a steer."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "agent.harn").write_text("pipeline default(task) { sleep(60s) }\n")
        words = ("-m", "harnlite", "acp", "agent.harn", "--store", "store.sqlite")
        with _process(*words, folder=folder) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            writing, reading = process.stdin, process.stdout
            numbers = itertools.count(1)

            def send(method: str, params: Call) -> int:
                number = next(numbers)
                writing.write(json.dumps(_request(method, params, number)).encode() + b"\n")
                writing.flush()
                return number

            def call(method: str, params: Call) -> Call:
                number = send(method, params)
                while True:
                    found: Call = json.loads(reading.readline())
                    if found.get("id") == number:
                        return found

            def latency(method: str, params: Call) -> float:
                times = []
                for _ in range(REQUESTS // ROUNDS):
                    start = time.perf_counter()
                    assert "result" in call(method, params)
                    times.append(time.perf_counter() - start)
                return median(times) * 1000

            call("initialize", {"protocolVersion": 1})
            session = call("session/new", {"cwd": folder, "mcpServers": []})["result"]["sessionId"]
            text = [{"type": "text", "text": "Go on."}]
            send("session/prompt", {"sessionId": session, "prompt": text})
            steer = {"sessionId": session, "mode": "steer", "content": text}
            while "error" in call("session/inject", steer):
                time.sleep(0.01)
            return {
                "session/remind": latency("session/remind", {"sessionId": session, "body": "B", "dedupeKey": "k"}),
                "session/inject": latency("session/inject", steer),
            }
