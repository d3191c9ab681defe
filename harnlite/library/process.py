"""Builtins that run other programs and exit this one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from harnlite.agent.tools.command_policies import command_of_builtin
from harnlite.file_places import FilePlace
from harnlite.library.native import MISSING, native
from harnlite.library.working_folders import os_text, resolve
from harnlite.runtime.access_control import COMMAND_FACT, COMMAND_POLICIES
from harnlite.runtime.child_processes import child_environment, permitted_program, program_slot, working_folder
from harnlite.runtime.environment_settings import setting
from harnlite.values.display import display
from harnlite.values.errors import ExitRun, thrown
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

    from harnlite.runtime.tasks.execution import Execution

_SHELLS_FILE = "/etc/shells"
_USUAL_SHELLS = ("/bin/zsh", "/bin/bash", "/bin/sh")


def _run(run: Execution, name: str, command: list[str], place: FilePlace) -> object:
    with program_slot(run):
        return _result_of(run, name, command, place)


def _result_of(run: Execution, name: str, command: list[str], place: FilePlace) -> object:
    """Run a program while other tasks continue; kill it if the task that waits for it is cancelled or fails."""
    folder = place.path
    program = permitted_program(run, name, command[0], place.real or folder)
    policed = None
    if run.peek(COMMAND_POLICIES) or run.task.facts.get(COMMAND_FACT) is not None:
        policed = command_of_builtin(run, name, command[-1] if name.startswith("shell") else " ".join(command), folder)
    try:
        with place.as_working_folder() as path:
            process = subprocess.Popen(  # noqa: S603 - this builtin exists to run programs
                command,
                executable=program,
                cwd=path,
                env=child_environment(run),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
    except (OSError, ValueError) as error:
        reason = os_text(error) if isinstance(error, OSError) else "nul byte found in provided data"
        raise thrown(f"{name} failed: process spawn failed: {reason}") from None
    try:
        stdout, stderr = run.block(process.communicate)
    except BaseException:
        _kill(process)
        raise
    check_size(max(len(stdout), len(stderr)))
    result: dict[str, object] = {
        "status": max(process.returncode, -1),
        "stderr": stderr.decode("utf-8", "replace"),
        "stdout": stdout.decode("utf-8", "replace"),
        "success": process.returncode == 0,
    }
    return result if policed is None else policed.outcome(result)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and, except on Windows, the programs that it has started."""
    if sys.platform == "win32":
        process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _login_shell() -> Iterator[str]:
    try:
        import pwd

        yield pwd.getpwuid(os.getuid()).pw_shell
    except (ImportError, KeyError):
        return


def _listed_shells() -> Iterator[str]:
    try:
        with open(_SHELLS_FILE, encoding="utf-8", errors="replace") as file:
            yield from (line.strip() for line in file if line.startswith("/"))
    except OSError:
        return


def _shells() -> Iterator[str]:
    yield setting("DEFAULT_SHELL") or ""
    yield os.environ.get("SHELL", "")
    yield from _login_shell()
    yield from _listed_shells()
    yield from _USUAL_SHELLS


def _shell() -> str:
    usable = (path for path in _shells() if os.path.isfile(path) and os.access(path, os.X_OK))
    return next(usable, "sh")


@native("exec")
def exec_program(run: Execution, *command: object) -> object:
    """Run a program without a shell and return its status and output."""
    words = [display(word) for word in command]
    if not words or not words[0]:
        raise thrown("exec: command is required")
    return _run(run, "exec", words, FilePlace(run.cwd))


@native("exec_at")
def exec_at(run: Execution, *command: object) -> object:
    """Run a program in a folder and return its status and output."""
    words = [display(word) for word in command]
    if len(words) < 2 or not words[1]:  # noqa: PLR2004 - folder and program
        raise thrown("exec_at: directory and command are required")
    return _run(run, "exec_at", words[1:], working_folder(run, "exec_at", resolve(run, words[0])))


@native("shell")
def shell(run: Execution, text: object = "") -> object:
    """Run a shell command and return its status and output."""
    line = display(text)
    if not line:
        raise thrown("shell: command string is required")
    return _run(run, "shell", [_shell(), "-c", line], FilePlace(run.cwd))


@native("shell_at")
def shell_at(run: Execution, folder: object = MISSING, text: object = MISSING) -> object:
    """Run a shell command in a folder and return its status and output."""
    if text is MISSING:
        raise thrown("shell_at: directory and command string are required")
    line = display(text)
    if not line:
        raise thrown("shell_at: command string is required")
    return _run(run, "shell_at", [_shell(), "-c", line], working_folder(run, "shell_at", resolve(run, display(folder))))


@native("exit")
def exit_run(code: object = 0) -> NoReturn:
    """Exit the run with a status, after its finally and defer blocks have run."""
    raise ExitRun(code if type(code) is int else 0)
