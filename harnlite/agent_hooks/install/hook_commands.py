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

START = os.path.join("agent_hooks", "start.py")
_MARKS = ("agent_hooks/start.py", "agent_hooks\\start.py", "agent_hooks\\\\start.py")
_WHATEVER_HAPPENS = " || exit 0"


def start_file() -> str:
    """Return the absolute path of the file that agents start; it is the same for every version in an environment."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return os.path.join(package, START)


def words_of(agent: str, rules: Sequence[str], event: str) -> list[str]:
    """Return the words of the command; `rules` are the options that name the rules and what they may do."""
    return [sys.executable, "-I", "-S", start_file(), "hook", "--agent", agent, *rules, event]


def shell_line(words: Sequence[str]) -> str:
    """Return words as a line for the shell of this system."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def handler(files: AgentFiles, rules: Sequence[str], native: str) -> dict[str, object]:
    """Return the entry for one event in the form of the agent."""
    words = words_of(files.name, rules, native)
    closed = native in files.fails_closed
    entry: dict[str, object] = {**files.extra}
    if files.form == agent_files.GROUPS or files.command == agent_files.EXEC:
        entry = {"type": "command", **entry}
    if files.command == agent_files.ARGUMENTS:
        entry |= {"command": words[0], "args": words[1:]}
    elif files.command == agent_files.EXEC and not closed:
        entry |= {"exec": words[0], "args": words[1:]}
    elif files.command == agent_files.EXEC:
        # A program that is missing would refuse every tool call, so a shell turns its failure into a success.
        entry |= {"bash": shlex.join(words) + _WHATEVER_HAPPENS, "powershell": _for_powershell(words)}
    else:
        entry["command"] = shell_line(words) + (_WHATEVER_HAPPENS if closed else "")
    key, seconds = files.timeout
    entry[key] = seconds
    return entry


def _for_powershell(words: Sequence[str]) -> str:
    quoted = " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return f"try {{ & {quoted} }} catch {{ }}; exit 0"


def is_ours(entry: object) -> bool:
    """Return whether an entry of a configuration, or the text of a file, starts harnlite."""
    if isinstance(entry, str):
        return any(mark in entry for mark in _MARKS)
    if isinstance(entry, list):
        return any(is_ours(one) for one in entry)
    return isinstance(entry, dict) and any(is_ours(one) for one in entry.values())


def words_in(entry: Mapping[str, object]) -> list[str]:
    """Return the words of the command of an entry, or an empty list."""
    arguments = entry.get("args")
    program = entry.get("exec", entry.get("command"))
    if isinstance(arguments, list):
        return [str(program), *(str(word) for word in arguments)]
    line = entry.get("command", entry.get("bash"))
    if not isinstance(line, str):
        return []
    try:
        return shlex.split(line.removesuffix(_WHATEVER_HAPPENS), posix=os.name != "nt")
    except ValueError:
        return []
