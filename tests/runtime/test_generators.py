"""Generators and streams."""

import pytest

from harnlite.library.tasks import await_task
from harnlite.runtime.tasks.generators import Generator
from harnlite.values.errors import ScriptError, thrown

END = {"done": True, "value": None}


def value(x):
    return {"done": False, "value": x}


def generator(bench, body, *, is_stream=False):
    return Generator(body(), is_stream, bench.run)


def text(x):
    return x.harn_text(str)


def test_the_body_runs_when_a_value_is_asked_for(bench):
    def body():
        bench.say("a")
        yield 1
        bench.say("b")

    def main():
        made = generator(bench, body)
        bench.say("made")
        return made.next(), text(made), made.next(), made.next(), text(made)

    assert bench.enter(main) == (value(1), "<generator>", END, END, "<generator (done)>")
    assert bench.lines == ["made", "a", "b"]


def test_streams_have_their_own_type_and_text(bench):
    made = generator(bench, iter_of, is_stream=True)
    assert (made.harn_type, text(made)) == ("stream", "<stream>")
    assert bench.enter(lambda: (made.next(), text(made))) == (END, "<stream (done)>")


def iter_of(*values):
    yield from values


def test_who_stops_early_leaves_the_rest(bench):
    def main():
        made = generator(bench, lambda: iter_of(1, 2, 3))
        read = []
        for item in made.harn_iterate():
            read.append(item)
            break
        return read, made.next(), list(made.iter().harn_iterate()), made.next()

    assert bench.enter(main) == ([1], value(2), [3], END)


def test_an_error_in_the_body_ends_it(bench):
    def body():
        yield 1
        raise thrown("boom")

    def main():
        made = generator(bench, body)
        made.next()
        with pytest.raises(ScriptError, match="boom"):
            made.next()
        return made.next(), text(made)

    assert bench.enter(main) == (END, "<generator (done)>")


@pytest.mark.parametrize(
    "read", [Generator.next, lambda g: list(g.harn_iterate()), lambda g: list(g.iter().harn_iterate())]
)
def test_a_body_cannot_read_itself(bench, read):
    made = []

    def body():
        read(made[0])
        yield 1

    def main():
        made.append(generator(bench, body))
        with pytest.raises(ScriptError, match=r"^Runtime error: generator is already running$"):
            read(made[0])

    bench.enter(main)


def test_nobody_reads_while_the_body_waits_in_another_task(bench):
    def body():
        bench.run.sleep(0.01)
        yield 1

    def main():
        made = generator(bench, body)
        task = bench.spawn(made.next)
        bench.run.sleep(0.001)
        with pytest.raises(ScriptError, match="already running"):
            made.next()
        return await_task(bench.run, task)

    assert bench.enter(main) == value(1)


def closing(bench):
    try:
        yield 1
    except Exception:  # noqa: BLE001
        bench.say("caught")
    finally:
        bench.say("closed")


def test_a_generator_is_closed_when_nothing_holds_it(bench):
    def main():
        made = generator(bench, lambda: closing(bench))
        made.next()
        del made
        bench.say("after")

    bench.enter(main)
    assert bench.lines == ["closed", "after"]


def test_a_generator_is_closed_at_the_end_of_the_run(bench):
    made = generator(bench, lambda: closing(bench))

    def main():
        made.next()
        bench.say("end")

    bench.enter(main)
    assert bench.lines == ["end", "closed"]
    assert text(made) == "<generator (done)>"


def test_a_generator_in_its_own_body_is_closed_at_the_end_of_the_run(bench):
    def body(me):
        try:
            yield me
        finally:
            bench.say("closed")

    def main():
        held = []
        made = generator(bench, lambda: body(held))
        held.append(made)
        made.next()

    bench.enter(main)
    assert bench.lines == ["closed"]


def test_a_body_that_yields_while_it_is_closed_is_closed_again(bench):
    def body():
        try:
            yield 1
        finally:
            yield 2
            bench.say("closed")

    def main():
        generator(bench, body).next()

    bench.enter(main)
    assert bench.lines == []


def test_errors_while_closing_concern_nobody(bench):
    def body():
        try:
            yield 1
        finally:
            raise thrown("boom")

    bench.enter(lambda: generator(bench, body).next() and None)
