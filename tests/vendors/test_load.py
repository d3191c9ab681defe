"""The server is fast enough to measure clients with it."""

import asyncio
import json
import subprocess
import sys
import time

import httpx2
import pytest

from tests.vendors import Reply, vendor_server
from tests.vendors.exchanges import headers_for

COUNT = 200
LATENCY = 0.2
LIMIT = COUNT * LATENCY / 2  # half of what one connection after the other would take; a busy machine needs 7 s
BODY = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}


@pytest.mark.timed
@pytest.mark.parametrize("stream", [False, True])
def test_two_hundred_connections_at_once(stream):
    with vendor_server("openai", default=Reply("a short answer", latency=LATENCY)) as server:
        spent = asyncio.run(_all_at_once(server.base_url, headers_for("openai", server.key), stream=stream))
        assert server.connections == COUNT
        assert len(server.requests) == COUNT
    assert spent < LIMIT


@pytest.mark.timed
def test_two_hundred_streams_from_another_process():
    command = [sys.executable, "-m", "tests.vendors", "openai", "a short answer", str(LATENCY)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        found = json.loads(process.stdout.readline())
        spent = asyncio.run(_all_at_once(found["base_url"], headers_for("openai", found["key"]), stream=True))
        process.stdin.close()
    assert spent < LIMIT


async def _all_at_once(url: str, headers: dict[str, str], *, stream: bool) -> float:
    limits = httpx2.Limits(max_connections=COUNT)
    async with httpx2.AsyncClient(limits=limits, timeout=20, headers=headers, trust_env=False) as client:
        begun = time.monotonic()
        answers = await asyncio.gather(
            *(client.post(f"{url}/chat/completions", json={**BODY, "stream": stream}) for _ in range(COUNT))
        )
        spent = time.monotonic() - begun
    assert all(answer.status_code == 200 for answer in answers)
    assert all(not stream or answer.text.endswith("[DONE]\n\n") for answer in answers)
    return spent
