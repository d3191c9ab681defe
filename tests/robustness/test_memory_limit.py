"""The limit on the memory of a run: bombs end with an error on a machine of 1.5 GB, which RLIMIT_AS stands for."""

import json
import subprocess
import sys

import pytest

import harnlite

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the memory of the process is read from /proc")
MACHINE = 1_500_000_000
START = """
import json, resource, subprocess, sys
def limit():
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), int(sys.argv[1])))
done = subprocess.run(sys.argv[2:], preexec_fn=limit, capture_output=True, text=True, timeout=60)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps([done.returncode, done.stdout, done.stderr, most * 1024]))
"""
BOMBS = {
    "a string that doubles": 'var t = "ab"\nwhile true { t = t + t }',
    "a wide string that doubles": 'var t = "a\\u{1F600}"\nwhile true { t = t + t }',
    "strings": 'var k = []\nwhile true { k = k.push("x".repeat(900000)) }',
    "large strings": 'var k = []\nwhile true { k = k.push("x".repeat(90000000)) }',
    "a list that doubles": "var t = [1, 2]\nwhile true { t = t + t }",
    "a spread that doubles": "var t = [1, 2]\nwhile true { t = [...t, ...t] }",
    "dicts in dicts": "var d = {a: 1}\nvar i = 0\nwhile true { i = i + 1\n d = {...d, [to_string(i)]: d} }",
    "copies": "var d = []\nvar i = 0\nwhile true { i = i + 1\n d = d.push({a: {b: {c: [i, i]}}}) }",
    "tasks": "var t = []\nwhile true { t = t.push(spawn { let x = range(9000).to_list()\n sleep(9999)\n len(x) }) }",
    "a closure without loops": 'range(9000).to_list().map({ x -> "y".repeat(999999) })',
    "spreads without calls": "let s = range(100000).to_list()\nlen(range(9000).to_list().map({ x -> [...s] }))",
    "strings of a closure": 'let t = "y".repeat(200000)\nlen(range(20000).to_list().map({ x -> t + "a" }))',
    "literals": "range(1000000).to_list().map({ x -> {a: [x, [x], {b: x, c: [x]}], d: [[x, x, x], [x], {e: {}}]} })",
    "recursion": "fn f(n) { let xs = range(100000).to_list()\n return f(n + 1) + len(xs) }\nf(0)",
    "split": 'println(len("x".repeat(90000000).split("")))',
    "flatten": "let a = range(10000).to_list()\nlen(a.map({ x -> a }).flatten())",
    "join": 'let a = range(400).to_list().map({ x -> "y".repeat(999999) })\nlen(a.join(""))',
    "channel": 'let c = channel("a", 100000000)\nwhile true { send(c, "x".repeat(100000)) }',
}
TEXTS = ("Error [budget_exceeded]: more than ", "Error [budget_exceeded]: the run went on ", "Value too large")


def run(tmp_path, text, *options, machine=MACHINE):
    """Run a program on the small machine; return its status, stdout, stderr and the memory that it used."""
    path = tmp_path / "bomb.harn"
    path.write_text(text + "\n")
    command = [sys.executable, "-c", START, str(machine), sys.executable, "-m", "harnlite", "run", *options, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_within_a_limit(tmp_path, name):
    status, out, err, most = run(tmp_path, BOMBS[name], "--max-memory=200MB")
    assert (status, out) == (1, "")
    assert err.removeprefix("error: ").startswith(TEXTS), err
    assert "Traceback" not in err
    assert most < 1_000_000_000


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_without_a_limit(tmp_path, name):
    """The machine refuses memory, and the script gets an error that it can catch."""
    status, _, err, _ = run(tmp_path, BOMBS[name])
    assert status in {0, 1}
    assert "Traceback" not in err
    assert "internal error" not in err


@pytest.mark.slow
@pytest.mark.parametrize("more", range(0, 8_000_000, 400_000))
def test_the_last_bytes_may_be_those_of_a_small_value(tmp_path, more):
    """The size of the machine decides which allocation fails first: that of a long list, or one of a few bytes."""
    status, out, err, _ = run(tmp_path, BOMBS["copies"], machine=760_000_000 + more)
    assert (status, out) == (1, "")
    assert err.startswith("error: Value too large")


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--max-memory=200MB"], ["--sandbox"], []])
@pytest.mark.parametrize("name", ["strings", "a list that doubles", "dicts in dicts", "recursion"])
def test_a_script_goes_on_after_it_caught_the_error(tmp_path, name, options):
    bomb = f"fn bomb() {{ {BOMBS[name]} }}"
    if name == "recursion":
        bomb = BOMBS[name].replace("\nf(0)", "\nfn bomb() { f(0) }")
    rest = "for i in 1 to 2 { try { bomb() } catch e { println(i) } }\nprintln(len(range(1000000).to_list()))"
    text = f"{bomb}\n{rest}"
    assert run(tmp_path, text, *options)[:3] == [0, "1\n2\n1000000\n", ""]


def test_a_script_that_catches_and_goes_on_is_ended(tmp_path):
    text = "var k = []\nwhile true { try { while true { k = k.push(range(1000).to_list()) } } catch e { } }"
    status, _, err, most = run(tmp_path, text, "--max-memory=100MB")
    assert status == 1
    assert "Error [budget_exceeded]: " in err
    assert most < 1_000_000_000


def test_an_embedded_run_is_limited_too():
    engine = harnlite.Engine(max_memory="50MB")
    result = engine.run('var k = []\nwhile true { k = k.push("x".repeat(900000)) }')
    assert result.error.startswith("Error [budget_exceeded]: more than 50,000,000 bytes of memory above the start")
    caught = engine.run(
        'var k = []\ntry { while true { k = k.push("x".repeat(900000)) } } catch e { k = [] }\nreturn "on"'
    )
    assert (caught.ok, caught.value) == (True, "on")
    assert harnlite.Engine(sandbox=True).limits.max_memory == 512_000_000


def test_a_small_run_is_not_disturbed():
    engine = harnlite.Engine(max_memory="50MB")
    assert engine.run("return range(100000).to_list().map({ x -> x + 1 }).sum()").value == 5_000_050_000
