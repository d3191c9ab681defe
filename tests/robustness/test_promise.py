"""`Engine.run` returns a result, however a run fails."""

import signal
import threading
import time
from pathlib import Path

import pytest

from harnlite import Clock, Engine, Host, LanguageError
from harnlite.host.embedded_runs import RunResult

BUSY = {
    "too many tasks": "println(len(parallel 300000 { i -> i }))",
    "too many tasks, each": "let r = parallel each (1 to 120000) { i -> i }\nprintln(len(r))",
    "too many tasks, settle": "let r = parallel settle (1 to 300000) { i -> i }\nprintln(len(r.results))",
    "too many tasks, stream": "for x in parallel each (1 to 300000) { i -> i } as stream { }",
    "too many tasks, limited": "parallel 300000 with { max_concurrent: 2 } { i -> i }\nprintln(1)",
    "limited settle": "parallel settle (1 to 300000) with { max_concurrent: 2 } { i -> i }\nprintln(1)",
    "limited stream": "for x in parallel each (1 to 300000) with { max_concurrent: 2 } { i -> i } as stream { }",
    "too many spawns": "var all = []\nfor i in 1 to 300000 { all.push(spawn { i }) }\nfor t in all { await(t) }",
    "nested spawns": "fn f(n) { return await(spawn { f(n + 1) }) }\nf(0)",
    "nested parallels": "fn f(n) { return parallel 2 { i -> f(n + 1) } }\nf(0)",
    "parallel": "while true { parallel 50 { i -> for j in 1 to 20 { i + j } } }",
    "parallel with output": "while true { parallel 20 { i -> println(i) } }",
    "parallel in a catch": "while true { try { parallel 300 { i -> throw i } } catch (e) { } }",
    "parallel in a defer": "fn f() { defer { parallel 100 { i -> sleep(1ms) } }\n throw 1 }\n"
    "while true { try { f() } catch (e) { } }",
    "sleeping parallel": "parallel 100 { i -> sleep(60s) }",
    "stream": "while true { for x in parallel each (1 to 50) { i -> i } as stream { if x == 7 { break } } }",
    "spawn": "while true { let t = spawn { sleep(1ms)\n 1 }\n await(t) }",
    "spawn and forget": "while true { spawn { sleep(60s) }\n sleep(0ms) }",
    "spawn and cancel": "while true { let t = spawn { while true { } }\n cancel(t) }",
    "channel": 'let ch = channel("c", 1)\nspawn { while true { send(ch, 1) } }\nwhile true { receive(ch) }',
    "select": 'let a = channel("a")\nlet b = channel("b")\nspawn { while true { send(a, 1) } }\n'
    "while true { select { x from a { } y from b { } timeout 1ms { } } }",
    "generator": "fn g() { var n = 0\n while true { defer { n = n }\n yield n } }\nfor x in g() { }",
    "generators left open": "fn g() { try { yield 1 } finally { sleep(1ms) } }\nwhile true { g().next() }",
    "defer": "fn f() { defer { sleep(1ms) }\n defer { throw 2 }\n throw 1 }\nwhile true { try { f() } catch (e) { } }",
    "endless defer": "fn f() { defer { while true { } }\n throw 1 }\nf()",
    "finally": "while true { try { sleep(60s) } finally { sleep(1ms) } }",
    "deadline block": "while true { try { deadline 1ms { while true { } } } catch (e) { } }",
    "deadline over parallel": "while true { try { deadline 2ms { parallel 200 { i -> sleep(1s) } } } catch (e) { } }",
    "deadline over spawn": "while true { try { deadline 1ms { await(spawn { sleep(1s) }) } } catch (e) { } }",
    "mutex": "parallel 20 { i -> mutex { while true { } } }",
    "retry": 'retry 1000000000 { throw "again" }',
    "recursion": "fn f(n) { return 1 + f(n + 1) }\nwhile true { try { f(0) } catch (e) { } }",
    "callbacks": "(1 to 1000000000000).for_each({ x -> x })",
}
BROKEN = {
    "recursion": "fn f(n) { return 1 + f(n + 1) }\nf(0)",
    "recursion in tasks": "fn f(n) { return 1 + f(n + 1) }\nparallel 3 { i -> f(0) }",
    "recursion in a generator": "fn g(n) { for x in g(n + 1) { yield x } }\nfor x in g(0) { }",
    "memory": 'let x = "x" * 1000000000000',
    "deadlock": "receive(channel())",
    "deadlock in tasks": "parallel 3 { i -> receive(channel()) }",
    "throw in a task": "await(spawn { throw {a: 1} })",
    "throw in a forgotten task": "spawn { throw 1 }\nsleep(1ms)\nthrow 2",
    "throw in a defer": "fn f() { defer { throw 1 }\n throw 2 }\nf()",
    "throw in a generator": "fn g() { yield 1\n throw 2 }\nfor x in g() { }",
    "throw nil": "throw nil",
    "exit in a task": "parallel 3 { i -> exit(3) }",
    "exit in a defer": "fn f() { defer { exit(4) }\n throw 2 }\nf()",
    "cancel of itself": "let t = spawn { sleep(60s) }\ncancel(t)\nawait(t)",
    "no program": "let let let",
    "nothing": "",
    "a missing import": 'import "nowhere"',
    "NUL": "\0",
    "surrogate": '"\ud800"',
}


