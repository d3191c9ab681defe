"""Tasks: scheduling, waiting, termination, output."""

import contextvars
import gc
import time

import pytest

from harnlite.library.tasks import await_task, cancel, cancel_graceful, is_cancelled, sleep
from harnlite.values import interrupts
from harnlite.values.data_types import Duration
from harnlite.values.errors import ScriptError, runtime_error, thrown


def spin(run, seconds):
    """Be busy, as a loop of a script is."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if interrupts.BUILTINS["_hintr"]:
            run.poll()


def text(result):
    return result.harn_text(str)


def test_a_task_starts_when_its_maker_gives_way(bench):
    order = []

    def main():
        task = bench.spawn(lambda: order.append("task"))
        order.append("main")
        await_task(bench.run, task)
        order.append("end")

    bench.enter(main)
    assert order == ["main", "task", "end"]


@pytest.mark.timed
def test_ready_tasks_run_in_the_order_in_which_they_became_ready(bench):
    order = []

    def body(n):
        order.append(n)
        sleep(bench.run, Duration(10 * (4 - n)))
        order.append(-n)

    def main():
        tasks = [bench.spawn(lambda n=n: body(n)) for n in range(1, 4)]
        for task in tasks:
            await_task(bench.run, task)

    bench.enter(main)
    assert order == [1, 2, 3, -3, -2, -1]


def test_await_returns_the_value_once(bench):
    def main():
        task = bench.spawn(lambda: 42)
        return [await_task(bench.run, task), await_task(bench.run, task), await_task(bench.run, "x")]

    assert bench.enter(main) == [42, None, "x"]


def test_await_raises_the_error_of_the_task_with_its_traceback(bench):
    def fail():
        raise thrown("boom")

    def main():
        await_task(bench.run, bench.spawn(fail))

    with pytest.raises(ScriptError, match="boom") as caught:
        bench.enter(main)
    names = [entry.name for entry in caught.traceback]
    assert "fail" in names


def test_an_error_that_nobody_awaits_is_not_heard(bench):
    def fail():
        raise runtime_error("no")

    def main():
        bench.spawn(fail)
        bench.run.sleep(0.001)
        return 1

    assert bench.enter(main) == 1


def test_output_appears_where_the_task_is_awaited(bench):
    def main():
        first = bench.spawn(lambda: bench.say("first"))
        second = bench.spawn(lambda: bench.say("second"))
        bench.run.sleep(0.001)
        bench.say("main")
        await_task(bench.run, second)
        bench.say("between")
        await_task(bench.run, first)

    bench.enter(main)
    assert bench.lines == ["main", "second", "between", "first"]


@pytest.mark.timed
def test_output_of_a_nested_task_goes_to_the_task_that_awaits_it(bench):
    def outer():
        bench.say("outer starts")
        await_task(bench.run, bench.spawn(lambda: bench.say("inner")))
        bench.say("outer ends")

    def main():
        task = bench.spawn(outer)
        bench.run.sleep(0.005)
        bench.say("main")
        await_task(bench.run, task)

    bench.enter(main)
    assert bench.lines == ["main", "outer starts", "inner", "outer ends"]


def test_output_of_a_failed_task_appears_before_its_error(bench):
    def fail():
        bench.say("so far")
        raise thrown("boom")

    def main():
        try:
            await_task(bench.run, bench.spawn(fail))
        except ScriptError as error:
            bench.say(error.value)

    bench.enter(main)
    assert bench.lines == ["so far", "boom"]


def test_output_that_nobody_awaited_comes_at_the_end_in_the_order_of_the_spawns(bench):
    def body(n):
        bench.say(n)
        bench.run.sleep(10)
        bench.say("never")

    def main():
        for n in range(3):
            bench.spawn(lambda n=n: body(n))
        bench.run.sleep(0.001)
        bench.say("main")

    started = time.monotonic()
    bench.enter(main)
    assert bench.lines == ["main", "0", "1", "2"]
    assert time.monotonic() - started < 8


def test_a_task_that_never_got_a_turn_does_not_run(bench):
    bench.enter(lambda: bench.spawn(lambda: bench.say("no")) and None)
    assert bench.lines == []


def test_finally_runs_in_tasks_that_are_left_over(bench):
    def body():
        try:
            bench.run.sleep(10)
        finally:
            bench.say("cleaned up")

    def main():
        bench.spawn(body)
        bench.run.sleep(0.001)

    bench.enter(main)
    assert bench.lines == ["cleaned up"]


def test_cancel_runs_finally_and_drops_the_output(bench):
    seen = []

    def body():
        bench.say("lost")
        try:
            bench.run.sleep(10)
        except Exception:  # noqa: BLE001
            seen.append("caught")
        finally:
            seen.append(is_cancelled(bench.run))

    def main():
        task = bench.spawn(body)
        bench.run.sleep(0.001)
        cancel(bench.run, task)
        bench.run.sleep(0.001)
        seen.append(await_task(bench.run, task))

    bench.enter(main)
    assert seen == [True, None]
    assert bench.lines == []


def test_cancel_before_the_start_means_no_start(bench):
    def main():
        task = bench.spawn(lambda: bench.say("no"))
        cancel(bench.run, task)
        bench.run.sleep(0.001)
        return await_task(bench.run, task)

    assert bench.enter(main) is None
    assert bench.lines == []


def test_busy_tasks_take_turns(bench):
    order = []

    def body(n):
        for _ in range(3):
            order.append(n)
            end = time.monotonic() + 60
            while order.count(1 - n) < order.count(n) and time.monotonic() < end:
                spin(bench.run, 0.001)

    def main():
        tasks = [bench.spawn(lambda n=n: body(n)) for n in range(2)]
        for task in tasks:
            await_task(bench.run, task)

    bench.enter(main)
    assert sorted(order) == [0, 0, 0, 1, 1, 1]
    assert [sorted(order[:2]), sorted(order[2:4])] == [[0, 1], [0, 1]]


def test_a_busy_main_program_gives_way_at_the_end_of_a_loop_pass(bench):
    seen = []

    def main():
        bench.spawn(lambda: seen.append("task"))
        end = time.monotonic() + 60
        while not seen and time.monotonic() < end:
            spin(bench.run, 0.001)
        return list(seen)

    assert bench.enter(main) == ["task"]


def test_entries_of_functions_never_switch(bench):
    seen = []

    def main():
        bench.spawn(lambda: seen.append("task"))
        end = time.monotonic() + 0.06
        while time.monotonic() < end:
            if interrupts.BUILTINS["_hintr"]:
                bench.run.poll_entry()
        return list(seen)

    assert bench.enter(main) == []


def test_entries_leave_the_flag_up_for_the_next_loop_pass(bench):
    seen = []

    def main():
        bench.spawn(lambda: seen.append("task"))
        end = time.monotonic() + 30
        while time.monotonic() < end and not seen:
            for _ in range(30):
                if interrupts.BUILTINS["_hintr"]:
                    bench.run.poll_entry()
            if interrupts.BUILTINS["_hintr"]:
                bench.run.poll()
        return list(seen)

    assert bench.enter(main) == ["task"]


def test_a_timer_reaches_other_tasks_while_main_is_busy(bench):
    seen = []

    def body():
        bench.run.sleep(0.01)
        seen.append("task")

    def main():
        bench.spawn(body)
        bench.run.sleep(0)
        end = time.monotonic() + 30
        while not seen and time.monotonic() < end:
            spin(bench.run, 0.001)
        return list(seen)

    assert bench.enter(main) == ["task"]


def test_graceful_cancel_lets_a_task_end_by_itself(bench):
    def body():
        while not is_cancelled(bench.run):
            sleep(bench.run, 5)
        bench.say("bye")
        return "stopped"

    def main():
        task = bench.spawn(body)
        sleep(bench.run, 12)
        return text(cancel_graceful(bench.run, task)), text(cancel_graceful(bench.run, task))

    assert bench.enter(main) == ("Result.Ok(stopped)", "Result.Ok(None)")
    assert bench.lines == ["bye"]


def test_waiting_in_a_task_that_was_asked_to_end_throws(bench):
    def body():
        while not is_cancelled(bench.run):
            sleep(bench.run, 1)
        sleep(bench.run, 1)

    def main():
        task = bench.spawn(body)
        sleep(bench.run, 5)
        return text(cancel_graceful(bench.run, task))

    assert bench.enter(main) == "Result.Err(Thrown: kind:cancelled:VM cancelled by host)"


def test_a_long_wait_ends_after_a_moment_of_grace(bench):
    def main():
        task = bench.spawn(lambda: sleep(bench.run, 60_000))
        sleep(bench.run, 1)
        return text(cancel_graceful(bench.run, task))

    start = time.monotonic()
    assert bench.enter(main) == "Result.Err(Thrown: kind:cancelled:VM cancelled by host)"
    assert time.monotonic() - start < 30


def test_a_task_that_does_not_end_is_ended(bench):
    def main():
        task = bench.spawn(lambda: spin(bench.run, 30))
        sleep(bench.run, 1)
        return text(cancel_graceful(bench.run, task, Duration(30)))

    start = time.monotonic()
    assert bench.enter(main) == "Result.Err(cancel_graceful: timeout, task forcefully aborted)"
    assert time.monotonic() - start < 20


def test_graceful_cancel_of_what_is_no_task(bench):
    assert bench.enter(lambda: cancel_graceful(bench.run, 3)) is None


def test_sleep_takes_ints_and_durations_and_nothing_else(bench):
    def main():
        for value in (-5, None, "x", True, 60_000.5, Duration(-1)):
            sleep(bench.run, value)

    start = time.monotonic()
    bench.enter(main)
    assert time.monotonic() - start < 20


def test_tasks_see_the_context_variables_of_their_maker(bench):
    variable = contextvars.ContextVar("variable", default=0)

    def body():
        seen = variable.get()
        variable.set(99)
        return seen

    def main():
        variable.set(1)
        task = bench.spawn(body)
        variable.set(2)
        return await_task(bench.run, task), variable.get()

    assert bench.enter(main) == (1, 2)


def test_context_variables_do_not_leak_from_task_to_task(bench):
    variable = contextvars.ContextVar("variable", default=0)

    def body(n):
        seen = variable.get()
        variable.set(n)
        bench.run.sleep(0)
        return seen, variable.get()

    def main():
        tasks = [bench.spawn(lambda n=n: body(n)) for n in range(1, 4)]
        first = [await_task(bench.run, task) for task in tasks]
        return first, await_task(bench.run, bench.spawn(lambda: body(9)))

    assert bench.enter(main) == ([(0, 1), (0, 2), (0, 3)], (0, 9))


def test_recursion_is_as_deep_in_a_task_as_outside(bench):
    def dive(n):
        return 0 if n == 0 else 1 + dive(n - 1)

    def main():
        return await_task(bench.run, bench.spawn(lambda: dive(50_000)))

    assert bench.enter(main) == 50_000


def test_waiting_deep_inside_calls_of_python(bench):
    def key(n):
        bench.run.sleep(0.001)
        return -n

    def main():
        tasks = [bench.spawn(lambda: sorted(range(10), key=key)) for _ in range(5)]
        return [await_task(bench.run, task) for task in tasks]

    assert bench.enter(main) == [list(range(9, -1, -1))] * 5


def test_task_handles_have_numbers_within_their_parent(bench):
    def main():
        first, second = bench.spawn(lambda: bench.spawn(lambda: 1)), bench.spawn(lambda: 2)
        inner = await_task(bench.run, first)
        return text(first), text(second), text(inner), second.id, inner.id

    assert bench.enter(main) == (
        "<task:vm_task_1>",
        "<task:vm_task_2>",
        "<task:vm_task_1>",
        "task_root:spawn:2",
        "task_root:spawn:1:spawn:1",
    )


def test_a_task_may_await_another_one_that_is_cancelled(bench):
    def main():
        slow = bench.spawn(lambda: bench.run.sleep(10))
        waiting = bench.spawn(lambda: await_task(bench.run, slow))
        bench.run.sleep(0.001)
        cancel(bench.run, slow)
        return await_task(bench.run, waiting)

    assert bench.enter(main) is None


def test_finished_tasks_are_not_kept(bench):
    def main():
        for _ in range(50):
            bench.spawn(lambda: 1)
        bench.run.sleep(0.001)
        gc.collect()
        return len(bench.run.scheduler.live), len(bench.run.scheduler.unclaimed)

    assert bench.enter(main) == (0, 0)
