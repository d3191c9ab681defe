"""The threads of a host: they are reused, their number is bounded, and each has a large stack."""

import os
import threading
import time

from harnlite import Host
from harnlite.host import turn_threads
from harnlite.host.run_limits import RESERVE_BYTES, Reserve
from harnlite.host.turn_threads import TurnThreads
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
    assert (threads._count, threads._idle) == (0, 0)
    threads.run(work)
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
