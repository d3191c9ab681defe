"""A run ends after its deadline, `cancel` or `close` and the grace for its cleanup, whatever the cleanup does."""

import re
import sys
import threading
import time

import pytest

from harnlite import Engine, Host, RunResult, TurnCancelled
from harnlite.host.interactive import Interactive
from harnlite.values.interrupts import WATCHDOG
from tests.samples import slow

DEADLINE, GRACE, MARGIN = 0.15, 0.15, 10
BUSY = "while true { }"
CLEANUPS = {
    "busy loop": BUSY,
    "loop with calls": "fn g(n) { return n + 1 }\n while true { g(1) }",
    "recursion": "fn g(n) { return n == 0 ? 0 : g(n - 1) + g(n - 1) }\n g(60)",
    "tail calls": "fn g(n) { return g(n + 1) }\n g(0)",
    "callbacks": "(1 to 1000000000000).for_each({ x -> x })",
    "builtin over a range": "iter(1 to 1000000000000).sum()",
    "sleep": "sleep(1000s)",
    "sleep in a loop": "while true { sleep(1ms) }",
    "catch in a loop": "while true { try { sleep(10s)\n throw 1 } catch (e) { } }",
    "channel": "let t = spawn { sleep(1000s) }\n receive(channel())",
    "select": "select { x from channel() { } timeout 1000s { } }",
    "mutex": "mutex { while true { } }",
    "deadline block": "while true { try { deadline 1ms { while true { } } } catch (e) { } }",
    "retry": 'retry 1000000000 { throw "again" }',
    "shell": 'shell("sleep 1000")',
    "model call": 'llm_call("x", "y", {provider: "endless", model: "m"})',
    "model call in a loop": 'while true { try { llm_call("x", "", {provider: "endless", model: "m"}) } catch (e) { } }',
    "nested finally": f"try {{ try {{ {BUSY} }} finally {{ {BUSY} }} }} finally {{ {BUSY} }}",
    "nested defer": f"fn g() {{ defer {{ {BUSY} }}\n defer {{ sleep(1000s) }}\n {BUSY} }}\n g()",
    "parallel": f"parallel 3 {{ i -> try {{ {BUSY} }} finally {{ {BUSY} }} }}",
    "sleeping parallel": "parallel each [1, 2] { i -> try { sleep(1000s) } finally { while true { sleep(1s) } } }",
    "limited parallel": "while true { parallel 100000 with { max_concurrent: 2 } { i -> i } }",
    "settle": f"while true {{ parallel settle [1, 2] {{ i -> try {{ {BUSY} }} finally {{ sleep(1000s) }} }} }}",
    "stream": f"for x in parallel each [1, 2] {{ i -> try {{ {BUSY} }} finally {{ {BUSY} }} }} as stream {{ }}",
    "task": f"await(spawn {{ try {{ {BUSY} }} finally {{ {BUSY} }} }})",
    "ever more tasks": f"while true {{ spawn {{ try {{ {BUSY} }} finally {{ {BUSY} }} }} }}",
    "generator": f"fn g() {{ try {{ yield 1 }} finally {{ {BUSY} }} }}\n let a = g()\n a.next()\n {BUSY}",
    "generator that yields": "fn g() { try { yield 1 } finally { while true { yield 2 } } }\n for x in g() { }",
    "callback of a host": "while true { tick() }",
}
BEGINNINGS = {
    "finally": "try {{\n began()\n while true {{ }}\n}} finally {{\n {} \n}}",
    "defer": "fn work() {{\n defer {{\n {} \n}}\n began()\n while true {{ }}\n}}\nwork()",
    "task": "spawn {{ try {{ sleep(60s) }} finally {{ {} \n}} }}\nsleep(5ms)\nbegan()\nwhile true {{ }}",
    "task after the end": "spawn {{ try {{ while true {{ sleep(1ms) }} }} finally {{ {} \n}} }}\nsleep(5ms)\nbegan()",
}
SHORT = {
    "plain": 'println("one")\n println("two")',
    "sleep": 'println("one")\n sleep(50ms)\n println("two")',
    "work": 'println("one")\n for i in 1 to 20000 { i * i }\n println("two")',
    "tasks": 'println("one")\n parallel 3 { i -> sleep(20ms) }\n println("two")',
}


class Endless:
    """A backend that never answers."""

    name = "endless"

    def complete(self, run, _request, _on_delta):
        """Wait for a reply that never comes."""
        run.sleep(1000)


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setattr("harnlite.llm.backend._installed", lambda name: Endless() if name == "endless" else None)


@pytest.fixture(autouse=True)
def nothing_left():
    """Check that no thread of the run is left, and that nothing is busy."""
    before = set(threading.enumerate())
    yield
    until = time.monotonic() + 30
    while time.monotonic() < until and (set(threading.enumerate()) - before or not WATCHDOG.is_idle):
        time.sleep(0.01)
    assert set(threading.enumerate()) <= before
    for _ in range(10):
        used = time.process_time()
        time.sleep(0.1)
        if time.process_time() - used < 0.05:
            return
    raise AssertionError("something is still busy")


