"""The module behind a builtin is loaded by the first call, which does what every other call does."""

import os
import subprocess
import sys

import pytest

from tests.commands import run_command

COUNTING = """
import os
import sys
def leave(status):
    sys.stderr.write(" ".join(name for name in sys.modules if name.startswith("harnlite.")))
    sys.stderr.flush()
    raise SystemExit(status)
os._exit = leave
sys.argv = ["harnlite", "run", sys.argv[1]]
from harnlite.cli.entry import main
main()
"""
CALLS = """
fn words(text) { return regex_split(text, " ") }
fn report(n) {
  if n > 0 { println(join(words("a b c"), "-")) }
}
report(argv.count)
"""


@pytest.mark.parametrize(("count", "loads"), [(0, False), (1, True)])
def test_a_builtin_that_is_not_called_is_not_loaded(tmp_path, count, loads):
    program = tmp_path / "main.harn"
    program.write_text(CALLS.replace("argv.count", str(count)))
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(2):
        command = [sys.executable, "-c", COUNTING, str(program)]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert result.stdout == "a-b-c\n" * count
    loaded = set(result.stderr.split())
    assert ("harnlite.library.regex" in loaded) == loads
    assert ("harnlite.formats.patterns.matching" in loaded) == loads


TWICE = """
fn tried(action) { return try { action() } catch (e) { "caught ${e}" } }
fn same(name, action) {
  let first = tried(action)
  let second = tried(action)
  println("${name}: ${first == second} ${first}")
}
same("value", { -> regex_match("b+", "abbc") })
same("error", { -> regex_match("(", "a") })
same("default", { -> regex_match("a") })
same("of a run", { -> file_exists("nothing") })
same("with a callback", { -> sha256("abc") })
"""


def test_the_first_call_has_the_same_result_as_the_second(tmp_path):
    (tmp_path / "main.harn").write_text(TWICE)
    output = run_command("run", "main.harn", cwd=tmp_path).stdout
    assert output.startswith("value: true [bb]\nerror: true caught Invalid regex")
    assert [output.count(text) for text in (": true ", ": false ")] == [5, 0]


def test_an_error_of_the_first_call_is_reported_where_that_of_the_second_is(tmp_path):
    lines = 'regex_match("a", "a")\nfn f() { return regex_match("(", "a") }\nf()\n'
    (tmp_path / "second.harn").write_text(lines)
    (tmp_path / "first.harn").write_text(lines.replace('regex_match("a", "a")', "                   "))
    first, second = (run_command("run", f"{name}.harn", cwd=tmp_path).stderr for name in ("first", "second"))
    assert "Invalid regex" in first
    assert first.replace("first.harn", "second.harn") == second


def test_the_first_call_of_a_builtin_does_not_undo_an_import_that_hides_it(tmp_path):
    (tmp_path / "lib.harn").write_text('pub fn upper(text) { return "mine ${text}" }\n')
    (tmp_path / "main.harn").write_text('import "./lib"\nprintln(upper("a"))\nprintln(upper("a"))\n')
    assert run_command("run", "main.harn", cwd=tmp_path).stdout == "mine a\nmine a\n"


def test_calls_deep_in_a_recursion_work_once_there_is_room_again(tmp_path):
    text = """
fn deep(n) { return n == 0 ? len(regex_match("a", "aa") ?? []) : 1 + deep(n - 1) }
var depth = 19900
var reached = 0
while depth < 20010 {
  reached = try { deep(depth) } catch (e) { reached }
  depth = depth + 5
}
println(reached > 19000, deep(10))
"""
    (tmp_path / "main.harn").write_text(text)
    assert run_command("run", "main.harn", cwd=tmp_path).stdout == "true 12\n"
