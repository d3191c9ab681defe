"""Work on a deep stack restores the state of the process afterwards."""

import _thread
import random
import signal
import sys
import threading
import time
from types import SimpleNamespace

import pytest

import harnlite
from harnlite import stack
from harnlite.stack import PYTHON_FRAMES, on_large_stack

USUAL = 7_000


@pytest.fixture(autouse=True)
def usual_limit():
    limit, interval = sys.getrecursionlimit(), sys.getswitchinterval()
    sys.setrecursionlimit(USUAL)
    yield
    sys.setrecursionlimit(limit)
    sys.setswitchinterval(interval)


def in_threads(work, count):
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_run_leaves_the_recursion_limit_as_it_was():
    assert on_large_stack(sys.getrecursionlimit) == PYTHON_FRAMES
    assert harnlite.run("fn f(n) { return 1 + f(n + 1) }; f(0)").error == "Stack overflow: too many nested calls"
    assert sys.getrecursionlimit() == USUAL


def test_a_run_that_ends_takes_no_depth_from_another():
    deep = "fn f(n) { if n == 0 { return 0 }; return 1 + f(n - 1) }; return f(15000)"
    values = []

    def work():
        for _ in range(3):
            harnlite.run("1")
            values.append(harnlite.run(deep).value)

    in_threads(work, 4)
    assert values == [15000] * 12
    assert sys.getrecursionlimit() == USUAL


def test_threads_that_start_deep_work_at_once_leave_the_stack_size_as_it_was():
    sys.setswitchinterval(1e-6)
    in_threads(lambda: [on_large_stack(int) for _ in range(100)], 12)
    assert threading.stack_size() == 0


@pytest.mark.parametrize(("depth", "error"), [(9_000, None), (100_000, "a value is nested too deeply to be converted")])
def test_a_deep_value_comes_out_or_is_an_error(depth, error):
    result = harnlite.run("var x = []; for i in 1 to depth { x = [x] }; return x".replace("depth", str(depth)))
    assert result.error == error
    found, value = 0, result.value
    while value:
        found, value = found + 1, value[0]
    assert found == (0 if error else depth)


def test_a_deep_value_goes_in():
    value = []
    for _ in range(9_000):
        value = [value]
    assert harnlite.run("pipeline main(x) { return len(x) }", params={"x": value}).value == 1


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of POSIX")
def test_a_signal_that_does_not_interrupt_the_wait_is_handled_before_its_end():
    heard = threading.Event()

    def work():
        time.sleep(0.2)  # until the main thread waits
        # A signal that another thread receives is like one that comes just before the wait begins.
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
        return heard.wait(30)

    former = signal.signal(signal.SIGUSR1, lambda *_: heard.set())
    try:
        assert on_large_stack(work)
    finally:
        signal.signal(signal.SIGUSR1, former)


def test_work_begins_when_the_size_of_other_stacks_is_restored(monkeypatch):
    """Threads with large stacks exceed the memory that the system grants a run with a limit."""
    begun = threading.Event()

    class Stalled:
        """The module `_thread`, whose caller is stalled before it restores the size."""

        start_new_thread, get_ident = staticmethod(_thread.start_new_thread), staticmethod(_thread.get_ident)
        allocate_lock = staticmethod(_thread.allocate_lock)

        @staticmethod
        def stack_size(size):
            if size != stack.STACK_BYTES:
                begun.wait(0.3)
            return _thread.stack_size(size)

    def work():
        begun.set()
        return _thread.stack_size()

    before = _thread.stack_size()
    monkeypatch.setattr(stack, "_thread", Stalled)
    assert stack.on_large_stack(work) == before


def test_the_limit_is_the_highest_that_any_thread_requests(monkeypatch):
    usual, limits, dice = sys.getrecursionlimit(), stack.CallLimit(), random.Random(7)
    requested, threads = {}, [0]
    monkeypatch.setattr(stack, "_thread", SimpleNamespace(get_ident=lambda: threads[0]))
    try:
        for _ in range(2_000):
            threads[0] = dice.randrange(6)
            limit = dice.choice([None, None, usual + 10, usual + 20, usual + 30])
            assert limits.ask(limit) == requested.pop(threads[0], None)
            if limit is not None:
                requested[threads[0]] = limit
            assert sys.getrecursionlimit() == max(requested.values(), default=usual)
    finally:
        sys.setrecursionlimit(usual)
