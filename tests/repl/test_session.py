"""The state that persists between inputs, and the effect of an input on earlier ones."""

import io
import signal
import threading
import time

import pytest

from harnlite.host.engine import Engine
from harnlite.host.interactive import Interactive
from harnlite.repl.value_display import literal


class Session:
    """Says in one line how each input ends."""

    def __init__(self):
        self.out = io.StringIO()
        self.interactive = Interactive(Engine(cache=False), stdout=self.out, stderr=io.StringIO())

    def __call__(self, text, **options):
        answer = self.interactive.perform(text, show=literal, **options)
        if answer.failure is not None:
            return f"! {answer.failure.text}"
        if answer.is_error and answer.findings:
            return f"? {answer.findings[0].message}"
        return answer.text


@pytest.fixture
def say():
    session = Session()
    yield session
    session.interactive.close()


def test_values_are_shown_and_kept(say):
    assert say("1 + 2") == "3"
    assert say("_ * 2") == "6"
    assert say("nil") is None
    assert say("_") == "6"
    assert say('"a\\n${1}"') == '"a\\n1"'
    assert say('{b: ["x", nil], a: true}') == '{a: true, b: ["x", nil]}'


def test_variables_live_on(say):
    say("let fixed = 1\nvar count = 1")
    assert say("count = count + 1; count") == "2"
    assert say("fixed = 2") == "! Cannot assign to immutable binding: fixed"
    say("let fixed = fixed + 41")
    assert say("fixed") == "42"
    say("let {a, b} = {a: 1, b: 2}")
    assert say("a + b") == "3"


def test_a_container_has_no_second_name(say):
    say("var xs = [1]")
    say("fn change() { xs[0] = 9 }")
    say("let ys = xs")
    say("change()")
    assert (say("xs"), say("ys")) == ("[9]", "[1]")


def test_functions_may_call_later_ones(say):
    say("fn f(x) { return g(x) + offset }")
    assert say("f(1)") == "! Undefined variable: g"
    say("fn g(x) { return x * 10 }\nlet offset = 1")
    assert say("f(1)") == "11"
    say("fn g(x) { return x * 100 }")
    assert say("f(1)") == "101"
    say("let g = { x -> 5 }")
    assert say("f(1)") == "6"
    say("let g = 5")
    assert say("f(1)") == "! Type error: Cannot call 5"


def test_order_of_evaluation_with_a_variable_that_a_function_changes(say):
    say("var n = 1")
    say("fn bump() { n = n + 10\n return n }")
    assert say("n + bump()") == "12"
    assert say("[n, bump(), n]") == "[11, 21, 21]"


def test_deep_tail_calls(say):
    say("fn down(n) {\n  if n == 0 { return 0 }\n  return down(n - 1)\n}")
    assert say("down(100000)") == "0"


def test_types_live_on(say):
    say("struct P { x: int }\nenum E { A, B(v) }\ntype T = {a: int}")
    say("impl P { fn twice(self) { return self.x * 2 } }")
    assert say("P { x: 2 }.twice()") == "4"
    assert say("let p = P { x: 3 }; p.twice()") == "6"
    assert say("match E.B(3) {\n  E.A -> { 0 }\n  E.B(v) -> { v + 1 }\n}") == "4"
    say("fn read(t: T) { return t.a }")
    assert say("read({a: 4})") == "4"
    assert say("read({b: 4})").startswith("? Argument 1")
    say("struct P { y: int }")
    assert say("P { y: 1 }") == "P {y: 1}"


def test_imports_live_on(say, tmp_path):
    (tmp_path / "one.harn").write_text('pub fn greet(name) { return "hello ${name}" }\n')
    (tmp_path / "two.harn").write_text('pub fn greet(name) { return "bye ${name}" }\n')
    say(f'import "{tmp_path / "one.harn"}"')
    assert say('greet("you")') == '"hello you"'
    say(f'import {{ greet }} from "{tmp_path / "two.harn"}"')
    assert say('greet("you")') == '"bye you"'


def test_a_builtin_may_be_hidden(say):
    say("fn len(x) { return 7 }")
    assert say("len([])") == "7"


