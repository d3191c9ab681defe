"""The cost of a turn of an agent, of many sessions of a host, and of one record in an event log."""

from __future__ import annotations

import gc
import json
import os
import sqlite3
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

from harnlite import Engine, Host
from harnlite.runtime.tasks.clock import Clock
from harnlite.store.event_log import open_log
from tests.bench.programs import within

if TYPE_CHECKING:
    from collections.abc import Callable

    Functions = dict[str, Callable[..., object]]

TURNS, ROUNDS, SESSIONS, RECORDS = 200, 3, 100, 2_000
DELAY_SECONDS = 0.1
TEXT = """import { agent_session_inject_reminder } from "std/agent/state"
fn fill(n, messages) {
  agent_session_open("s")
  for k in 1 to n { agent_session_inject_reminder("s", {body: "number ${k}", ttl_turns: k % 2 == 0 ? nil : 100000}) }
  for k in 1 to messages {
    agent_session_inject("s", {role: k % 2 == 0 ? "assistant" : "user", content: "message ${k}"})
  }
}
fn turns(n) {
  llm_mock_clear()
  llm_mock({match: "*", text: "working on it"})
  let options = {
    provider: "mock", model: "mock", tool_format: "text", session_id: "s", loop_until_done: true, max_iterations: n,
    max_nudges: n + 1,
  }
  return agent_loop("task", nil, options).llm.iterations
}
fn close() { agent_session_close("s") }
"""
SCRIPT = """pipeline default(task) {
  llm_mock({match: "*", text: "<done>##DONE##</done>", delay_ms: 100})
  return agent_loop(task, nil, {provider: "mock", model: "mock"}).status
}
"""
PAYLOAD = {"session_id": "s1", "turn": 3, "tool": "read", "text": "some text that is longer, some text that is longer"}


def turn_millis() -> dict[str, float]:
    """Return the milliseconds of a turn with the canonical reminder providers, by live reminders and messages."""

    def measure(functions: Functions) -> dict[str, float]:
        return {
            f"{live} live reminders, {messages} messages": _millis(functions, live, messages)
            for live, messages in ((0, 0), (1_000, 0), (10_000, 0), (0, 5_000))
        }

    return within(TEXT, measure)


def _millis(functions: Functions, live: int, messages: int) -> float:
    """Return the milliseconds of one more turn."""
    few, many = (
        min(_turn_seconds(functions, live, messages, turns) for _ in range(ROUNDS)) for turns in (20, 20 + TURNS)
    )
    return (many - few) / TURNS * 1000


def _turn_seconds(functions: Functions, live: int, messages: int, turns: int) -> float:
    functions["fill"](live, messages)
    gc.collect()
    start = time.thread_time()
    functions["turns"](turns)
    taken = time.thread_time() - start
    functions["close"]()
    return taken


def turn_bytes() -> float:
    """Return the memory that one more turn keeps."""

    def measure(functions: Functions) -> float:
        functions["turns"](10)
        functions["close"]()
        kept = []
        for turns in (TURNS, 3 * TURNS):
            gc.collect()
            tracemalloc.start()
            functions["turns"](turns)
            gc.collect()
            kept.append(tracemalloc.get_traced_memory()[0])
            tracemalloc.stop()
            functions["close"]()
        return (kept[1] - kept[0]) / (2 * TURNS)

    return within(TEXT, measure)


def host_costs() -> tuple[float, float]:
    """Return how much longer than ideal the turns of 100 sessions take whose models answer after 100 ms.

    The second figure is the milliseconds of processor time of a turn, which a busy machine disturbs less.
    """
    with Host(Engine(), SCRIPT) as host:
        sessions = [host.open() for _ in range(SESSIONS)]
        host.prompt(sessions[0], "first").result()
        taken, used = [], []
        for _ in range(ROUNDS):
            start, used_before = time.perf_counter(), time.process_time()
            for turn in [host.prompt(session, "hello") for session in sessions]:
                turn.result()
            taken.append(time.perf_counter() - start)
            used.append(time.process_time() - used_before)
    return min(taken) / DELAY_SECONDS, min(used) / SESSIONS * 1000


def log_ratios() -> dict[str, float]:
    """Return the processor time of a record over that of a bare append under a lock, and of a bare commit."""
    ways = {
        "JSONL / append": (lambda folder: _emit(events=str(folder / "a")), lambda folder: _append(folder / "b")),
        "SQLite / commit": (lambda folder: _emit(store=str(folder / "a")), lambda folder: _commit(folder / "b")),
    }
    ratios = {}
    for name, works in ways.items():
        best = [float("inf")] * len(works)
        for _ in range(ROUNDS * 2):
            for place, work in enumerate(works):
                with tempfile.TemporaryDirectory() as folder:
                    best[place] = min(best[place], work(Path(folder)))
        ratios[name] = best[0] / best[1]
    return ratios


def _emit(**paths: str) -> float:
    log = open_log(Clock(), **paths)
    log.emit("t", "k", PAYLOAD)
    start = time.thread_time()
    for _ in range(RECORDS):
        log.emit("t", "k", PAYLOAD)
    taken = time.thread_time() - start
    log.close()
    return taken


def _append(path: Path) -> float:
    import fcntl

    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    start = time.thread_time()
    for number in range(RECORDS):
        now = int(time.time() * 1000)
        record = {"id": number, "topic": "t", "kind": "k", "payload": PAYLOAD, "headers": {}, "occurred_at_ms": now}
        fcntl.flock(file, fcntl.LOCK_EX)
        os.write(file, json.dumps(record).encode() + b"\n")
        fcntl.flock(file, fcntl.LOCK_UN)
    taken = time.thread_time() - start
    os.close(file)
    return taken


def _commit(path: Path) -> float:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("CREATE TABLE r (topic TEXT, id INTEGER, kind TEXT, payload TEXT, headers TEXT, at INTEGER)")
    connection.execute("CREATE UNIQUE INDEX i ON r (topic, id)")
    start = time.thread_time()
    for number in range(RECORDS):
        row = ("t", number, "k", json.dumps(PAYLOAD), "{}", int(time.time() * 1000))
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO r VALUES (?, ?, ?, ?, ?, ?)", row)
        connection.execute("COMMIT")
    taken = time.thread_time() - start
    connection.close()
    return taken
