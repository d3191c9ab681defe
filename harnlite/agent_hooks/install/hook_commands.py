"""The command that an agent starts at an event, as a list of words or as a line for a shell."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

from harnlite.agent_hooks.install import agent_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harnlite.agent_hooks.install.agent_files import AgentFiles

START = ("harnlite", "agent_hooks", "start.py")
MARKS = tuple(sign.join(START) for sign in ("/", "\\", "\\\\"))
"""How the file that agents start is named in commands; only what contains such a name belongs to harnlite."""
WHATEVER_HAPPENS = " || exit 0"
"""The end of a line for a shell. Python ends with status 2 if the file is gone, which refuses prompts and tools."""
_COMMANDS = ("command", "exec", "bash", "powershell")


def start_file() -> str:
    """Return the absolute path of the file that agents start; it is the same for every version in an environment."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return os.path.join(package, *START[1:])


def words_of(agent: str, options: Sequence[str], event: str, start: Sequence[str] = ()) -> list[str]:
    """Return the words of the command; `options` name the rules and what they may do.

    The command begins with `start`, or else with the interpreter of this environment.
    """
    begin = start or (sys.executable, "-I", "-S", start_file())
    return [*begin, "hook", "--agent", agent, *options, event]


def shell_line(words: Sequence[str]) -> str:
    """Return words as a line for the shell of this system."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def handler(files: AgentFiles, options: Sequence[str], native: str, start: Sequence[str] = ()) -> dict[str, object]:
    """Return the entry for one event in the form of the agent."""
    words = words_of(files.name, options, native, start)
    entry: dict[str, object] = {**files.extra}
    if files.form == agent_files.GROUPS or files.command == agent_files.EXEC:
        entry = {"type": "command", **entry}
    if files.command != agent_files.EXEC:
        entry["command"] = shell_line(words) + WHATEVER_HAPPENS
    elif native in files.fails_closed:
        entry |= {"bash": shlex.join(words) + WHATEVER_HAPPENS, "powershell": _for_powershell(words)}
    else:
        entry |= {"exec": words[0], "args": words[1:]}
    key, seconds = files.timeout
    entry[key] = seconds
    return entry


def _for_powershell(words: Sequence[str]) -> str:
    quoted = " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return f"try {{ & {quoted} }} catch {{ }}; exit 0"


def is_ours(handler_entry: Mapping[str, object]) -> bool:
    """Return whether a handler in a configuration starts harnlite."""
    arguments = handler_entry.get("args")
    texts = [handler_entry.get(key) for key in _COMMANDS]
    return any(isinstance(text, str) and has_mark(text) for text in [*texts, *_list(arguments)])


def has_mark(text: str) -> bool:
    """Return whether a command, or a program, starts harnlite."""
    return any(mark in text for mark in MARKS)


def words_in(handler_entry: Mapping[str, object]) -> list[str]:
    """Return the words of the command of a handler, or an empty list."""
    arguments = handler_entry.get("args")
    program = handler_entry.get("exec", handler_entry.get("command"))
    if isinstance(arguments, list):
        return [str(program), *(str(word) for word in arguments)]
    line = handler_entry.get("command", handler_entry.get("bash"))
    return split_line(line) if isinstance(line, str) else []


def split_line(line: str) -> list[str]:
    """Return the words of a line for a shell without its end, or an empty list."""
    try:
        words = shlex.split(line.removesuffix(WHATEVER_HAPPENS), posix=os.name != "nt")
    except ValueError:
        return []
    return words if os.name != "nt" else [word.strip('"') for word in words]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
