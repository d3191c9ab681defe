"""Ctrl-C, closed pipes, and files that are not programs."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import run_command

COMMAND = [sys.executable, "-u", "-m", "harnlite", "run"]
POSIX_ONLY = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

PLACES = {
    "loop": "while true { }",
    "loop with work": "var n = 0\n while true { n += 1 }",
    "for over a range": "for i in 1 to 1000000000000 { }",
    "sleep": "sleep(60s)",
    "sleep in a loop": "while true { sleep(1ms) }",
    "task": "await(spawn { while true { } })",
    "sleeping task": "await(spawn { sleep(60s) })",
    "parallel": "parallel each [1, 2, 3] { x -> while true { } }",
    "sleeping parallel": "parallel each [1, 2, 3] { x -> sleep(60s) }",
    "settle": "parallel settle [1, 2] { x -> while true { sleep(1ms) } }",
    "recursion": "fn f(n) { return n == 0 ? 0 : f(n - 1) + f(n - 1) }\n f(60)",
    "tail calls": "fn f(n) { return f(n + 1) }\n f(0)",
    "callbacks": "(1 to 1000000000000).for_each({ x -> x })",
    "builtin over a range": "iter(1 to 1000000000000).sum()",
    "generator": "fn g() { while true { yield 1 } }\n for x in g() { }",
    "channel": "let t = spawn { sleep(60s) }\n let ch = channel()\n receive(ch)",
    "select": "let t = spawn { sleep(60s) }\n let ch = channel()\n select { x from ch { } timeout 60s { } }",
    "retry": 'retry 1000000000 { throw "again" }',
    "catch": "while true { try { sleep(60s) } catch (e) { } }",
    "deadline": "deadline 60s { while true { } }",
    "mutex": "mutex { while true { } }",
    "stdin": "read_line()",
}


@contextlib.contextmanager
def started(*args: str) -> Iterator[subprocess.Popen[str]]:
    """Start a run, and see to it that it does not stay behind."""
    pipe = subprocess.PIPE
    with subprocess.Popen([*COMMAND, *args], stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@POSIX_ONLY
@pytest.mark.parametrize("name", PLACES)
def test_ctrl_c_ends_the_run_and_cleans_up(name: str, tmp_path: Path) -> None:
    program = tmp_path / "main.harn"
    program.write_text(
        'defer { println("deferred") }\nfn work() {\n defer { println("work deferred") }\n'
        f'try {{\n println("ready")\n eprintln("ready")\n {PLACES[name]}\n}} catch (e) {{ println("caught") }} '
        'finally { println("finally") }\n}\nwork()\nprintln("never")\n',
        encoding="utf-8",
    )
    with started(str(program)) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "ready\n"
        time.sleep(0.15)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        stdout, stderr = process.communicate()
    assert stdout == "ready\nfinally\nwork deferred\ndeferred\n", stderr
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert "KeyboardInterrupt" not in stderr


@POSIX_ONLY
def test_a_second_ctrl_c_ends_a_cleanup_that_hangs(tmp_path: Path) -> None:
    program = tmp_path / "main.harn"
    text = 'defer {\n eprintln("cleaning")\n while true { }\n}\neprintln("ready")\nwhile true { }\n'
    program.write_text(text, encoding="utf-8")
    with started(str(program)) as process:
        assert process.stderr is not None
        # Two signals that arrive before the process runs again are one.
        for line in ("ready\n", "cleaning\n"):
            assert process.stderr.readline() == line
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in stderr


@POSIX_ONLY
@pytest.mark.parametrize("code", ['while true { println("line") }', 'for i in 1 to 100000 { println("${i}") }'])
def test_a_closed_stdout_is_quiet(code: str) -> None:
    with started("-c", code) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        process.wait(timeout=60)
        assert process.stderr.read() == ""


def finish(*args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    done = run_command("run", *args, stdin=stdin, text=False)
    assert b"Traceback" not in done.stderr
    assert b"internal error" not in done.stderr
    return done


GARBAGE = {
    "zeros": b"\0" * 1000,
    "binary": bytes(range(256)) * 8,
    "not utf-8": b'println("\xff\xfe")\n',
    "half a character": 'println("é"'.encode()[:-2],
    "utf-16": 'println("x")\n'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbfprintln("x")\n',
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
    "elf": b"\x7fELF\x02\x01\x01\x00",
    "one long line": b"x" * 200_000,
    "only newlines": b"\n" * 10_000,
    "carriage returns": b'println("a")\r\nprintln("b")\r\n',
    "only carriage returns": b'println("a")\rprintln("b")\r',
    "no end of line": b'println("a")',
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_answered(name: str, tmp_path: Path) -> None:
    path = tmp_path / "garbage.harn"
    path.write_bytes(GARBAGE[name])
    done = finish(str(path))
    assert done.returncode in (0, 1, 2, 3)
    assert done.returncode == 0 or done.stderr
    checked = run_command("check", path, text=False)
    assert b"Traceback" not in checked.stderr
    assert b"internal error" not in checked.stderr


def test_an_empty_file_does_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty.harn"
    path.write_bytes(b"")
    done = finish(str(path))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_file_that_is_not_utf_8_says_so(tmp_path: Path) -> None:
    path = tmp_path / "latin.harn"
    path.write_bytes(b'println("\xe9")\n')
    done = finish(str(path))
    assert done.returncode != 0
    assert b"UTF-8" in done.stderr


@pytest.mark.parametrize("name", ["missing.harn", "", "."])
def test_no_such_program(name: str, tmp_path: Path) -> None:
    done = finish(str(tmp_path / name))
    assert done.returncode == 2
    assert done.stderr


def test_carriage_returns_at_line_ends_are_blanks(tmp_path: Path) -> None:
    path = tmp_path / "windows.harn"
    path.write_bytes(b'let a = 1\r\n  + 2\r\nprintln("""\r\n  x\r\n    y\r\n""")\r\nprintln(a)\r\n')
    done = finish(str(path))
    assert done.stdout.replace(b"\r", b"") == b"x\n  y\n3\n"


def test_stdin_that_is_closed() -> None:
    done = finish("-c", "println(read_line())\nprintln(read_stdin())")
    assert done.stdout in (b"nil\nnil\n", b"nil\n\n")


def test_a_run_without_a_folder(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", f'cd "{gone}" && rmdir "{gone}" && "{sys.executable}" -m harnlite run -c "println(1)"'],
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)},
    )
    assert done.stdout == b"1\n", done.stderr


@POSIX_ONLY
def test_ctrl_c_ends_a_program_that_makes_ever_more_tasks(tmp_path: Path) -> None:
    program = tmp_path / "main.harn"
    program.write_text(
        'fn bomb(x) { return parallel each [1, 2] { y -> bomb(y) } }\ndefer { println("deferred") }\n'
        'eprintln("ready")\nbomb(1)\n',
        encoding="utf-8",
    )
    with started(str(program)) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert stdout == "deferred\n", stderr
    assert process.returncode == 130