def test_errors_keep_the_session_and_what_was_bound_before_them(say):
    say("let a = 1\nlet b = 1 / 0")
    assert say("a") == "1"
    assert say("b").startswith("! Runtime error: Undefined variable: b") or say("b").startswith(
        "! Undefined variable: b"
    )
    assert say("let = 3").startswith("? Expected variable name")
    assert say('throw "no"') == "! Thrown: no"
    assert say("fn over(n) { return 1 + over(n) }; over(1)") == "! Stack overflow: too many nested calls"
    assert say("a + 1") == "2"


def test_an_error_points_into_the_input_that_it_comes_from(say):
    say("fn bad() {\n  return 1 / 0\n}")
    answer = say.interactive.perform("\n\nbad()")
    assert [frame.place for frame in answer.failure.frames] == ["<input 1>:2:10", "<input 2>:3:1"]


def test_a_loaded_file_finds_its_neighbours_and_its_errors(say, tmp_path):
    (tmp_path / "near.harn").write_text("pub fn half(n) { return 10 / n }\n")
    path = str(tmp_path / "main.harn")
    say('import { half } from "near"\nfn run() { return half(0) }', path=path)
    answer = say.interactive.perform("run()")
    places = [frame.place for frame in answer.failure.frames]
    assert places[1:] == [f"{path}:2:19", "<input 2>:1:1"]


def test_the_state_of_agents_lives_on(say):
    say('let s = agent_session_open("talk")')
    say('agent_session_inject(s, {role: "user", content: "hello"})')
    assert say("agent_session_snapshot(s).messages.count") == "1"
    say('register_session_hook("session_start", { event -> println("heard") })')
    say('llm_mock({text: "mocked"})')
    assert say('llm_call("x", nil, {provider: "mock"}).text') == '"mocked"'
    say("let task = spawn { 40 + 2 }")
    assert say("await(task)") == "42"


def test_an_entry_pipeline_runs(say):
    assert say('pipeline main() { println("ran")\n return 3 }') == "3"
    assert say.out.getvalue() == "ran\n"


def test_exit_is_an_answer(say):
    assert say.interactive.perform("exit(4)").exit_code == 4
    assert say("1") == "1"


@pytest.mark.parametrize("loop", ["while true { }", "sleep(60s)", "fn f() { return g() }; fn g() { return f() }; f()"])
def test_what_runs_can_be_stopped(say, loop):
    ended = threading.Event()

    def interrupt():
        # More than once: an interrupt before the beginning of the input stops nothing.
        while not ended.wait(0.1):
            say.interactive.interrupt()

    other = threading.Thread(target=interrupt)
    other.start()
    begun = time.monotonic()
    try:
        answer = say.interactive.perform(loop)
    finally:
        ended.set()
        other.join()
    assert answer.interrupted
    assert time.monotonic() - begun < 10
    assert say("1 + 1") == "2"


def test_a_signal_that_another_thread_receives_interrupts_the_running_input():
    class Signalling(io.StringIO):
        def write(self, text):
            # The thread of the session writes, while the main thread waits and is not woken by the signal.
            signal.raise_signal(signal.SIGINT)
            return super().write(text)

    interactive = Interactive(Engine(cache=False), stdout=Signalling(), stderr=io.StringIO())
    before = signal.signal(signal.SIGINT, lambda *_: interactive.interrupt())
    try:
        assert interactive.perform('println("begun")\nwhile true { }').interrupted
    finally:
        signal.signal(signal.SIGINT, before)
        interactive.close()


def test_an_interrupt_that_comes_too_late_stops_nothing(say):
    say("1")
    say.interactive.interrupt()
    assert say("fn f() { return 5 }; f()") == "5"


def test_reset_forgets(say):
    say("let a = 1")
    say.interactive.reset()
    assert say("a").startswith("! ")
    assert say.interactive.inputs == []


def test_types_are_known_without_running(say):
    say("fn f(x: int) -> string { return to_string(x) }\nvar n = 0")
    assert say.interactive.static_type("f(1)") == "string"
    assert say.interactive.static_type("1 + 2") == "int"
    assert say.interactive.static_type("n") is None
    assert say.interactive.static_type("let x = 1") is None


def test_members_are_known(say):
    say("let d = {alpha: 1}\nenum E { A, B }\nstruct P { x: int }\nlet p = P { x: 1 }")
    members = say.interactive.members()
    assert list(members["d"]) == ["alpha"]
    assert list(members["E"]) == ["A", "B"]
    assert list(members["p"]) == ["x"]
