"""The cost of model calls over HTTP, against httpx2 on its own doing the same with the same server."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from harnlite.llm.backend import backends_of
from harnlite.runtime.tasks.execution import Execution
from tests.bench.http_backend import backend
from tests.bench.programs import within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CALLS, ROUNDS, FIRST_CALLS = 200, 5, 5
TEXT_OF_CALLS = """fn calls(n, streams) {
  return (parallel each (0 to n exclusive).to_list() { k ->
    llm_call("hello", nil, {provider: "bench", model: "m", stream: streams}).text
  }).count()
}
"""
_BARE_FIRST = """
import json, sys, time
start = time.perf_counter()
import httpx2
with httpx2.Client() as client:
    text = client.post(sys.argv[1], json={"model": "m"}).json()["text"]
assert text == "hello"
print(time.perf_counter() - start)
"""
_OWN_FIRST = """
import sys, time
from harnlite.llm.backend import ChatRequest
from harnlite.runtime.tasks.execution import Execution
run = Execution()
start = time.perf_counter()
from tests.bench.http_backend import backend
request = ChatRequest(provider="bench", model="m", messages=[{"role": "user", "content": "hi"}])
text = run.enter(lambda: backend(sys.argv[1]).complete(run, request, None)).text
assert text == "hello"
print(time.perf_counter() - start)
"""


@contextlib.contextmanager
def _server() -> Iterator[str]:
    command = [sys.executable, str(Path(__file__).parent / "http_server.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/"
        finally:
            process.kill()


def _bare(url: str, *, streams: bool) -> Callable[[], float]:
    """Return a measurement of httpx2 on its own; its connections stay open between rounds, as ours do."""
    import httpx2

    loop = asyncio.new_event_loop()
    client = httpx2.AsyncClient(
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=256), timeout=30, trust_env=False
    )

    async def whole() -> str:
        text: str = (await client.post(url, json={"model": "m"})).json()["text"]
        return text

    async def streamed() -> str:
        async with client.stream("POST", url + "stream", json={"model": "m"}) as response:
            events = [json.loads(event.data) async for event in httpx2.EventSource(response)]
        return "".join(event.get("text", "") for event in events)

    async def all_calls() -> None:
        await asyncio.gather(*[streamed() if streams else whole() for _ in range(CALLS)])

    def measure() -> float:
        start = time.perf_counter()
        loop.run_until_complete(all_calls())
        return time.perf_counter() - start

    return measure


def calling_ratios() -> dict[str, float]:
    """Return how much longer 200 concurrent calls of a script take than those of httpx2 alone, plain and streamed."""
    found: dict[str, float] = {}

    def measure(functions: dict[str, Callable[..., object]]) -> None:
        for kind, streams in (("plain", False), ("streamed", True)):
            bare = _bare(url, streams=streams)
            rows: list[tuple[float, float]] = []
            for _ in range(ROUNDS + 1):
                start = time.perf_counter()
                functions["calls"](CALLS, streams)
                rows.append((time.perf_counter() - start, bare()))
            # The first round opens the connections.
            found[kind] = min(own for own, _ in rows[1:]) / min(other for _, other in rows[1:])

    with _server() as url:
        run = Execution(stdout=io.StringIO())
        backends_of(run).register(backend(url))
        within(TEXT_OF_CALLS, measure, run)
    return found


def first_call_ratio() -> float:
    """Return how much longer the first call of a process takes than with httpx2 alone, imports included."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
    with _server() as url:

        def seconds(text: str, place: str) -> float:
            command = [sys.executable, "-c", text, place]
            result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            return float(result.stdout)

        rows = [(seconds(_OWN_FIRST, url + "now"), seconds(_BARE_FIRST, url + "now")) for _ in range(FIRST_CALLS)]
    return min(own for own, _ in rows) / min(bare for _, bare in rows)
