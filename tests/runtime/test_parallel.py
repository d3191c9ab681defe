"""The parallel forms, deadlines and mutex blocks."""

import time

import pytest

from harnlite.library.races import parallel_race
from harnlite.library.tasks import await_task
from harnlite.runtime.concurrency.entry_points import (
    deadline,
    mutex,
    parallel_count,
    parallel_each,
    parallel_settle,
    parallel_stream,
)
from harnlite.runtime.tasks.generators import Generator
from harnlite.values import interrupts
from harnlite.values.data_types import Duration, err, ok
from harnlite.values.display import display
from harnlite.values.errors import ScriptError, runtime_error, thrown


def spin(run, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if interrupts.BUILTINS["_hintr"]:
            run.poll()


def function(body):
    """Make what the compiler makes of a closure with one parameter."""
    return lambda v_x=None, *_: body(v_x)


def caught(work):
    with pytest.raises(ScriptError) as info:
        work()
    return info.value.value


@pytest.mark.timed
def test_results_and_output_come_in_the_order_of_the_items(bench):
    def body(n):
        bench.run.sleep(0.005 * (3 - n))
        bench.say("body", n)
        return n * 10

    assert bench.enter(lambda: parallel_count(bench.run, 3, body)) == [0, 10, 20]
    assert bench.lines == ["body 0", "body 1", "body 2"]


def test_a_count_that_is_no_int_is_none(bench):
    assert (
        bench.enter(lambda: [parallel_count(bench.run, n, display) for n in (None, True, 2.0, "3", -1, 0)]) == [[]] * 6
    )


@pytest.mark.timed
def test_the_first_error_by_index_counts_and_all_bodies_end(bench):
    def body(n):
        bench.run.sleep(0.003 * (3 - n))
        bench.say("body", n)
        if n:
            raise thrown(f"error {n}")

    assert caught(lambda: bench.enter(lambda: parallel_each(bench.run, [0, 1, 2], body))) == "error 1"
    assert bench.lines == ["body 0", "body 1", "body 2"]


def test_a_limit_bounds_how_many_run(bench):
    running, most = [], []

    def body(n):
        running.append(n)
        most.append(len(running))
        bench.run.sleep(0.002)
        running.remove(n)
        return n

    assert bench.enter(lambda: parallel_each(bench.run, list(range(9)), body, 3)) == list(range(9))
    assert max(most) == 3
    most.clear()
    bench.enter(lambda: parallel_each(bench.run, list(range(9)), body, -1))
    assert max(most) == 9


@pytest.mark.parametrize("form", [parallel_count, parallel_each, parallel_settle, parallel_stream])
def test_a_limit_must_be_an_int(bench, form):
    text = "Type error: parallel max_concurrent must be an int; got string"
    assert caught(lambda: bench.enter(lambda: form(bench.run, [1], display, "2"))) == text


def test_each_takes_what_a_loop_takes(bench):
    def main():
        return parallel_each(bench.run, "ab", function(str)), parallel_each(bench.run, None, display)

    assert bench.enter(main) == (["a", "b"], [])
    assert (
        caught(lambda: bench.enter(lambda: parallel_each(bench.run, 5, display)))
        == "Type error: cannot iterate over int"
    )


def test_settle_keeps_errors_as_texts(bench):
    def body(n):
        if n == 1:
            raise thrown("boom")
        if n == 2:
            raise runtime_error("bad")
        if n == 3:
            raise RecursionError
        return n

    assert display(bench.enter(lambda: parallel_settle(bench.run, [0, 1, 2, 3], body))) == (
        "{failed: 3, results: [Result.Ok(0), Result.Err(Thrown: boom), Result.Err(Runtime error: bad), "
        "Result.Err(Stack overflow: too many nested calls)], succeeded: 1}"
    )


def test_a_stream_gives_values_as_they_come(bench):
    order = [10, 20, 30]

    def body(n):
        while order[0] != n:
            bench.run.sleep(0.001)
        bench.say("body", n)
        return n

    def main():
        stream = parallel_stream(bench.run, [30, 10, 20], body)
        bench.say(display(stream))
        for value in stream.harn_iterate():
            bench.say("value", value)
            del order[0]
        bench.say(display(stream))

    bench.enter(main)
    assert bench.lines == [
        "<stream>",
        *(line for n in (10, 20, 30) for line in (f"body {n}", f"value {n}")),
        "<stream (done)>",
    ]


def test_a_stream_ends_with_the_first_error(bench):
    ended = []

    def body(n):
        while len(ended) < n - 1:
            bench.run.sleep(0.001)
        ended.append(n)
        if n == 2:
            raise thrown("boom")
        return n

    def main():
        stream = parallel_stream(bench.run, [60_000, 2, 1], body)
        return stream.next(), caught(stream.next), stream.next()

    assert bench.enter(main) == ({"done": False, "value": 1}, "boom", {"done": True, "value": None})
    assert ended == [1, 2]


def test_a_stream_keeps_to_its_limit_without_a_reader(bench):
    started = []

    def body(n):
        started.append(n)
        bench.run.sleep(0.002)
        return n

    def main():
        stream = parallel_stream(bench.run, [1, 2, 3, 4], body, 2)
        bench.run.sleep(0.001)
        first = list(started)
        end = time.monotonic() + 60
        while len(started) < 4 and time.monotonic() < end:
            bench.run.sleep(0.001)
        return first, list(started), list(stream.harn_iterate())

    assert bench.enter(main) == ([1, 2], [1, 2, 3, 4], [1, 2, 3, 4])


def test_bodies_have_ids_and_names(bench):
    def who(_=None):
        task = bench.run.task
        return [task.id, task.kind, task.group_id]

    def main():
        run = bench.run
        return [
            parallel_count(run, 1, who)[0],
            parallel_each(run, [1], who)[0],
            parallel_settle(run, [1], who)["results"][0].fields[0],
            parallel_stream(run, [1], who).next()["value"],
        ]

    assert bench.enter(main) == [
        ["task_root:parallel:1:0", "parallel", "task_root:parallel:1"],
        ["task_root:parallel_each:2:0", "parallel each", "task_root:parallel_each:2"],
        ["task_root:parallel_settle:3:0", "parallel settle", "task_root:parallel_settle:3"],
        ["task_root:parallel_each_stream:4:0", "parallel each as stream", "task_root:parallel_each_stream:4"],
    ]


def test_a_deadline_around_parallel_ends_its_bodies(bench):
    def body(n):
        bench.say("start", n)
        try:
            bench.run.sleep(10)
        finally:
            bench.say("end", n)

    def main():
        with deadline(bench.run, 10):
            parallel_count(bench.run, 2, body)

    assert caught(lambda: bench.enter(main)) == "Deadline exceeded"
    assert bench.lines == ["start 0", "end 0", "start 1", "end 1"]


# Deadlines


def test_a_deadline_block_passes_values_and_errors(bench):
    def main():
        with deadline(bench.run, Duration(1000)):
            return 5

    assert bench.enter(main) == 5

    def failing():
        with deadline(bench.run, 1000):
            raise thrown("boom")

    assert caught(lambda: bench.enter(failing)) == "boom"


@pytest.mark.parametrize("busy", [False, True])
def test_a_deadline_that_passes_is_not_seen_inside(bench, busy):
    def main():
        with deadline(bench.run, 30):
            try:
                if busy:
                    spin(bench.run, 10)
                else:
                    bench.run.sleep(10)
            except Exception:  # noqa: BLE001
                bench.say("caught")
            finally:
                bench.say("finally")

    start = time.monotonic()
    assert caught(lambda: bench.enter(main)) == "Deadline exceeded"
    assert time.monotonic() - start < 8
    assert bench.lines == ["finally"]


@pytest.mark.timed
def test_the_outer_deadline_ends_the_inner_block(bench):
    def main():
        with deadline(bench.run, 20):
            try:
                with deadline(bench.run, 500):
                    spin(bench.run, 10)
            except ScriptError:
                bench.say("inner")

    assert caught(lambda: bench.enter(main)) == "Deadline exceeded"
    assert bench.lines == []


def test_the_inner_deadline_is_an_error_within_the_outer_one(bench):
    def main():
        with deadline(bench.run, 5000):
            try:
                with deadline(bench.run, 10):
                    bench.run.sleep(10)
            except ScriptError as error:
                return error.value

    assert bench.enter(main) == "Deadline exceeded"


def test_both_deadlines_at_once_end_the_outer_block(bench):
    def main():
        with deadline(bench.run, 5):
            try:
                with deadline(bench.run, 5):
                    time.sleep(0.02)
                    spin(bench.run, 10)
            except ScriptError:
                bench.say("inner")

    assert caught(lambda: bench.enter(main)) == "Deadline exceeded"
    assert bench.lines == []


def test_a_block_that_is_done_too_late_has_passed_its_deadline(bench):
    def main():
        with deadline(bench.run, 5):
            time.sleep(0.02)

    assert caught(lambda: bench.enter(main)) == "Deadline exceeded"


def test_a_deadline_of_nothing_has_passed_already(bench):
    def main():
        with deadline(bench.run, 0):
            bench.say("inside")

    assert caught(lambda: bench.enter(main)) == "Deadline exceeded"
    assert bench.lines == []


def test_a_deadline_of_something_else_is_long(bench):
    def main():
        with deadline(bench.run, "soon"):
            bench.run.sleep(0.01)
            return 1

    assert bench.enter(main) == 1


@pytest.mark.timed
def test_a_deadline_counts_only_for_its_own_task(bench):
    def main():
        with deadline(bench.run, 200):
            task = bench.spawn(lambda: bench.run.sleep(0.3) or "done")
            bench.run.sleep(0.001)
        return await_task(bench.run, task)

    assert bench.enter(main) == "done"


@pytest.mark.timed
def test_a_task_can_be_awaited_again_after_a_deadline(bench):
    def main():
        task = bench.spawn(lambda: bench.run.sleep(0.03) or "done")
        with pytest.raises(ScriptError), deadline(bench.run, 5):
            await_task(bench.run, task)
        return await_task(bench.run, task)

    assert bench.enter(main) == "done"


@pytest.mark.timed
def test_a_deadline_rests_while_its_generator_rests(bench):
    def body():
        with deadline(bench.run, 10) as block:
            block.suspend()
            yield 1
            block.resume()
            bench.run.sleep(10)

    def main():
        generator = Generator(body(), False, bench.run)  # noqa: FBT003
        generator.next()
        spin(bench.run, 0.03)
        bench.run.sleep(0.01)
        bench.say("outside")
        return caught(generator.next)

    assert bench.enter(main) == "Deadline exceeded"
    assert bench.lines == ["outside"]


def test_deadlines_leave_nothing_behind(bench):
    def main():
        for _ in range(1000):
            with deadline(bench.run, 60_000):
                pass
        return len(bench.run.scheduler.timers.heap)

    assert bench.enter(main) < 200


# Mutex blocks


def test_a_mutex_block_lets_one_task_in(bench):
    inside = []

    def body(n):
        with mutex(bench.run):
            inside.append(n)
            assert len(inside) == 1
            bench.run.sleep(0.001)
            inside.remove(n)
        return n

    assert bench.enter(lambda: parallel_count(bench.run, 5, body)) == [0, 1, 2, 3, 4]


def test_a_mutex_block_is_left_by_errors_too(bench):
    def main():
        with pytest.raises(ScriptError), mutex(bench.run):
            raise thrown("boom")
        with mutex(bench.run):
            return 1

    assert bench.enter(main) == 1


# Races


def test_the_first_success_wins_a_race(bench):
    ended = []

    def body(n):
        try:
            while len(ended) < n:
                bench.run.sleep(0.001)
        finally:
            ended.append(n)
            bench.say("end", n)
        return err("no") if n == 0 else ok(n) if n == 1 else n

    def main():
        return parallel_race(bench.run, [9, 1, 0], function(body))

    assert bench.enter(main) == 1
    assert bench.lines == ["end 0", "end 1"]


def test_a_race_without_a_winner_tells_all_errors(bench):
    ended = []

    def body(n):
        while len(ended) < n:
            bench.run.sleep(0.001)
        ended.append(n)
        if n == 0:
            raise thrown("boom")
        return err(n)

    assert caught(
        lambda: bench.enter(lambda: parallel_race(bench.run, [1, 0], function(body), {"max_concurrent": 0}))
    ) == ("Runtime error: parallel_race: all 2 task(s) failed: Thrown: boom; 1")


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ((3, display), "Type error: parallel_race: first argument must be a list, got int"),
        (([1], 3), "Type error: parallel_race: argument 2 must be callable, got int"),
        (([1],), "Type error: parallel_race: argument 2 must be callable, got nil"),
        (([], display), "Runtime error: parallel_race: expected at least one item"),
        (
            ([1], display, "x"),
            "Type error: parallel_race: third argument must be max_concurrent int or options dict, got string",
        ),
        (
            ([1], display, {"max_concurrent": "x"}),
            "Type error: parallel_race: max_concurrent must be an int, got string",
        ),
    ],
)
def test_wrong_arguments_of_a_race(bench, args, text):
    assert caught(lambda: bench.enter(lambda: parallel_race(bench.run, *args))) == text
