"""The threads of a host: they are reused, their number is bounded, and each has a large stack."""

import os
import threading
import time

from harnlite import Host
from harnlite.host import turn_threads
from harnlite.host.run_limits import RESERVE_BYTES, Reserve
from harnlite.host.turn_threads import TurnThreads
from harnlite.runtime.tasks import pace
from harnlite.runtime.tasks.pace import Pace
from harnlite.stack import CALLS, PYTHON_FRAMES

WAITING = 'pipeline main(task) { llm_mock({text: "ok", delay_ms: 100})\n return llm_call(task).text }\n'


def test_work_runs_on_few_threads_and_they_end(monkeypatch):
    monkeypatch.setattr(turn_threads, "MOST_THREADS", 4)
    monkeypatch.setattr(turn_threads, "_IDLE_SECONDS", 0.2)
    threads = TurnThreads()
    seen, most, running, done = set(), [], [], threading.Semaphore(0)
    lock = threading.Lock()

    def work():
        with lock:
            seen.add(threading.get_ident())
            running.append(1)
            most.append(len(running))
        time.sleep(0.01)
        with lock:
            running.pop()
        done.release()

    for _ in range(40):
        threads.run(work)
    for _ in range(40):
        assert done.acquire(timeout=30)
    assert max(most) <= 4
    assert len(seen) <= 4
    until = time.monotonic() + 30
    while threads._count and time.monotonic() < until:
        time.sleep(0.01)
    assert (threads._count, threads._idle) == (0, [])
    threads.run(work)
    assert done.acquire(timeout=30)


def _with_an_idle_thread():
    threads, done = TurnThreads(), threading.Event()
    threads.run(done.set)
    assert done.wait(30)
    until = time.monotonic() + 30
    while not threads._idle and time.monotonic() < until:
        time.sleep(0.001)
    (worker,) = threads._idle
    return threads, worker


def _new_pace(monkeypatch, patience):
    monkeypatch.setattr(pace, "PATIENCE_SECONDS", patience)
    monkeypatch.setattr(turn_threads, "PACE", Pace())
    return turn_threads.PACE


def test_an_idle_thread_sleeps_until_its_work_may_begin(monkeypatch):
    line = _new_pace(monkeypatch, 60)
    monkeypatch.setattr(turn_threads, "_IDLE_SECONDS", 60)
    threads, worker = _with_an_idle_thread()
    done = threading.Event()
    line.enter()
    threads.run(done.set)
    assert (list(line._line), worker.gate.locked()) == ([worker.gate], True)
    line.leave()
    assert done.wait(30)
    assert threads._count == 1


def test_a_thread_with_work_waits_for_its_turn_longer_than_an_idle_one(monkeypatch):
    line = _new_pace(monkeypatch, 60)
    monkeypatch.setattr(turn_threads, "_IDLE_SECONDS", 0.001)
    threads, done = TurnThreads(), threading.Event()
    line.enter()
    threads.run(done.set)
    time.sleep(0.05)
    assert threads._count == 1
    line.leave()
    assert done.wait(30)


def test_idle_threads_get_work_although_a_busy_one_blocks(monkeypatch):
    line = _new_pace(monkeypatch, 0.01)
    monkeypatch.setattr(turn_threads, "_IDLE_SECONDS", 60)
    threads, _ = _with_an_idle_thread()
    done = threading.Event()
    line.enter()
    threads.run(done.set)
    assert done.wait(30)


def test_work_that_finds_all_threads_busy_is_done_by_the_next_free_one(monkeypatch):
    _new_pace(monkeypatch, 0.01)
    monkeypatch.setattr(turn_threads, "MOST_THREADS", 1)
    threads, go, done = TurnThreads(), threading.Event(), threading.Semaphore(0)
    threads.run(lambda: (go.wait(30), done.release()))
    threads.run(done.release)
    threads.run(done.release)
    assert (len(threads._waiting), threads._count) == (2, 1)
    go.set()
    for _ in range(3):
        assert done.acquire(timeout=30)


def test_a_thread_asks_for_many_nested_calls_only_while_it_works():
    threads, ended = TurnThreads(), threading.Event()
    asked = []
    threads.run(lambda: (asked.append(CALLS._requested[threading.get_ident()]), ended.set()))
    assert ended.wait(30)
    until = time.monotonic() + 30
    while CALLS._requested and time.monotonic() < until:
        time.sleep(0.01)
    assert (asked, CALLS._requested) == ([PYTHON_FRAMES], {})


def test_a_session_needs_one_thread():
    if not os.path.isdir("/proc/self/task"):
        return
    with Host(script=WAITING) as host:
        sessions = [host.open() for _ in range(40)]
        host.prompt(sessions[0], "first").result(60)
        before = len(os.listdir("/proc/self/task"))
        turns = [host.prompt(session, "hello") for session in sessions]
        most = before
        while not all(turn.done() for turn in turns):
            most = max(most, len(os.listdir("/proc/self/task")))
            time.sleep(0.005)
        assert [turn.result(60) for turn in turns] == ["ok"] * 40
        assert most <= before + 40 + 4


def test_the_reserve_for_errors_is_kept_while_there_are_runs_or_threads_for_them():
    reserve = Reserve()
    with reserve:
        first = reserve.memory
        assert len(first) == RESERVE_BYTES
    assert reserve.memory == b""
    reserve.keep()
    assert reserve.memory == b""
    with reserve:
        second = reserve.memory
    with reserve:
        assert reserve.memory is second
        reserve.memory = b""
        assert reserve.memory == b""
    with reserve:
        assert len(reserve.memory) == RESERVE_BYTES
    reserve.release()
    assert reserve.memory == b""
