"""The `stream` namespace."""

import time

import pytest

from harnlite.library import stream as lib
from harnlite.library.tasks import await_task
from harnlite.runtime.concurrency.channels import Channel
from harnlite.runtime.tasks.generators import Generator
from harnlite.values.data_types import Range
from harnlite.values.display import display
from harnlite.values.errors import ScriptError, thrown


def listed(source):
    return list(source.harn_iterate())


def stream(bench, items):
    return Generator(items, True, bench.run)  # noqa: FBT003


def function(body):
    """Make what the compiler makes of a closure with two parameters."""
    return lambda v_x=None, v_y=None, *_: body(v_x, v_y)


def one(body):
    return lambda v_x=None, *_: body(v_x)


def ticking(bench, name, count, ms):
    """Make a stream that waits before each item."""

    def body():
        try:
            for n in range(count):
                bench.run.sleep(ms / 1000)
                bench.say(name, n)
                yield f"{name}{n}"
        finally:
            bench.say(name, "ends")

    return stream(bench, body())


def in_turn(bench, name, count, order):
    """Make a stream whose items come when it is their turn in an order that several streams share."""

    def body():
        try:
            for n in range(count):
                while order[0] != f"{name}{n}":
                    bench.run.sleep(0.001)
                bench.say(name, n)
                yield order[0]
                del order[0]
        finally:
            bench.say(name, "ends")

    return stream(bench, body())


def eager(bench, *values):
    """Make a stream that never waits."""
    return stream(bench, (value for value in values))


def test_functions_of_one_source(bench):
    seen = []

    def main():
        return [
            listed(lib.stream_map([1, 2], one(lambda x: x * 2))),
            listed(lib.stream_filter(Range(0, 5), one(lambda x: x % 2))),
            listed(lib.stream_tap("ab", one(seen.append))),
            listed(lib.stream_scan([1, 2, 3], 10, function(lambda a, x: a + x))),
            lib.stream_fold([1, 2, 3], 10, function(lambda a, x: a + x)),
            listed(lib.stream_take([1, 2, 3], 2)),
            listed(lib.stream_take_until([1, 2, 3], one(lambda x: x == 2))),
            lib.stream_first([5]),
            lib.stream_first([]),
            lib.stream_collect(eager(bench, 1, 2)),
        ]

    assert bench.enter(main) == [[2, 4], [1, 3, 5], ["a", "b"], [11, 13, 16], 16, [1, 2], [1], 5, None, [1, 2]]
    assert seen == ["a", "b"]


def test_zip_and_interleave(bench):
    def main():
        pairs = display(listed(lib.stream_zip([1, 2, 3], "ab")))
        return pairs, listed(lib.stream_interleave(bench.run, [1, 2, 3], "a", eager(bench, "x", "y")))

    assert bench.enter(main) == ("[(1, a), (2, b)]", [1, "a", "x", 2, "y", 3])


def test_merge_takes_turns_where_all_are_ready(bench):
    def main():
        return listed(lib.stream_merge(bench.run, [1, 2, 3], eager(bench, "a", "b", "c"), eager(bench, "x")))

    assert bench.enter(main) == [1, "a", "x", 2, "b", 3, "c"]


def test_merge_gives_items_as_they_come(bench):
    order = ["b0", "b1", "a0", "b2", "a1"]

    def main():
        return listed(lib.stream_merge(bench.run, in_turn(bench, "a", 2, order), in_turn(bench, "b", 3, order)))

    assert bench.enter(main) == ["b0", "b1", "a0", "b2", "a1"]
    assert bench.lines == ["b 0", "b 1", "a 0", "b 2", "b ends", "a 1", "a ends"]


def test_merge_of_channels(bench):
    def main():
        a, b = Channel(bench.run, "a"), Channel(bench.run, "b")

        def produce():
            for n in range(3):
                (a if n % 2 else b).send(n)
                bench.run.sleep(0.001)
            a.close()
            b.close()

        bench.spawn(produce)
        return listed(lib.stream_merge(bench.run, a, b))

    assert bench.enter(main) == [0, 1, 2]


def test_errors_of_merged_sources_are_raised(bench):
    def body():
        yield 1
        raise thrown("boom")

    def main():
        merged = lib.stream_merge(bench.run, stream(bench, body()))
        with pytest.raises(ScriptError, match="boom"):
            listed(merged)

    bench.enter(main)


def test_who_stops_reading_a_merge_ends_its_sources(bench):
    def main():
        merged = lib.stream_merge(bench.run, ticking(bench, "a", 2, 5), ticking(bench, "b", 2, 60_000))
        assert lib.stream_first(merged) == "a0"

    start = time.monotonic()
    bench.enter(main)
    assert time.monotonic() - start < 20
    assert bench.lines[0] == "a 0"


