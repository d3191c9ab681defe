"""The ends of tasks and runs, and signals from outside."""

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from harnlite.library.tasks import await_task, cancel
from harnlite.runtime.concurrency.channels import Channel
from harnlite.runtime.concurrency.parallel import parallel_settle
from harnlite.values import interrupts
from harnlite.values.errors import ExitRun, Interrupted, ScriptError, thrown
from tests.http.servers import eventually


def spin(run, seconds):
    """Be busy, as a loop of a script is."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if interrupts.BUILTINS["_hintr"]:
            run.poll()


def wait_for(run, condition):
    """Let other tasks run until a condition holds."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        run.sleep(0.001)


def test_deadlock_is_an_error_in_the_main_program(bench):
    channel = Channel(bench.run, "c")

    def main():
        task = bench.spawn(channel.wait_for_item)
        with pytest.raises(ScriptError, match=r"^Deadlock: all tasks are waiting$"):
            await_task(bench.run, task)
        channel.send(1)
        return await_task(bench.run, task)

    assert bench.enter(main) is True


def test_a_deadlocked_task_is_ended_with_the_run(bench):
    channel = Channel(bench.run, "c")

    def body():
        try:
            channel.wait_for_item()
        finally:
            bench.say("end")

    with pytest.raises(ScriptError, match="Deadlock"):
        bench.enter(lambda: await_task(bench.run, bench.spawn(body)))
    assert bench.lines == ["end"]


def test_an_exit_in_a_task_ends_the_run(bench):
    def leave():
        try:
            raise ExitRun(3)
        finally:
            bench.say("finally of the task")

    def main():
        task = bench.spawn(leave)
        try:
            await_task(bench.run, task)
        finally:
            bench.say("finally of main")

    with pytest.raises(ExitRun) as caught:
        bench.enter(main)
    assert caught.value.code == 3
    assert bench.lines == ["finally of main", "finally of the task"]


@pytest.mark.parametrize("where", ["sleep", "busy", "task", "busy entry"])
def test_an_interrupt_ends_the_run_at_once(bench, where):
    def busy_entry():
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if interrupts.BUILTINS["_hintr"]:
                bench.run.poll_entry()

    bodies = {
        "sleep": lambda: bench.run.sleep(60),
        "busy": lambda: spin(bench.run, 60),
        "task": lambda: await_task(bench.run, bench.spawn(lambda: spin(bench.run, 60))),
        "busy entry": lambda: await_task(bench.run, bench.spawn(busy_entry)),
    }

    timer = threading.Timer(0.05, bench.run.interrupt)

    def main():
        try:
            timer.start()
            bodies[where]()
        except Exception:  # noqa: BLE001
            bench.say("caught")
        finally:
            bench.say("finally")

    start = time.monotonic()
    with pytest.raises(Interrupted):
        bench.enter(main)
    assert time.monotonic() - start < 30
    assert bench.lines == ["finally"]
    timer.join()


def test_flags_of_other_runs_do_not_matter(bench):
    other = type(bench)()
    interrupts.raise_flag(other.run)
    try:
        bench.enter(lambda: spin(bench.run, 0.01))
        assert interrupts.BUILTINS["_hintr"] is True
    finally:
        assert interrupts.take_flag(other.run)
    # The watchdog may have raised the flag of the first run just as that ended, and takes it back then.
    assert eventually(lambda: interrupts.BUILTINS["_hintr"] is False)


def test_runs_can_be_inside_each_other(bench):
    inner = type(bench)()

    def main():
        bench.spawn(lambda: bench.say("outer task"))
        inner.enter(lambda: inner.spawn(lambda: inner.say("inner task")) and inner.run.sleep(0.001))
        assert interrupts.current() is bench.run
        bench.run.sleep(0.001)

    bench.enter(main)
    assert interrupts.current() is None
    assert (bench.lines, inner.lines) == (["outer task"], ["inner task"])


def test_coroutines_run_while_tasks_wait(bench):
    all_are_there = asyncio.Barrier(20)

    async def work(n):
        await all_are_there.wait()
        return n

    def main():
        tasks = [bench.spawn(lambda n=n: bench.run.await_future(work(n))) for n in range(20)]
        return [await_task(bench.run, task) for task in tasks]

    assert bench.enter(main) == list(range(20))