@pytest.mark.parametrize("seconds", [0.003, 0.2])
@pytest.mark.parametrize("name", BUSY)
def test_a_deadline_at_any_point_gives_a_result(name: str, seconds: float) -> None:
    started = time.monotonic()
    result = Engine(cache=False, deadline=seconds, max_output=100_000_000).run(BUSY[name])
    assert isinstance(result, RunResult)
    assert result.error is None or "internal error" not in result.error
    assert "internal error" not in result.stderr
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("name", BROKEN)
def test_an_error_gives_a_result(name: str) -> None:
    result = Engine(cache=False, deadline=20).run(BROKEN[name])
    assert isinstance(result, RunResult)
    assert "internal error" not in (result.error or "") + result.stderr


@pytest.mark.parametrize("most", [0, 1, 1000])
def test_an_output_limit_gives_a_result(most: int) -> None:
    for code in ("while true { println(1) }", "parallel 20 { i -> while true { println(i) } }", 'eprintln("x" * 2000)'):
        result = Engine(cache=False, deadline=2, max_output=most).run(code)
        assert isinstance(result, RunResult)
        assert "internal error" not in (result.error or "")


@pytest.mark.parametrize("depth", [1, 5, 50])
def test_a_depth_limit_gives_a_result(depth: int) -> None:
    for name in ("recursion", "recursion in tasks", "recursion in a generator"):
        assert isinstance(Engine(cache=False, max_depth=depth, deadline=20).run(BROKEN[name]), RunResult)


def test_a_bad_entry_gives_a_result() -> None:
    engine = Engine(cache=False)
    program = "pipeline default(a, b) { println(a + b) }"
    for params in ({}, {"a": 1}, {"c": 2}, {"a": {"x": 2}, "b": "x"}):
        assert isinstance(engine.run(program, params=params), RunResult)
    for program in ("pipeline other() { throw 1 }", "pipeline default() { return {a: { -> 1 }} }"):
        assert isinstance(engine.run(program), RunResult)


class Source(Clock):
    """A clock and a source of ids that fail, or return something wrong."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def now(self, *_: object) -> object:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    monotonic = hex = uuid4 = uuid7 = now


ASKING = {
    "timestamp": "println(timestamp())",
    "catch": "try { println(timestamp()) } catch (e) { println(e) }",
    "elapsed": "println(elapsed())",
    "date": "println(date_now())",
    "reminder": 'println(transcript_reminder_event({body: "x"}).id)',
    "message": 'import { agent_session_push_user_message } from "std/agent/state"\n'
    'agent_session_push_user_message(agent_session_open(), {content: "x"})',
    "random": "println(random())",
    "log": 'event_log.emit("a", "b", 1)\nfor record in event_log.subscribe("a") { println(record) }',
    "task": "parallel 2 { i -> println(timestamp()) }",
    "defer": "fn f() { defer { timestamp() } }\nf()",
    "generator": "fn g() { try { yield 1 } finally { timestamp() } }\ng().next()",
    "agent": 'llm_mock({text: "x"})\nprintln(agent_loop("a", nil, {provider: "mock"}).status)',
    "session": "println(agent_session_open())",
    "trace": 'enable_tracing()\ntrace_start("a")\nparallel 2 { i -> i }',
    "memory": 'memory_store("n", "k", "v")\nprintln(memory_recall("n", "v"))',
}
WRONG = [
    ValueError("boom"), KeyError("k"), SystemExit(3), OverflowError("far"), RecursionError("deep"), MemoryError(),
    "text", None, object(), float("nan"), float("inf"), -1e30, 1e18, 10**400, b"x", [], True,
]  # fmt: skip


@pytest.mark.parametrize("kind", ["clock", "ids"])
@pytest.mark.parametrize("name", ASKING)
def test_a_clock_and_ids_that_fail_give_a_result(name: str, kind: str, tmp_path: Path) -> None:
    for answer in WRONG:
        engine = Engine(cache=False, deadline=20, cwd=str(tmp_path), **{kind: Source(answer)})
        result = engine.run(ASKING[name])
        assert isinstance(result, RunResult)
        assert "internal error" not in (result.error or "") + result.stderr, repr(answer)


def test_a_script_can_catch_the_error_of_a_clock() -> None:
    result = Engine(cache=False, clock=Source(ValueError("boom"))).run(ASKING["catch"])
    assert result.stdout == "Runtime error: clock.monotonic: ValueError: boom\n"
    result = Engine(cache=False, clock=Source(float("nan"))).run(ASKING["timestamp"])
    assert result.error == "Runtime error: clock.monotonic: the host must return a finite number of seconds, got nan"
    result = Engine(cache=False, ids=Source(7)).run(ASKING["session"])
    assert result.error == "Runtime error: ids.uuid7: the host must return a string, got int"


def test_a_host_with_a_clock_that_fails() -> None:
    engine = Engine(cache=False, ids=Source(ValueError("boom")))
    with Host(engine) as host, pytest.raises(LanguageError, match=r"ids\.uuid7: ValueError: boom"):
        host.open()


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of POSIX")
def test_an_interrupt_is_raised_again_after_the_run_has_ended() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for name in ("parallel", "channel", "generator", "sleeping parallel"):
            threading.Timer(0.3, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                pytest.fail(f"{name}: {Engine(cache=False, deadline=20).run(BUSY[name])}")
    finally:
        signal.signal(signal.SIGINT, before)
    assert Engine(cache=False).run("println(1)").stdout == "1\n"
