"""Runs that end in the middle of a call, by a signal or a bug, write no key; and keys that cannot be sent."""

import signal
import subprocess
import sys
import time

import pytest

from tests.commands import run_command
from tests.security.vendor_routes import KEY, assert_clean, place_of
from tests.vendors import Reply

ENDLESS = """
event_log.emit("runs", "started", {{at: 1}})
defer {{ println("cleaned up") }}
println("calling")
let r = agent_loop("go", nil, {options} llm_transcript_dir: "logs"}})
println(r.status)
"""
START = "from harnlite.cli.entry import main\nmain()\n"


@pytest.mark.parametrize("name", ["openai", "gemini", "key_cmd", "secret_header"])
@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGABRT])
def test_ends_in_the_middle_of_a_call(name, ended_by, tmp_path):
    with place_of(name, tmp_path) as place:
        place.server.set_replies(f"The key is {place.route.secret}", Reply("slow", latency=60))
        (tmp_path / "main.harn").write_text(
            f'llm_call("hi", nil, {place.options}}})\n' + ENDLESS.format(options=place.options)
        )
        log = "log.sqlite" if ended_by == signal.SIGKILL else "log.jsonl"
        option = "--store" if log.endswith("sqlite") else "--events"
        arguments = ["run", "main.harn", option, log, "--record", "calls.jsonl", "--debug", "--trace", "-v"]
        process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-c", START, *arguments],
            cwd=tmp_path,
            env={**place.environment, "PYTHONPATH": ":".join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        until = time.monotonic() + 60
        while len(place.server.requests) < 2 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        with open(f"/proc/{process.pid}/cmdline", "rb") as file:
            assert_clean(file.read(), place.route.secret, "arguments")
        process.send_signal(ended_by)
        out, err = process.communicate(timeout=60)
        assert process.returncode in (-ended_by, 128 + ended_by), err
        assert b"calling" in out or ended_by == signal.SIGKILL, err
        lines = (tmp_path / "calls.jsonl").read_bytes()
        assert lines.endswith(b"}\n")
        assert lines.count(b"\n") == 1
        place.assert_clean(out, err)


BROKEN = """
import harnlite.llm.vendors.vendor_backend as backend

def broken(run, wire, endpoint, request):
    shown = {{name: value.reveal() for name, value in endpoint.credentials.items()}}
    {statement}

backend._sent = broken
"""
STATEMENTS = [
    "raise RuntimeError(f'cannot send {shown} {endpoint.host.headers}')",
    "raise SystemError(shown, endpoint.host.headers)",
    "raise KeyError(str(shown))",
    "assert not shown, (shown, endpoint.host.headers)\n    assert 0, endpoint.host.headers",
]


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("name", ["openai", "key_cmd", "secret_header"])
def test_a_bug_of_harnlite(name, statement, tmp_path):
    with place_of(name, tmp_path) as place:
        (tmp_path / "main.harn").write_text(
            f'await(spawn {{ llm_call("hi", nil, {place.options} llm_retries: 0}}) }})\n'
        )
        code = BROKEN.format(statement=statement) + START
        done = subprocess.run(
            [sys.executable, "-c", code, "run", "main.harn", "--debug", "--events", "e.jsonl", "--record", "c.jsonl"],
            cwd=tmp_path,
            env={**place.environment, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            check=False,
        )
        assert done.returncode in (0, 1, 2, 70), done.stderr
        assert b"internal error" in done.stderr or b"unknown form" in done.stderr, done.stderr
        place.assert_clean(done.stdout, done.stderr)


LOOKING = """
import os, pathlib
for folder in os.listdir("/proc"):
    if folder.isdigit():
        try:
            found = pathlib.Path("/proc", folder, "cmdline").read_bytes()
            pathlib.Path("arguments.txt").open("ab").write(found + b"\\n")
        except OSError:
            pass
"""


def test_no_process_has_a_key_among_its_arguments(tmp_path):
    with place_of("key_cmd", tmp_path, "fine", "fine") as place:
        printer = tmp_path / "print_key.py"
        printer.write_text(LOOKING + printer.read_text())
        (tmp_path / "main.harn").write_text(
            f'println(llm_call("a", nil, {place.options}}}).text)\n'
            'println(exec("sh", "-c", "cat /proc/self/cmdline /proc/$PPID/cmdline").stdout)\n'
        )
        done = run_command("run", "main.harn", cwd=tmp_path, env=place.environment)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "arguments.txt").stat().st_size
        place.assert_clean(done.stdout, done.stderr)


ODD = "zk-0dd-K3y-9f8e7d6c"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (f"{ODD}é", "the API key in OPENAI_API_KEY contains a space, a line break or a character"),
        (f"{ODD}\nx-evil: 1", "contains a space, a line break or a character that is not ASCII; it is not sent"),
        (f"{ODD} {ODD}", "contains a space, a line break or a character that is not ASCII; it is not sent"),
        (f"{ODD}\x7f", "contains a space, a line break or a character that is not ASCII; it is not sent"),
        (f"{ODD}\udcff", "contains a space, a line break or a character that is not ASCII; it is not sent"),
        (" \n", "Missing API key: set OPENAI_API_KEY"),
        ("", "Missing API key: set OPENAI_API_KEY environment variable"),
    ],
)
def test_keys_that_cannot_be_sent(key, message, tmp_path):
    with place_of("openai", tmp_path, default="fine") as place:
        given = {**place.environment, "OPENAI_API_KEY": key}
        (tmp_path / "main.harn").write_text(f'println(llm_call("hi", nil, {place.options}}}).text)\n')
        for arguments in (("run", "main.harn", "--debug"), ("models", "--check"), ("doctor",), ("config",)):
            done = run_command(*arguments, cwd=tmp_path, env=given)
            assert_clean(done.stdout + done.stderr, ODD, arguments)
            assert arguments[0] != "run" or (done.returncode == 1 and message in done.stderr), done.stderr
        assert place.server.connections == 0


@pytest.mark.parametrize("space", ["\n", " ", "\r\n", "\t "])
def test_space_around_a_key_is_ignored(space, tmp_path):
    with place_of("openai", tmp_path, "fine") as place:
        given = {**place.environment, "OPENAI_API_KEY": f"{space}{KEY}{space}"}
        (tmp_path / "main.harn").write_text(f'println(llm_call("hi", nil, {place.options}}}).text)\n')
        done = run_command("run", "main.harn", cwd=tmp_path, env=given)
        assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
