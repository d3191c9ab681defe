from __future__ import annotations

import os
import sys
import time

import pytest

from harnlite import Engine
from harnlite.values.errors import ExitRun

MISSING = "No such file or directory (os error 2)"
PYTHON = sys.executable


def python(text):
    return (PYTHON, "-c", text)


def test_exec(run):
    result = run.call("exec", *python("import sys; print('$HOME'); sys.stderr.write('e'); sys.exit(3)"))
    assert result == {"status": 3, "stderr": "e", "stdout": "$HOME\n", "success": False}
    result = run.call("exec", *python("print(input())"))
    assert "EOFError" in result["stderr"]
    assert run.call("exec", "true") == {"status": 0, "stderr": "", "stdout": "", "success": True}
    assert run.call("exec", *python("import os; os.kill(os.getpid(), 9)"))["status"] == -1
    assert run.call("exec", "printf", "\\377")["stdout"] == "\ufffd"
    assert run.call("exec", "echo", 1, [2])["stdout"] == "1 [2]\n"


def test_folders(run, tmp_path):
    (tmp_path / "sub").mkdir()
    assert run.call("exec", "pwd")["stdout"] == f"{tmp_path}\n"
    assert run.call("exec_at", "sub", "pwd")["stdout"] == f"{tmp_path}/sub\n"
    assert run.call("shell_at", "sub", "pwd")["stdout"] == f"{tmp_path}/sub\n"
    assert run.call("shell_at", str(tmp_path), "echo a | tr a b; exit 4") == {
        "status": 4,
        "stderr": "",
        "stdout": "b\n",
        "success": False,
    }


def test_shell(run, monkeypatch):
    assert run.call("shell", "echo $((1 + 2))")["stdout"] == "3\n"
    monkeypatch.setenv("HARN_DEFAULT_SHELL", "/no/such/shell")
    monkeypatch.setenv("SHELL", PYTHON)
    assert run.call("shell", "print(1 + 1)")["stdout"] == "2\n"
    monkeypatch.setenv("HARN_DEFAULT_SHELL", "/bin/sh")
    assert run.call("shell", "echo sh")["stdout"] == "sh\n"
    monkeypatch.setenv("HARNLITE_DEFAULT_SHELL", PYTHON)
    assert run.call("shell", "print(3)")["stdout"] == "3\n"


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("exec",), "exec: command is required"),
        (("exec", ""), "exec: command is required"),
        (("exec", "no-such-program-x"), f"exec failed: process spawn failed: {MISSING}"),
        (("exec", "a\0b"), "exec failed: process spawn failed: nul byte found in provided data"),
        (("exec_at",), "exec_at: directory and command are required"),
        (("exec_at", "d"), "exec_at: directory and command are required"),
        (("exec_at", "none", "true"), f"exec_at failed: process spawn failed: {MISSING}"),
        (("shell",), "shell: command string is required"),
        (("shell", ""), "shell: command string is required"),
        (("shell_at",), "shell_at: directory and command string are required"),
        (("shell_at", "d"), "shell_at: directory and command string are required"),
        (("shell_at", "d", ""), "shell_at: command string is required"),
        (("shell_at", "none", "true"), f"shell_at failed: process spawn failed: {MISSING}"),
    ],
)
def test_errors(run, args, error):
    assert run.error(*args) == error


@pytest.mark.parametrize(("args", "code"), [((), 0), ((3,), 3), ((-1,), -1), (("x",), 0), ((None,), 0)])
def test_exit(run, args, code):
    with pytest.raises(ExitRun) as caught:
        run.call("exit", *args)
    assert caught.value.code == code


def test_variables(run, monkeypatch):
    monkeypatch.setenv("HARN_TEST_X", "")
    assert run.call("env", "HARN_TEST_X") == ""
    assert run.call("env", "HARN_TEST_Y") is None
    assert run.call("env_or", "HARN_TEST_X", "d") == ""
    assert run.call("env_or", "HARN_TEST_Y", 5) == 5
    assert run.call("env_or", "HARN_TEST_Y") is None