def run_beyond_beginning(code: str, grace: float, **params: object) -> RunResult:
    """Run a program with a deadline that passes after it has called `began`, however slow the machine is."""
    deadline, begun = DEADLINE, []
    while not begun:
        assert deadline < 60
        given = {"began": lambda: begun.append(True), "tick": lambda: None, **params}
        result = Engine(cache=False, deadline=deadline, grace=grace).run(code, params=given)
        deadline *= 4
    return result


def program(beginning: str, cleanup: str) -> str:
    text = BEGINNINGS[beginning].format(cleanup)
    return f"pipeline main(began, tick) {{\n{text}\n}}"


@pytest.mark.parametrize("beginning", ["finally", *(pytest.param(name, marks=slow) for name in list(BEGINNINGS)[1:])])
@pytest.mark.parametrize("name", CLEANUPS)
def test_a_cleanup_ends_after_a_deadline(name: str, beginning: str) -> None:
    started = time.monotonic()
    engine = Engine(cache=False, deadline=DEADLINE, grace=GRACE)
    code = program(beginning, CLEANUPS[name])
    result = engine.run(code, params={"began": lambda: None, "tick": lambda: None})
    assert time.monotonic() - started < DEADLINE + GRACE + MARGIN
    if beginning != "task after the end" or result.error is not None:
        # A cancelled task does not wait, so that some of these programs end before their deadline.
        assert result.error is not None
        assert result.error.startswith(f"Error [timeout]: the run took longer than {DEADLINE} s"), result.error


@pytest.mark.parametrize("end", ["cancel", "close"])
@pytest.mark.parametrize("name", ["nested finally", *(pytest.param(name, marks=slow) for name in CLEANUPS)])
def test_a_cleanup_ends_after_the_host_has_ended_the_turn(name: str, end: str) -> None:
    text = BEGINNINGS["finally"].format(CLEANUPS[name].replace("tick()", "sleep(1s)"))
    code = text.replace("began()", 'event_log.emit("work", "began", {})')
    with Host(Engine(cache=False, grace=GRACE), f"pipeline main(task) {{\n{code}\n}}") as host:
        session = host.open()
        with host.subscribe(topic="work", after=0) as records:
            turn = host.prompt(session, "go")
            assert next(records)["kind"] == "began"
        started = time.monotonic()
        if end == "cancel":
            assert host.cancel(session)
        else:
            host.close()
        with pytest.raises(TurnCancelled):
            turn.result(GRACE + MARGIN)
        assert time.monotonic() - started < GRACE + MARGIN


def test_a_cancelled_turn_says_that_its_cleanup_was_stopped() -> None:
    code = 'pipeline main(task) {\n try {\n event_log.emit("work", "began", {})\n sleep(60s) } finally { sleep(60s) } }'
    with Host(Engine(cache=False, grace=0.1), code) as host:
        with host.subscribe(topic="work", after=0) as records:
            turn = host.prompt(host.open(), "go")
            next(records)
        host.close()
        with pytest.raises(TurnCancelled, match=r"the turn was cancelled, and its cleanup was stopped after 0\.1 s"):
            turn.result(60)


@pytest.mark.parametrize("beginning", BEGINNINGS)
@pytest.mark.parametrize("name", SHORT)
def test_a_short_cleanup_runs_completely(name: str, beginning: str) -> None:
    code = program(beginning, SHORT[name].replace("println", "said"))
    said: list[str] = []
    code = code.replace("main(began, tick)", "main(began, tick, said)")
    result = run_beyond_beginning(code, grace=20, said=said.append)
    assert "its cleanup" not in (result.error or "")
    throws = name == "sleep" and beginning.startswith("task")
    assert said == (["one"] if throws else ["one", "two"])


def test_a_grace_of_zero_seconds_still_runs_plain_statements() -> None:
    result = run_beyond_beginning(program("finally", 'println("one")\n while true { }'), grace=0)
    assert result.stdout == "one\n"
    text = r"Error \[timeout\]: the run took longer than [0-9.]+ s, and its cleanup longer than 0 s"
    assert re.fullmatch(text, result.error or "")


def test_a_deadline_during_the_cleanup_of_an_error_ends_it() -> None:
    code = "try { throw 1 } finally { try { while true { } } finally { while true { } } }"
    started = time.monotonic()
    assert not Engine(cache=False, deadline=DEADLINE, grace=GRACE).run(code).ok
    assert time.monotonic() - started < DEADLINE + GRACE + MARGIN


def test_an_interactive_session_can_be_closed() -> None:
    session = Interactive(Engine(cache=False, grace=GRACE), stdout=sys.stderr)
    session.perform("let t = spawn { try { sleep(60s) } finally { while true { } } }\nsleep(5ms)")
    started = time.monotonic()
    session.close()
    assert time.monotonic() - started < GRACE + MARGIN
