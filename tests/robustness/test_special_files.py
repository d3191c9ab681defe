"""What is not a regular file is refused by builtins and commands, at once and with its name and kind."""

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from harnlite import Engine
from harnlite.diagnostics.source_files import read_source
from harnlite.regular_files import MOST_BYTES
from tests.commands import run_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and devices of POSIX")

KINDS = {
    "pipe": "it is a named pipe, not a regular file",
    "socket": "it is a socket, not a regular file",
    "zero": "it is a character device, not a regular file",
    "folder": "Is a directory",
}
READERS = {
    "read_file": "read_file(p)",
    "read_file_result": "unwrap(read_file_result(p))",
    "read_file_bytes": "read_file_bytes(p)",
    "read_lines": "read_lines(p)",
    "copy_file": 'copy_file(p, "copy")',
    "import": 'import "./PLACE"',
    "agent_session_seed_from_jsonl": 'throw agent_session_seed_from_jsonl(p)["error"]',
    "agent_loop prompts": 'agent_loop("x", nil, {provider: "mock", loop_until_done: true, prompts: PROMPTS})',
    "resume_agent": "resume_agent(p)",
}
PROMPTS = '{"agent.loop_contract": {path: p}, "agent.turn_preamble": {path: p}}'
WRITERS = {
    "write_file": 'write_file(p, "x")',
    "write_file_bytes": 'write_file_bytes(p, read_file_bytes("ok"))',
    "append_file": 'append_file(p, "x")',
    "copy_file": 'copy_file("ok", p)',
}
COMMANDS = [
    "check", "lint", "fmt", "fmt --check", "test", "timeline", "compile --emit ast", "lint --config", "test --config",
    "run ok.harn --events", "run ok.harn --store", "run model.harn --llm-mock",
]  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.harn")
    os.symlink("/dev/zero", "zero.harn")
    os.mkdir("folder.harn")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket.harn")
    (tmp_path / "ok").write_text("ok")
    (tmp_path / "ok.harn").write_text("println(1)\n")
    (tmp_path / "model.harn").write_text('println(llm_call("x", nil, {provider: "mock"}))\n')
    return tmp_path


def caught(place: Path, expression: str, kind: str) -> str:
    code = f'let p = "{kind}.harn"\ntry {{ {expression} }} catch (e) {{ println(e) }}\n'
    if expression.startswith("import"):
        code = expression
    started = time.monotonic()
    result = Engine(cache=False, cwd=str(place), deadline=20).run(
        code.replace("PLACE", f"{kind}.harn").replace("PROMPTS", PROMPTS)
    )
    assert time.monotonic() - started < 10
    return result.stdout + (result.error or "")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", READERS)
def test_reading(place: Path, name: str, kind: str) -> None:
    text = caught(place, READERS[name], kind)
    if kind == "folder" and name == "import":
        return  # a folder is not found as a module
    assert KINDS[kind] in text
    assert f"{kind}.harn" in text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", WRITERS)
def test_writing(place: Path, name: str, kind: str) -> None:
    text = caught(place, WRITERS[name], kind)
    if kind == "zero":
        assert text == ""
        return
    assert KINDS[kind] in text
    assert f"{kind}.harn" in text


def test_the_tool_that_reads_files(place: Path) -> None:
    code = """
llm_mock({tool_calls: [{name: "read_file", arguments: {path: "pipe.harn"}}]})
llm_mock({text: "ok"})
let own = {name: "read_file", description: "Reads a file.", parameters: {path: "string"}}
println(agent_loop("x", nil, {provider: "mock", tool_format: "native", tools: [own], max_iterations: 2}))
"""
    result = Engine(cache=False, cwd=str(place), deadline=20).run(code)
    assert "cannot read file 'pipe.harn': it is a named pipe, not a regular file" in result.stdout, result.error


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command(place: Path, command: str, kind: str) -> None:
    if kind == "folder" and command.partition(" ")[0] in {"check", "lint", "fmt", "test"}:
        return  # a folder stands for its files
    done = run_command(*command.split(), f"{kind}.harn")
    assert done.returncode == (1 if command in {"test", "lint"} else 2)
    assert KINDS[kind] in done.stderr + done.stdout
    assert f"{kind}.harn" in done.stderr + done.stdout


@pytest.mark.parametrize("kind", ["socket", "zero", "folder"])
def test_run(place: Path, kind: str) -> None:
    done = run_command("run", f"{kind}.harn")
    assert (done.returncode, done.stderr) == (2, f"error: cannot read '{kind}.harn': {KINDS[kind]}\n")


def test_a_program_may_come_from_a_pipe(place: Path) -> None:
    writer = threading.Thread(target=lambda: (place / "pipe.harn").write_text("println(2)\n"), daemon=True)
    writer.start()
    assert run_command("run", "pipe.harn").stdout == "2\n"
    writer.join(60)
    script = f'"{sys.executable}" -m harnlite run <(echo "println(3)")'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "3\n", done.stderr
    assert run_command("run", "-", stdin="println(4)\n").stdout == "4\n"


def wait_for_sleep(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has been asleep for a second: it waits for something, and not for a processor or a disk."""
    asleep, end = 0, time.monotonic() + 60
    while asleep < 20:
        assert time.monotonic() < end
        time.sleep(0.05)
        state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        asleep = asleep + 1 if state == "S" else 0


def wait_for_reader(pipe: Path) -> int:
    """Wait until a process opens a pipe for reading, and open it for writing."""
    end = time.monotonic() + 60
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            assert error.errno == errno.ENXIO  # noqa: PT017 - there is no reader yet
            assert time.monotonic() < end
            time.sleep(0.01)


@pytest.mark.parametrize("call", ["open", "read"])
def test_waiting_for_a_pipe_can_be_interrupted(place: Path, call: str) -> None:
    if call == "open" and not os.path.isdir("/proc/self"):
        pytest.skip("the state of a process is read from /proc")
    command = [sys.executable, "-m", "harnlite", "run", str(place / "pipe.harn")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        if call == "open":
            wait_for_sleep(process)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
            return
        writer = wait_for_reader(place / "pipe.harn")
        try:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
        finally:
            os.close(writer)


def test_a_program_has_a_limit(place: Path) -> None:
    with (place / "large.harn").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(OSError, match="it is larger than 100,000,000 bytes"):
        read_source("large.harn")
    assert "Value too large" in caught(place, READERS["read_file"], "large")
    assert "it is larger than 100,000,000 bytes" in caught(place, READERS["import"], "large")
    done = run_command("run", "large.harn")
    assert (done.returncode, done.stderr) == (
        2,
        "error: cannot read 'large.harn': it is larger than 100,000,000 bytes\n",
    )


def test_a_link_to_a_regular_file_is_read(place: Path) -> None:
    os.symlink("ok", "link.harn")
    assert caught(place, "println(read_file(p))", "link") == "ok\n"
    assert caught(place, 'write_file("/dev/null", "x")', "link") == ""
