"""A session read from a pipe: no prompts, errors on stderr, an exit status."""

import os
import signal
import stat
import subprocess
import sys

import pytest

from tests.commands import run_command


def run(text, *arguments, folder, **environment):
    env = {**os.environ, "HOME": str(folder), **environment}
    return run_command("repl", *arguments, stdin=text, cwd=folder, env=env)


def run_changed(program, text, *, folder):
    """Run a program that changes harnlite and then starts a session with this input."""
    return subprocess.run(
        [sys.executable, "-c", program],
        input=text,
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_values_go_to_stdout(tmp_path):
    result = run("let x = 5\nfn f(a) {\n  return a * x\n}\nf(2)\nprintln(1)\n", folder=tmp_path)
    assert (result.stdout, result.stderr, result.returncode) == ("10\n1\n", "", 0)


def test_an_error_goes_to_stderr_and_the_rest_goes_on(tmp_path):
    result = run("1 / 0\n2", folder=tmp_path)
    assert (result.stdout, result.returncode) == ("2\n", 1)
    assert result.stderr.startswith("error: Division by zero\n --> <input 1>:1:1\n")


def test_a_text_without_an_end_is_an_error(tmp_path):
    result = run("fn f() {\n", folder=tmp_path)
    assert result.returncode == 1
    assert "Unexpected end of file" in result.stderr


def test_exit_decides(tmp_path):
    result = run("1\nexit(4)\n2\n", folder=tmp_path)
    assert (result.stdout, result.returncode) == ("1\n", 4)


@pytest.mark.parametrize(
    ("text", "out"),
    [
        (":type 1 + 1\n", "int\n"),
        ("let x = [1]\n:type x.count\n", "int\n"),
        (":doc abs\n", "abs("),
        ("/// Adds one.\nfn inc(x: int) -> int { return x + 1 }\n?inc\n", "fn inc(x: int) -> int\n\nAdds one.\n"),
        (":doc std/testing\n", "pub fn "),
        ("let n = 4\n?n\n", "int\n"),
        ("?filter\n", "filter: a method of list"),
        ("?harn-rmd-001\n", "# HARN-RMD-001"),
        (":time 1 + 1\n", "2\n0."),
        ("let a = 1\n:reset\n:save new.harn\n", "The session has been reset.\n0 inputs written to new.harn\n"),
        ("let a = 1\na\n:lint\n", "1\nNo findings.\n"),
        (":trace\n", "No reminders.\n"),
        (":load one.harn\na\n", "7\n"),
        (":help\n", "Each input is a program"),
        (":q\n1\n", ""),
    ],
)
def test_commands(text, out, tmp_path):
    (tmp_path / "one.harn").write_text("let a = 7\n")
    result = run(text, folder=tmp_path)
    assert (result.stderr, result.returncode) == ("", 0)
    assert result.stdout.startswith(out)
    assert out or not result.stdout


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (":nope\n", "error: there is no command :nope"),
        (":halp\n", "error: there is no command :halp. Did you mean :help?\n"),
        (":type\n", "error: usage: :type EXPR\n"),
        (":lint now\n", "error: usage: :lint\n"),
        (":load nowhere.harn\n", "error: cannot read 'nowhere.harn': No such file or directory\n"),
        (":save one.harn\n", "error: 'one.harn' already exists; nothing was written\n"),
        (":doc zzzzzzzzzz\n", "error: there is no documentation for zzzzzzzzzz\n"),
        ("fn f() { return missing() }\n:lint\n", "error[HARN-CHK-001]: call target `missing`"),
    ],
)
def test_commands_that_fail(text, error, tmp_path):
    (tmp_path / "one.harn").write_text("let a = 7\n")
    result = run(text, folder=tmp_path)
    assert result.stderr.startswith(error)
    assert result.returncode == 1


def test_what_was_saved_runs_again(tmp_path):
    run("let a = 2\n1 / 0\nfn f(x) {\n  return x * a\n}\n:save kept.harn\n", folder=tmp_path)
    assert (tmp_path / "kept.harn").read_text() == "let a = 2\nfn f(x) {\n  return x * a\n}\n"
    assert run("f(21)\n", "kept.harn", folder=tmp_path).stdout == "42\n"


def test_the_trace_tells_of_reminders(tmp_path):
    text = 'let t = transcript.inject_reminder(transcript(), {body: "Look up.", ttl_turns: 1})\n:trace\n'
    assert "Look up." in run(text, folder=tmp_path).stdout


def test_a_pipe_leaves_no_history(tmp_path):
    run("1\n", folder=tmp_path)
    assert not list(tmp_path.rglob("*history*"))


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("text", ["defer { println(2) }\nprintln(1)\nwhile true { }\n", "println(1)\n"])
def test_signals_end_it(text, number, status, tmp_path):
    command = [sys.executable, "-u", "-m", "harnlite", "repl"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        process.stdin.write(text)
        process.stdin.flush()
        while process.stdout.readline() != "1\n":
            pass
        process.send_signal(number)
        assert process.wait(60) == status
        assert process.stderr.read() == ""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("text", ["println(1)\n", "1\n", "1 / 0\n", ":time 1\n"])
def test_a_signal_that_comes_when_the_input_has_just_ended_ends_it_too(text, number, status, tmp_path):
    program = (
        "import os, sys; from harnlite.host.interactive import Interactive; from harnlite.cli.entry import main\n"
        "perform = Interactive.perform\n"
        "def performed(*given, **named):\n"
        "    answer = perform(*given, **named)\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "    return answer\n"
        "Interactive.perform = performed\n"
        "sys.argv = ['harnlite', 'repl']; main()"
    )
    result = run_changed(program, f"{text}println(2)\n", folder=tmp_path)
    assert result.returncode == status
    assert "2\n" not in result.stdout


def test_the_history_file_is_private(tmp_path, monkeypatch):
    from harnlite.repl.history import history_file

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("HARNLITE_REPL_HISTORY", raising=False)
    path = history_file()
    assert path == str(tmp_path / "harnlite" / "repl_history")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    monkeypatch.setenv("HARNLITE_REPL_HISTORY", "off")
    assert history_file() is None


def test_lint_knows_the_names_of_the_session(tmp_path):
    result = run("let a = 1; 1 / 0\nfn f() { return a }\nf()\nlet b = a\nlet b = 2\n:lint\n", folder=tmp_path)
    assert result.stdout == "1\nNo findings.\n"


@pytest.mark.parametrize("debug", [False, True])
def test_a_fault_of_ours_ends_the_input_only(tmp_path, debug):
    program = (
        "import sys; from harnlite.repl import name_help; from harnlite.cli.entry import main\n"
        "name_help.document = lambda *_: [][0]\n"
        f"sys.argv = ['harnlite', 'repl'] + ['--debug'] * {debug}; main()"
    )
    result = run_changed(program, "?len\n42\n", folder=tmp_path)
    assert (result.stdout, result.returncode) == ("42\n", 1)
    assert "internal error: IndexError: list index out of range\n" in result.stderr
    assert ("Traceback" in result.stderr) is debug
