"""Runs of the command line without interpreter start-up: `run_command` forks a process that has loaded harnlite.

A fork takes over the given arguments, environment, working directory and streams, runs `harnlite.cli.entry.main` and
exits. It does the same as `python -m harnlite`, in a tenth of the time. Tests of start-up and of signals start real
processes, and so does every test in `make test-slow`.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NoReturn

from harnlite.editor.lean_types import load_lean_types
from tests.samples import IS_FULL

ROOT = Path(__file__).parents[1]
PATIENCE = 100
"""The time limit of a command in seconds; it guards against hanging and does not measure speed."""
LONGEST = 1 << 16
NOT_LOADED = ("harnlite.__main__", "harnlite.docs", "harnlite.syntax.tables")
ENVIRONMENT = dict(os.environ)
"""The environment of the server: that of the test run, without the changes of the test that runs the first command."""


def run_command(
    *arguments: object,
    cwd: str | Path | None = None,
    env: dict[str, str] | None = None,
    stdin: str | bytes = "",
    text: bool = True,
) -> subprocess.CompletedProcess[Any]:
    """Run `harnlite` with some arguments and return its result, as `subprocess.run` would."""
    words = [str(word) for word in arguments]
    given = stdin.encode() if isinstance(stdin, str) else stdin
    environment = dict(os.environ) if env is None else env
    where = str(cwd or Path.cwd())
    if os.name == "posix" and not IS_FULL:
        status, out, err = _server().run({"words": words, "cwd": where, "env": environment}, given)
    else:
        command = [sys.executable, "-m", "harnlite", *words]
        done = subprocess.run(
            command, input=given, cwd=where, env=environment, capture_output=True, timeout=PATIENCE, check=False
        )
        status, out, err = done.returncode, done.stdout, done.stderr
    if text:
        return subprocess.CompletedProcess(words, status, _text(out), _text(err))
    return subprocess.CompletedProcess(words, status, out, err)


def _text(data: bytes) -> str:
    return data.decode("utf-8").replace("\r\n", "\n")


@functools.cache
def _server() -> Server:
    return Server()


class Server:
    """The process that forks, one command at a time. It exits when this process exits."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(PATIENCE)
        command = [sys.executable, "-m", "tests.commands", str(theirs.fileno())]
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=ENVIRONMENT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
        )
        self._command = 0
        theirs.close()
        atexit.register(self._close)

    def _close(self) -> None:
        self._socket.close()
        self._process.wait(PATIENCE)

    def _give_up(self) -> None:
        """Kill the running command and the server; the next command starts another server."""
        _server.cache_clear()
        atexit.unregister(self._close)
        self._socket.close()
        if self._command:
            os.kill(self._command, signal.SIGKILL)
        self._process.kill()
        self._process.wait(PATIENCE)

    def run(self, request: dict[str, object], given: bytes) -> tuple[int, bytes, bytes]:
        """Run a command and return its status, its output and its errors.

        After a time limit or another exception the rest of the answer would be read as that of the next command.
        """
        try:
            return self._run(request, given)
        except BaseException:
            self._give_up()
            raise

    def _run(self, request: dict[str, object], given: bytes) -> tuple[int, bytes, bytes]:
        assert len(given) < LONGEST, "the pipe would be full before the command reads it"
        read, write = os.pipe()
        os.write(write, given)
        os.close(write)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            message = json.dumps(request).encode()
            socket.send_fds(self._socket, [len(message).to_bytes(4, "big")], [read, out.fileno(), err.fileno()])
            os.close(read)
            self._socket.sendall(message)
            self._command = self._number()
            status = self._number()
            self._command = 0
            out.seek(0)
            err.seek(0)
            return status, out.read(), err.read()

    def _number(self) -> int:
        data = receive(self._socket, 4)
        if len(data) < 4:
            raise EOFError("the server of commands has ended")
        return int.from_bytes(data, "big", signed=True)


def receive(connection: socket.socket, size: int) -> bytes:
    """Receive exactly `size` bytes, or fewer at the end of the stream."""
    data = b""
    while len(data) < size and (part := connection.recv(size - len(data))):
        data += part
    return data


def serve(connection: socket.socket) -> None:
    """Fork for each request; send the process id, and the exit status when the process has exited."""
    load_lean_types()  # as the language server does
    for module in pkgutil.walk_packages(importlib.import_module("harnlite").__path__, "harnlite."):
        if not module.name.startswith(NOT_LOADED):
            importlib.import_module(module.name)
    while True:
        head, streams, _, _ = socket.recv_fds(connection, 4, 3)
        if not head:
            return
        request = json.loads(receive(connection, int.from_bytes(head, "big")))
        pid = os.fork()
        if not pid:
            connection.close()
            command(request, streams)
        for number in streams:
            os.close(number)
        connection.sendall(pid.to_bytes(4, "big", signed=True))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        connection.sendall(status.to_bytes(4, "big", signed=True))


def command(request: dict[str, Any], streams: list[int]) -> NoReturn:
    """Turn this process into the requested command."""
    from harnlite.cli.entry import main

    for number, source in enumerate(streams):
        os.dup2(source, number)
        os.close(source)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
    sys.argv = ["harnlite", *request["words"]]
    main()


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
