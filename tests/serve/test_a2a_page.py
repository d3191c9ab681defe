"""The conversation in docs/a2a.md is what the server answers."""

import json
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "a2a.md").read_text(encoding="utf-8")
PROGRAM = re.search(r"^```harn worker\.harn\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]
EXCHANGES = re.findall(r"^```a2a\n(> .*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
REMINDING = 2
"""The exchange that reminds the running task."""
NAME = re.compile(r"[A-Z]+(?:-\d)?")
OPTIONS = ("--port", "0", "--store", ":memory:", "--access-log", "off")


@pytest.fixture
def address(tmp_path):
    (tmp_path / "worker.harn").write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, "-m", "harnlite", "a2a", "worker.harn", *OPTIONS]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        yield server.stderr.readline().split()[-1]
        server.terminate()
        assert server.wait(20) == 0


def bind(expected, found, names):
    """Note what the names in an expected value stand for; return the value with the names in place of the values."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return {key: bind(expected.get(key), value, names) for key, value in found.items()}
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [bind(*pair, names) for pair in zip(expected, found, strict=True)]
    if isinstance(expected, str) and NAME.fullmatch(expected) and names.setdefault(expected, found) == found:
        return expected
    return found


def answers(address, body):
    request = urllib.request.Request(address, body.encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        text = response.read().decode()
    return [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith(("{", "data: "))]


@pytest.mark.timed
def test_the_conversation(address):
    names = {}
    assert len(EXCHANGES) == 4
    for number, exchange in enumerate(EXCHANGES):
        if number == REMINDING:
            time.sleep(1)  # until the model is thinking, which takes 2.5 s
        request, *expected = [line[2:] for line in exchange.splitlines()]
        for name, value in names.items():
            request = request.replace(f'"{name}"', f'"{value}"')
        wanted = [json.loads(line) for line in expected]
        found = answers(address, request)
        assert len(found) == len(wanted), found
        assert [bind(*pair, names) for pair in zip(wanted, found, strict=True)] == wanted
