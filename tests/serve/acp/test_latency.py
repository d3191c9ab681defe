"""Acknowledgements while turns run, and memory over a thousand turns."""

import os
import pathlib
import signal
import statistics
import sys
import threading
import time

import pytest

from tests.serve.acp.late_model import LateModel
from tests.serve.acp.measured_server import PATH_KEY
from tests.serve.acp.stage import Stage, blocks

pytestmark = pytest.mark.slow
MEASURED = (sys.executable, "-m", "tests.serve.acp.measured_server")


@pytest.fixture
def busy(tmp_path):
    """A server whose model answers by itself, with pieces every ten milliseconds."""
    model = LateModel()

    def decide(call):
        for number in range(10):
            threading.Timer(0.01 * number, call.begin, (f"piece {number} ",)).start()
        threading.Timer(0.12, call.use, ("look",)).start()

    stage = Stage(tmp_path, model, store=str(tmp_path / "store.sqlite"))
    stage.decide = decide
    yield stage
    stage.close()
    model.close()


def acknowledged(stage: Stage, method: str, **params: object) -> float:
    """Return the seconds between a request and its reply."""
    start = time.monotonic()
    request = stage.send(method, **params)
    return stage.client.answer(request).at - start


@pytest.mark.timed
@pytest.mark.parametrize("turns", [4])
def test_acknowledgements_take_less_than_five_milliseconds(busy: Stage, turns):
    busy.model.decide = busy.decide
    sessions = [busy.new() for _ in range(turns)]
    for session in sessions:
        busy.prompt(session, "go")
    while len(busy.model.calls) < turns:
        time.sleep(0.01)
    times: dict[str, list[float]] = {"remind": [], "inject": []}
    for number in range(100):
        session = sessions[number % turns]
        params = {"sessionId": session, "body": f"r{number}", "mode": "audit_only"}
        times["remind"].append(acknowledged(busy, "session/remind", **params))
        params = {"sessionId": session, "mode": "queue", "content": blocks(f"q{number}")}
        times["inject"].append(acknowledged(busy, "session/inject", **params))
        time.sleep(0.005)
    medians = {name: round(statistics.median(values) * 1000, 2) for name, values in times.items()}
    assert max(medians.values()) < 5, medians


def resident(stage: Stage) -> int:
    """Return the resident memory of the server in bytes."""
    text = pathlib.Path(f"/proc/{stage.client.process.pid}/status").read_text()
    line = next(line for line in text.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def live(stage: Stage, path: pathlib.Path) -> int:
    """Return the bytes that the server has allocated and not freed, without garbage."""
    os.kill(stage.client.process.pid, signal.SIGUSR1)
    end = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < end, "the server reported no memory"
        time.sleep(0.01)
    size = int(path.read_text())
    path.unlink()
    return size


@pytest.mark.timeout(600)
@pytest.mark.parametrize("per_session", [10])
def test_memory_stays_flat_over_a_thousand_turns(tmp_path, monkeypatch, per_session):
    """After 400 turns, when caches and the log in memory are full, 2.5 kB a turn would be too much."""
    path = tmp_path / "live"
    monkeypatch.setenv(PATH_KEY, str(path))
    monkeypatch.setenv("PYTHONMALLOC", "malloc")
    model = LateModel()
    stage = Stage(tmp_path, model, store=str(tmp_path / "store.sqlite"), python=MEASURED)
    model.decide = lambda call: call.answer("an answer")
    live_sizes, sizes = {}, {}
    session = ""
    for number in range(1000):
        if number % per_session == 0:
            if session:
                stage.ask("session/close", sessionId=session)
            session = stage.new()
        stage.remind(session, f"r{number}", ttlTurns=1)
        prompt = stage.prompt(session, f"p{number}")
        assert stage.reply(prompt)["result"] == {"stopReason": "end_turn"}
        if number + 1 in (400, 1000):
            sizes[number + 1] = resident(stage)
            live_sizes[number + 1] = live(stage, path)
    stage.close()
    model.close()
    assert live_sizes[1000] < live_sizes[400] + 600 * 2500, live_sizes
    assert sizes[1000] < sizes[400] + 12e6, sizes