def test_coroutines_go_on_while_a_task_is_busy(bench):
    async def work():
        for _ in range(5):
            await asyncio.sleep(0.005)
        return "done"

    def main():
        task = bench.spawn(lambda: bench.run.await_future(work()))
        end = time.monotonic() + 30
        while not task.done and time.monotonic() < end:
            spin(bench.run, 0.02)
        return task.done

    assert bench.enter(main) is True


def test_a_coroutine_is_cancelled_with_its_task(bench):
    seen = []

    async def work():
        seen.append("started")
        try:
            await asyncio.sleep(60)
        finally:
            seen.append("cancelled")

    def main():
        task = bench.spawn(lambda: bench.run.await_future(work()))
        wait_for(bench.run, lambda: seen)
        cancel(bench.run, task)
        wait_for(bench.run, lambda: len(seen) == 2)

    bench.enter(main)
    assert seen == ["started", "cancelled"]


def test_errors_of_coroutines_are_raised(bench):
    async def work():
        raise thrown("boom")

    with pytest.raises(ScriptError, match="boom"):
        bench.enter(lambda: bench.run.await_future(work()))


def test_blocking_work_runs_beside_the_tasks(bench):
    all_are_there = threading.Barrier(8, timeout=60)

    def main():
        tasks = [bench.spawn(lambda: bench.run.block(all_are_there.wait)) for _ in range(8)]
        for task in tasks:
            await_task(bench.run, task)
        return bench.run.block(pow, 2, 10)

    assert bench.enter(main) == 1024


def test_errors_of_blocking_work_are_raised(bench):
    with pytest.raises(FileNotFoundError):
        bench.enter(lambda: bench.run.block(open, "/does/not/exist"))


def test_a_plain_sleep_needs_neither_greenlets_nor_asyncio(bench):

    program = (
        "import sys; from harnlite.runtime.tasks.execution import Execution;"
        "r = Execution(); r.enter(lambda: r.sleep(0.01));"
        "print({'greenlet', 'asyncio', 'threading', 'typing', 're'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_the_watchdog_ends_when_there_is_nothing_to_watch(bench):
    def main():
        await_task(bench.run, bench.spawn(lambda: spin(bench.run, 0.02)))

    bench.enter(main)
    end = time.monotonic() + 30
    # The thread ends a moment after the last run is no longer watched.
    while not interrupts.WATCHDOG.is_idle and time.monotonic() < end:
        time.sleep(0.01)
    assert not bench.run.watched
    assert interrupts.WATCHDOG.is_idle


def test_what_goes_to_stderr_comes_after_what_was_written_before(bench):
    bench.enter(lambda: (bench.say("out"), bench.run.write_error("err")))
    assert bench.err.getvalue() == "err"


def test_a_fault_in_a_task_that_nobody_waits_for_is_shown_at_the_end(bench):
    def break_down():
        raise KeyError("lost")

    def main():
        bench.spawn(break_down)
        bench.run.scheduler.yield_now()
        return "done"

    assert bench.enter(main) == "done"
    assert bench.err.getvalue().splitlines() == [
        "internal error: KeyError: 'lost'",
        "This is a bug in harnlite. Please report it with a script that reproduces it.",
    ]


def test_a_fault_that_is_raised_elsewhere_is_not_shown_twice(bench):
    def break_down():
        raise KeyError("lost")

    with pytest.raises(KeyError):
        bench.enter(lambda: await_task(bench.run, bench.spawn(break_down)))
    with pytest.raises(KeyError):
        bench.enter(lambda: parallel_settle(bench.run, [1], lambda _: break_down()))
    assert bench.err.getvalue() == ""


def test_what_a_script_throws_in_a_task_that_nobody_waits_for_is_its_own_affair(bench):
    def throw():
        raise thrown("unheard")

    def main():
        bench.spawn(throw)
        bench.run.scheduler.yield_now()

    bench.enter(main)
    assert bench.err.getvalue() == ""
