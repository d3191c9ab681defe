"""The capabilities, what their scopes are, and the operations of builtins that need them."""

from __future__ import annotations

from types import MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PATHS, PROGRAMS, NAMES, ADDRESSES = "paths", "programs", "names", "addresses"

FS_READ, FS_WRITE, PROCESS, ENV, NET = "fs.read", "fs.write", "process", "env", "net"
LLM, TERMINAL, SLEEP, HOST = "llm", "terminal", "clock.sleep", "host"

CAPABILITIES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        FS_READ: (PATHS, "read files and list folders"),
        FS_WRITE: (PATHS, "create, change and delete files and folders"),
        PROCESS: (PROGRAMS, "run programs"),
        ENV: (NAMES, "read environment variables, the user's name and the home folder"),
        NET: (ADDRESSES, "connect to other computers"),
        LLM: ("", "call a model"),
        TERMINAL: ("", "read standard input and control the terminal"),
        SLEEP: ("", "wait for the clock"),
        HOST: ("", "ask the host of the script to perform an operation"),
    }
)
"""Each capability with the kind of its scopes, or an empty string if it has none, and its meaning."""

IN_SANDBOX = frozenset({SLEEP})
"""The capabilities that a sandbox keeps: waiting reaches nothing."""

OPERATIONS: Mapping[str, str] = MappingProxyType(
    {
        **{name: name for name in CAPABILITIES},
        "fs.delete": FS_WRITE,
        "state.read": FS_READ,
        "state.write": FS_WRITE,
        "process.exec": PROCESS,
        "env.read": ENV,
        "llm.call": LLM,
        "host.call": HOST,
        "agent.session": "",
        "events.write": "",
    }
)
"""The operations that execution policies know, each with the capability that it needs, or an empty string."""
