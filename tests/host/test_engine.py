"""Engines: the settings they fix, the limits they set, and their isolation from each other."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

import harnlite
from harnlite import Clock, Engine, Ids
from harnlite.host.run_limits import UNCOUNTED_CALLS


class Stopped(Clock):
    """A clock that stands still."""

    def __init__(self, now):
        self._now = now

    def now(self):
        return self._now


class Counted(Ids):
    """Ids in a row."""

    def __init__(self):
        super().__init__(Clock())
        self.made = 0

    def hex(self, count):
        self.made += 1
        return f"{self.made:0{2 * count}x}"


def test_a_file_and_a_text(tmp_path):
    path = tmp_path / "six.harn"
    path.write_text("\ufeffreturn 6\r\n", newline="")
    assert harnlite.run(path).value == 6
    assert harnlite.run("return 6").value == 6
    assert harnlite.run(str(path)).value == 6
    assert harnlite.run(f"let name = 6 // {path}\nreturn name // see x.harn").value == 6
    with pytest.raises(FileNotFoundError):
        harnlite.run(tmp_path / "missing.harn")


def test_a_file_that_is_not_text(tmp_path):
    path = tmp_path / "bytes.harn"
    path.write_bytes(b"let x = 1\nlet y = \xff\n")
    result = harnlite.run(path)
    assert result.exit_code == 3
    (finding,) = harnlite.check(path)
    assert finding.message == result.error == "not UTF-8 text: the byte 0xff has no meaning here"
    assert str(finding.source.position(finding.span.start)) == "2:9"


def test_what_goes_in_and_out():
    result = harnlite.run(
        'pipeline default(a) { println(read_line()); eprintln("oops"); return [a, argv] }',
        params={"a": {1, 2}},
        argv=["x"],
        stdin="typed\nmore",
    )
    assert (result.value, result.stdout, result.stderr, result.ok) == ([{1, 2}, ["x"]], "typed\n", "oops\n", True)


def test_without_capture_the_real_streams_are_used(capfd):
    result = harnlite.run('println("out"); eprintln("err")', capture=False)
    captured = capfd.readouterr()
    assert (captured.out, captured.err, result.stdout, result.stderr) == ("out\n", "err\n", "", "")


@pytest.mark.parametrize(
    ("program", "status", "error"),
    [
        ("return 300", 255, None),
        ("exit(7)", 7, None),
        ("return nil", 0, None),
        ('throw "x"', 1, "Thrown: x"),
        ("throw {a: 1}", 1, "Thrown: {a: 1}"),
        ("1 / 0", 1, "Division by zero"),
        ("let = 1", 3, "Expected variable name, got = at 1:5"),
    ],
)
def test_endings(program, status, error):
    result = harnlite.run(program)
    assert (result.exit_code, result.error, result.ok) == (status, error, error is None)


def test_an_err_is_a_value_that_says_so_on_stderr():
    result = harnlite.run('return Err("no luck")')
    assert (result.exit_code, result.stderr, result.error) == (1, "no luck\n", None)
    assert result.value == harnlite.EnumValue("Result", "Err", ("no luck",))


def test_an_error_in_a_module_is_shown_there(tmp_path):
    (tmp_path / "lib.harn").write_text("// a module\npub fn half(n) { return 10 / n }\n")
    main = tmp_path / "main.harn"
    main.write_text('import { half } from "lib"\nfn go() { let x = half(0); return x }\ngo()\n')
    result = harnlite.run(main)
    (finding,) = result.diagnostics
    assert Path(finding.source.name).name == "lib.harn"
    assert finding.source.text[finding.span.start : finding.span.end] == "10 / n"
    assert [name for name, _ in result.calls] == ["half", "go", "<script>"]


def test_an_error_of_a_task_is_shown_where_it_happened():
    result = harnlite.run('fn fail() { throw "x" }\nlet t = spawn { fail() }\nawait(t)\n', name="t.harn")
    assert result.error == "Thrown: x"
    assert result.calls[0] == ("fail", "t.harn:1:13")


def test_clock_ids_and_seed_are_injected():
    engine = Engine(clock=Stopped(1000.5), ids=Counted(), seed=1)
    assert engine.run("return timestamp()").value == 1000.5
    names = engine.run('return [trace_start("a").span_id, trace_start("b").span_id]').value
    assert len(set(names)) == 2
    assert all(name.startswith("000000") for name in names)
    draws = "return [random(), random_int(1, 1000)]"
    assert engine.run(draws).value == engine.run(draws).value == Engine(seed=1).run(draws).value
    assert Engine(seed=2).run(draws).value != Engine(seed=1).run(draws).value


def test_an_engine_is_frozen():
    engine = Engine()
    with pytest.raises(AttributeError, match="frozen"):
        engine.seed = 3
    with pytest.raises(AttributeError, match="frozen"):
        del engine.seed
    assert not hasattr(engine, "__dict__")


def test_a_deadline_ends_loops_and_waits():
    for work in ("while true { }", "sleep(60000)", "fn f() { f() }; while true { [1].map({ v -> v }) }"):
        begun = time.monotonic()
        result = Engine(deadline=0.3).run(
            f'try {{ {work} }} catch (e) {{ println("no") }} finally {{ println("end") }}'
        )
        assert time.monotonic() - begun < 20
        assert (result.error, result.stdout, result.exit_code) == (
            "Error [timeout]: the run took longer than 0.3 s",
            "end\n",
            1,
        )
    assert Engine(deadline=60).run("return 1").value == 1


def test_output_is_limited():
    result = Engine(max_output=10).run('while true { try { println("abc") } catch (e) { } }')
    assert (result.error, result.stdout) == ("the run wrote more than 10 characters", "abc\nabc\nab")
    assert Engine(max_output=4).run('println("abc")').ok


def test_depth_is_limited():
    program = "fn f(n) { return n == 0 ? 0 : 1 + f(n - 1) }; return f(DEPTH)"
    assert Engine(max_depth=300).run(program.replace("DEPTH", "250")).value == 250
    if not UNCOUNTED_CALLS:
        assert (
            Engine(max_depth=300).run(program.replace("DEPTH", "600")).error == "Stack overflow: too many nested calls"
        )
    assert harnlite.run(program.replace("DEPTH", "15000")).value == 15000
    caught = "fn f() { return 1 + f() }; return try { f() }"
    assert harnlite.run(caught).value.fields == ("Stack overflow: too many nested calls",)


def test_runs_leave_nothing_behind():
    engine = Engine()
    engine.run("var x = 1; let y = [x]; fn f() { return 2 }")
    assert engine.run("return x").exit_code in (1, 3)
    other = Engine()
    assert engine.run("return hash_value({a: 1})").value == other.run("return hash_value({a: 1})").value


def test_engines_in_threads_do_not_see_each_other():
    results = {}

    def work(number):
        program = f"var n = 0; for i in 0 to 20000 {{ n = n + {number} }}; println(n); return [n]"
        results[number] = Engine(seed=number).run(program, params={"x": number})

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: result.stdout for number, result in results.items()} == {n: f"{n * 20001}\n" for n in range(1, 5)}


def test_one_run_inside_another():
    inner = Engine(seed=1)

    def evaluate(text):
        return inner.run(text).value

    assert harnlite.run('pipeline default(go) { return go("return [1, 2]") + [3] }', params={"go": evaluate}).value == [
        1,
        2,
        3,
    ]


def test_callbacks_go_both_ways():
    def apply(function, values):
        return [function(value) for value in values]

    program = "pipeline default(apply) { let k = 10; return apply({ v -> v * k }, [1, 2]) }"
    assert harnlite.run(program, params={"apply": apply}).value == [10, 20]


def test_warnings_are_findings_of_check_and_no_errors():
    program = "pipeline default() {\n  return [1]\n  println(1)\n}\n"
    assert [(finding.severity, finding.message) for finding in harnlite.check(program)] == [
        ("warning", "unreachable code")
    ]
    assert harnlite.run(program).value == [1]


def test_an_interrupt_ends_the_run_cleanly_and_reaches_the_host():
    # A shell starts background jobs with SIGINT ignored, and Python keeps to that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    seen = []
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    program = "pipeline default(begin, note) { try { begin(); while true { } } finally { note(1) } }"
    with pytest.raises(KeyboardInterrupt):
        harnlite.run(program, params={"begin": timer.start, "note": seen.append})
    assert seen == [1]
    timer.join()


def test_an_interrupt_that_does_not_wake_the_main_thread_ends_the_run_too():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # The system delivers the signal to the thread of the script, while the main thread waits.
    begin = lambda: signal.raise_signal(signal.SIGINT)  # noqa: E731 - one of many callbacks
    with pytest.raises(KeyboardInterrupt):
        harnlite.run("pipeline default(begin) { begin(); while true { } }", params={"begin": begin})


@pytest.mark.parametrize(
    "code",
    ['glob("*.txt")', 'walk_dir(".")', "cwd()", "source_dir()", "runtime_paths()", 'path_workspace_info("a.txt")'],
)
def test_a_working_folder_may_be_a_path(tmp_path, code):
    (tmp_path / "a.txt").write_text("a")
    found = Engine(cwd=tmp_path).run(f"return {code}")
    assert found.exit_code == 0, found.error
    assert found.value == Engine(cwd=str(tmp_path)).run(f"return {code}").value


def test_files_of_a_run_may_be_paths(tmp_path):
    engine = Engine(
        cwd=tmp_path, events=tmp_path / "events", record=tmp_path / "calls", skill_dirs=[tmp_path / "skills"]
    )
    assert (engine.events, engine.record) == (str(tmp_path / "events"), str(tmp_path / "calls"))
    assert engine.in_folder("/").skill_dirs == (str(tmp_path / "skills"),)
    assert engine.run('llm_mock({text: "ok"})\nreturn llm_call("hi").text').value == "ok"