def test_the_first_source_with_an_item_wins_a_race(bench):
    def main():
        return (
            listed(lib.stream_race(bench.run, ticking(bench, "a", 2, 60_000), ticking(bench, "b", 2, 5))),
            listed(lib.stream_race(bench.run, [], eager(bench, 1, 2), [3])),
            listed(lib.stream_race(bench.run, [], [])),
        )

    assert bench.enter(main) == (["b0", "b1"], [1, 2], [])


def test_a_race_between_ready_sources_goes_to_the_first(bench):
    def main():
        return listed(lib.stream_race(bench.run, eager(bench, 1, 2), [3])), listed(lib.stream_race(bench.run, [1], [2]))

    assert bench.enter(main) == ([1, 2], [1])


def test_broadcast_gives_everybody_everything(bench):
    def main():
        first, second = lib.stream_broadcast(bench.run, eager(bench, 1, 2, 3), 2)
        return lib.stream_first(first), listed(second), listed(first)

    assert bench.enter(main) == (1, [1, 2, 3], [2, 3])


def test_broadcast_to_tasks(bench):
    def main():
        readers = lib.stream_broadcast(bench.run, ticking(bench, "a", 3, 2), 2)
        tasks = [bench.spawn(lambda reader=reader: listed(reader)) for reader in readers]
        return [await_task(bench.run, task) for task in tasks]

    assert bench.enter(main) == [["a0", "a1", "a2"]] * 2


def test_throttle_keeps_items_apart(bench):
    start = time.monotonic()
    assert bench.enter(lambda: listed(lib.stream_throttle(bench.run, [1, 2, 3], 100))) == [1, 2, 3]
    assert 0.02 <= time.monotonic() - start < 30


def test_debounce_yields_the_last_of_each_burst(bench):
    def main():
        channel, found = Channel(bench.run, "c"), []

        def produce():
            for burst in range(2):
                for n in range(3):
                    channel.send(f"{burst}{n}")
                while len(found) == burst:
                    bench.run.sleep(0.001)
            channel.close()

        bench.spawn(produce)
        listed(lib.stream_tap(lib.stream_debounce(bench.run, channel, 30), one(found.append)))
        return found, listed(lib.stream_debounce(bench.run, [1, 2, 3], 1))

    assert bench.enter(main) == (["02", "12"], [3])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda _: lib.stream_map(), "Type error: stream.map: missing argument 1"),
        (lambda _: lib.stream_map([]), "Type error: stream.map: missing argument 2"),
        (lambda _: lib.stream_map([], 1), "Type error: stream.map: argument 2 must be callable, got int"),
        (lambda _: lib.stream_fold([], 1, 1), "Type error: stream.fold: argument 3 must be callable, got int"),
        (lambda _: lib.stream_take([], -1), "Type error: stream.take: argument 2 must be a non-negative int, got int"),
        (
            lambda run: lib.stream_debounce(run, [], "x"),
            "Type error: stream.debounce: argument 2 must be a non-negative int, got string",
        ),
        (
            lambda run: lib.stream_broadcast(run, [], 0),
            "Type error: stream.broadcast: argument 2 must be a positive int, got int",
        ),
        (
            lambda run: lib.stream_throttle(run, [], "x"),
            "Type error: stream.throttle: argument 2 must be a positive number, got string",
        ),
        (
            lambda run: lib.stream_throttle(run, [], 0),
            "Type error: stream.throttle: argument 2 must be a positive finite number",
        ),
        (lambda _: lib.stream_collect([1, 2], 1), "Runtime error: stream.collect: max cap 1 exceeded"),
        (lambda _: lib.stream_collect([], -1), "Type error: stream.collect: max must be a non-negative int, got int"),
        (
            lambda _: lib.stream_collect([], {"max": "x"}),
            "Type error: stream.collect: max must be a non-negative int, got string",
        ),
        (
            lambda _: lib.stream_collect([], "x"),
            "Type error: stream.collect: second argument must be max int or options dict, got string",
        ),
        (lambda _: lib.stream_zip([1]), "Type error: stream.zip: expected 2 streams, got 1"),
        (lambda run: lib.stream_interleave(run, [1]), "Type error: stream.interleave: expected at least two streams"),
        (lib.stream_merge, "Type error: stream.merge: expected at least one stream"),
        (lib.stream_race, "Type error: stream.race: expected at least one stream"),
    ],
)
def test_wrong_arguments(bench, call, text):
    with pytest.raises(ScriptError) as info:
        call(bench.run)
    assert info.value.value == text
