"""Channels and select."""

import time

import pytest

from harnlite.library import channels as lib
from harnlite.library.tasks import await_task, cancel
from harnlite.runtime.concurrency.channels import Channel
from harnlite.runtime.concurrency.entry_points import deadline, select
from harnlite.values.data_types import Duration
from harnlite.values.errors import ScriptError


def caught(work):
    with pytest.raises(ScriptError) as info:
        work()
    assert info.value.thrown
    return info.value.value


def test_a_channel_has_a_name_and_at_least_one_place(bench):
    assert lib.make_channel(bench.run).harn_text(str) == "<channel:default>"
    assert lib.make_channel(bench.run).capacity == 256
    assert lib.make_channel(bench.run, 5, 0).capacity == 1
    assert lib.make_channel(bench.run, "x", "y").capacity == 256


def test_values_come_out_in_the_order_they_went_in(bench):
    def main():
        channel = Channel(bench.run, "c")
        sent = [lib.send(channel, n) for n in range(3)]
        received = [lib.receive(channel), lib.try_receive(channel)]
        lib.close_channel(channel)
        return (
            sent,
            received,
            lib.send(channel, 9),
            [lib.receive(channel), lib.receive(channel), lib.try_receive(channel)],
        )

    assert bench.enter(main) == ([True, True, True], [0, 1], False, [2, None, None])


def test_a_full_channel_makes_senders_wait(bench):
    def main():
        channel = Channel(bench.run, "c", 2)
        sender = bench.spawn(lambda: [channel.send(n) for n in range(5)])
        bench.run.sleep(0.001)
        depth = len(channel.items)
        received = [lib.receive(channel) for _ in range(5)]
        return depth, received, await_task(bench.run, sender)

    assert bench.enter(main) == (2, [0, 1, 2, 3, 4], [True] * 5)


def test_closing_wakes_who_waits(bench):
    def main():
        empty, full = Channel(bench.run, "e"), Channel(bench.run, "f", 1)
        full.send(0)
        tasks = [bench.spawn(lambda: lib.receive(empty)), bench.spawn(lambda: lib.send(full, 1))]
        bench.run.sleep(0.001)
        lib.close_channel(empty)
        lib.close_channel(full)
        return [await_task(bench.run, task) for task in tasks]

    assert bench.enter(main) == [None, False]


def test_a_loop_runs_until_the_channel_is_closed_and_drained(bench):
    def main():
        channel = Channel(bench.run, "c", 2)

        def produce():
            for n in range(5):
                channel.send(n)
            channel.close()

        bench.spawn(produce)
        return list(channel.harn_iterate())

    assert bench.enter(main) == [0, 1, 2, 3, 4]


def test_receivers_are_served_in_order(bench):
    got = []

    def main():
        channel = Channel(bench.run, "c")
        tasks = [bench.spawn(lambda n=n: got.append((n, lib.receive(channel)))) for n in range(3)]
        bench.run.sleep(0.001)
        for n in range(3):
            channel.send(n)
        for task in tasks:
            await_task(bench.run, task)

    bench.enter(main)
    assert got == [(0, 0), (1, 1), (2, 2)]


def test_no_value_is_lost_on_a_task_that_is_cancelled(bench):
    def main():
        channel = Channel(bench.run, "c")
        first = bench.spawn(lambda: lib.receive(channel))
        second = bench.spawn(lambda: lib.receive(channel))
        bench.run.sleep(0.001)
        channel.send("x")
        cancel(bench.run, first)
        return await_task(bench.run, second)

    assert bench.enter(main) == "x"


def test_select_takes_the_first_channel_that_is_ready(bench):
    def main():
        a, b = Channel(bench.run, "a"), Channel(bench.run, "b")
        b.send(1)
        first = select(bench.run, [a, b], None, has_default=False)
        a.send(2)
        b.send(3)
        return first, select(bench.run, [a, b], None, has_default=False), select(bench.run, [a], None, has_default=True)

    assert bench.enter(main) == ((1, 1), (0, 2), (-1, None))


def test_select_waits(bench):
    def main():
        a, b = Channel(bench.run, "a"), Channel(bench.run, "b")
        task = bench.spawn(lambda: select(bench.run, [a, b], None, has_default=False))
        bench.run.sleep(0.001)
        b.send(5)
        start = time.monotonic()
        late = select(bench.run, [a], Duration(20), has_default=False)
        return await_task(bench.run, task), late, 0.015 < time.monotonic() - start < 30

    assert bench.enter(main) == ((1, 5), (-1, None), True)


def test_select_passes_the_news_of_other_channels_on(bench):
    def main():
        a, b = Channel(bench.run, "a"), Channel(bench.run, "b")
        chooser = bench.spawn(lambda: select(bench.run, [a, b], None, has_default=False))
        receiver = bench.spawn(lambda: lib.receive(b))
        bench.run.sleep(0.001)
        b.send(1)
        a.send(2)
        return await_task(bench.run, chooser), await_task(bench.run, receiver)

    assert bench.enter(main) == ((0, 2), 1)


def test_select_counts_a_closed_channel_as_empty(bench):
    def main():
        a = Channel(bench.run, "a")
        a.close()
        return select(bench.run, [a], 5, has_default=False)

    assert bench.enter(main) == (-1, None)


def test_select_refuses_other_values(bench):
    with pytest.raises(ScriptError, match="Type error: select: expected channel, got int"):
        bench.enter(lambda: select(bench.run, [3], None, has_default=True))


def test_channel_select(bench):
    def main():
        a, b = Channel(bench.run, "a"), Channel(bench.run, "b")
        b.send(7)
        found = lib.channel_select(bench.run, [a, b])
        assert found["channel"] is b
        late = [lib.channel_select(bench.run, [a], timeout) for timeout in (3, Duration(3), {"max_wait_ms": 3})]
        return found["index"], found["value"], late, lib.channel_select(bench.run, [])

    assert bench.enter(main) == (1, 7, [None] * 3, None)


def test_a_deadline_ends_a_wait(bench):
    def main():
        with deadline(bench.run, 5):
            lib.receive(Channel(bench.run, "c"))

    assert caught(lambda: bench.enter(main)) == "Deadline exceeded"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda _: lib.send(1), "send: requires channel and value"),
        (lambda _: lib.send(1, 2), "send: first argument must be a channel"),
        (lambda _: lib.receive(), "receive: requires a channel"),
        (lambda _: lib.receive(1), "receive: first argument must be a channel"),
        (lambda _: lib.try_receive(), "try_receive: requires a channel"),
        (lambda _: lib.try_receive(1), "try_receive: first argument must be a channel"),
        (lambda _: lib.close_channel(), "close_channel: requires a channel"),
        (lambda _: lib.close_channel(None), "close_channel: first argument must be a channel"),
        (lambda run: lib.channel_select(run, 1), "channel_select: first argument must be a list of channels"),
        (lambda run: lib.channel_select(run, [1]), "channel_select: channel list must contain only channels"),
    ],
)
def test_wrong_arguments(bench, call, text):
    assert caught(lambda: call(bench.run)) == text
