"""The pace of threads: one at a time in the order of arrival, and no thread waits forever for one that is blocked."""

import os
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from harnlite.runtime.tasks import pace
from harnlite.runtime.tasks.pace import Pace

PATIENCE = 60


def _start(count, work):
    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads


def _until(condition):
    until = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < until:
        time.sleep(0.001)
    assert condition()


def test_one_thread_at_a_time_in_the_order_of_arrival(monkeypatch):
    monkeypatch.setattr(pace, "PATIENCE_SECONDS", PATIENCE)
    line, inside, most, order = Pace(), [], [], []

    def work(number):
        line.enter()
        inside.append(number)
        most.append(len(inside))
        order.append(number)
        time.sleep(0.001)
        inside.remove(number)
        line.leave()

    line.enter()
    threads = []
    for number in range(20):
        threads += _start(1, lambda _, number=number: work(number))
        _until(lambda number=number: len(line._line) == number + 1)
    line.leave()
    for thread in threads:
        thread.join(PATIENCE)
    assert (max(most), order, line._admitted) == (1, list(range(20)), 0)


def test_blocked_threads_delay_the_others_only_for_a_moment(monkeypatch):
    monkeypatch.setattr(pace, "PATIENCE_SECONDS", 0.01)
    line, go, inside = Pace(), threading.Event(), []

    def work(number):
        line.enter()
        inside.append(number)
        go.wait(PATIENCE)
        line.leave()

    threads = _start(40, work)
    _until(lambda: len(inside) == 40)
    go.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert (line._admitted, len(line._line), line._at_once) == (0, 0, 1)


def test_a_thread_that_waits_lets_the_others_compute(monkeypatch):
    monkeypatch.setattr(pace, "PATIENCE_SECONDS", PATIENCE)
    line, told = Pace(), threading.Event()

    def work(number):
        line.enter()
        if number == 0:
            line.leave()
            told.wait(PATIENCE)
            line.enter()
        else:
            told.set()
        line.leave()

    threads = _start(1, work)
    threads += _start(1, lambda _: work(1))
    for thread in threads:
        thread.join(PATIENCE)
    assert told.is_set()
    assert line._admitted == 0


def test_a_lock_in_the_line_is_released_in_its_turn(monkeypatch):
    monkeypatch.setattr(pace, "PATIENCE_SECONDS", PATIENCE)
    line, first, second = Pace(), threading.Lock(), threading.Lock()
    first.acquire()
    second.acquire()
    assert (line.queue(first), line.queue(second)) == (True, False)
    assert (first.locked(), second.locked()) == (False, True)
    line.leave()
    assert (second.locked(), line._admitted) == (False, 1)


def test_without_a_thread_that_watches_the_line_nobody_waits(monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    line, gate = Pace(), threading.Lock()
    gate.acquire()
    line.enter()
    monkeypatch.setattr(pace, "_thread", SimpleNamespace(start_new_thread=refuse))
    line.queue(gate)
    assert (gate.locked(), line._admitted, line._is_watched) == (False, 2, False)


def test_the_line_is_watched_only_while_threads_wait(monkeypatch):
    monkeypatch.setattr(pace, "PATIENCE_SECONDS", 0.01)
    line = Pace()
    for _ in range(2):
        line.enter()
        gate = threading.Lock()
        gate.acquire()
        line.queue(gate)
        assert gate.acquire(timeout=PATIENCE)
        _until(lambda: not line._is_watched)
        line.leave()
        line.leave()
    assert line._admitted == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_does_not_wait_for_threads_that_it_lacks():
    code = """
import os
from harnlite.runtime.tasks import pace

pace.PATIENCE_SECONDS = 60
pace.PACE.enter()
pace.PACE._lock.acquire()
child = os.fork()
if not child:
    pace.PACE.enter()
    os._exit(7)
pace.PACE._lock.release()
pace.PACE.leave()
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)