def test_user_and_machine(run, monkeypatch):
    for name in ("USER", "USERNAME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    assert (run.call("username"), run.call("home_dir")) == ("", "")
    monkeypatch.setenv("USERNAME", "b")
    assert run.call("username") == "b"
    monkeypatch.setenv("USER", "a")
    monkeypatch.setenv("HOME", "/h")
    assert (run.call("username"), run.call("home_dir")) == ("a", "/h")
    assert run.call("pid") == os.getpid()
    assert run.call("platform") in {"linux", "darwin", "windows"}
    assert run.call("hostname")
    assert run.call("arch")


@pytest.fixture
def project(run, tmp_path, monkeypatch):
    for name in ("STATE_DIR", "RUN_DIR", "WORKTREE_DIR"):
        monkeypatch.delenv("HARN_" + name, raising=False)
    (tmp_path / "project" / "deep").mkdir(parents=True)
    (tmp_path / "project" / "harn.toml").write_text("")
    run.cwd = str(tmp_path / "project" / "deep")
    return run


def test_folders_of_the_run(project, tmp_path):
    base = f"{tmp_path}/project"
    assert project.call("cwd") == project.call("execution_root") == f"{base}/deep"
    assert project.call("source_dir") == project.call("asset_root") == str(tmp_path)
    assert project.call("project_root") == base
    assert project.call("runtime_paths") == {
        "asset_root": str(tmp_path),
        "execution_root": f"{base}/deep",
        "run_root": f"{base}/.harn-runs",
        "state_root": f"{base}/.harn",
        "worktree_root": f"{base}/.harn/worktrees",
    }
    project.cwd = str(tmp_path)
    assert project.call("project_root") is None
    assert project.call("runtime_paths")["state_root"] == f"{tmp_path}/.harn"


def test_folders_from_the_environment(project, tmp_path, monkeypatch):
    monkeypatch.setenv("HARN_STATE_DIR", "state")
    monkeypatch.setenv("HARN_RUN_DIR", "/runs")
    paths = project.call("runtime_paths")
    assert paths["state_root"] == f"{tmp_path}/project/state"
    assert paths["worktree_root"] == f"{tmp_path}/project/state/worktrees"
    assert paths["run_root"] == "/runs"
    monkeypatch.setenv("HARN_WORKTREE_DIR", "trees")
    assert project.call("runtime_paths")["worktree_root"] == f"{tmp_path}/project/trees"


def wait_for_end(process):
    end = time.monotonic() + 60
    while True:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < end, "the process still runs"
        time.sleep(0.01)


def test_programs_end_with_the_task_that_waits_for_them(tmp_path):
    program = """
fn number(file) { return file_exists(file) ? to_int(read_file(file).trim()) : nil }
let late = try { deadline 500ms { shell("echo $$ > first; sleep 600") } }
let task = spawn { exec_at(".", "sh", "-c", "echo $$ > second; sleep 600") }
while number("second") == nil { sleep(5ms) }
cancel(task)
return [unwrap_err(late), number("first"), number("second")]
"""
    error, first, second = Engine(cwd=str(tmp_path)).run(program).value
    assert error == "Deadline exceeded"
    if first is not None:  # otherwise the machine was too busy to start the first program in time
        wait_for_end(first)
    wait_for_end(second)


def test_other_tasks_go_on_while_a_program_runs(tmp_path):
    program = 'let t = spawn { exec("sleep", "0.2"); println("slow") }; spawn { append_file("x", "quick") }; await(t)'
    result = Engine(cwd=str(tmp_path)).run(program + '\nreturn read_file("x")')
    assert (result.value, result.stdout) == ("quick", "slow\n")


def test_exit_runs_what_is_pending(tmp_path):
    program = """
fn leave() {
  defer { println("defer") }
  try { exit(7) } catch (e) { println("never") } finally { println("finally") }
}
leave()
println("never")
"""
    result = Engine(cwd=str(tmp_path)).run(program)
    assert (result.exit_code, result.stdout) == (7, "finally\ndefer\n")
