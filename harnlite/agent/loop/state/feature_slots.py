"""Protocols for the optional features of a loop, and for the workers that it may belong to or start.

The implementations are in packages above this one, so a loop refers to them only through these protocols.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from harnlite.agent.loop.state.loop_state import Loop, Stop, Suspension, Turn
    from harnlite.runtime.tasks.execution import Execution

Entry = dict[str, Any]


class SkillsSlot(Protocol):
    """The skills of a loop."""

    def tool(self) -> Entry:
        """Return the tool that loads a skill."""
        ...

    def update(self) -> None:
        """Choose the active skills for the coming turn."""
        ...

    def sections(self) -> list[str]:
        """Return the sections about skills for the system prompt."""
        ...

    def scope(self, tools: list[Entry]) -> list[Entry]:
        """Return the tools that the active skills allow."""
        ...


class ToolSearchSlot(Protocol):
    """The search for tools that are not offered from the start."""

    def offered(self) -> list[Entry]:
        """Return the tools to offer in this turn."""
        ...

    def promote_found(self) -> None:
        """From the next turn on, also offer the tools that were found."""
        ...


class DaemonSlot(Protocol):
    """The daemon mode of a loop."""

    state: str | None
    snapshot_path: str | None

    def wait(self, turn: Turn) -> None:
        """Wait until there is work, or end the loop."""
        ...

    def close(self) -> None:
        """Write the last snapshot."""
        ...


class ServersSlot(Protocol):
    """The MCP servers of a loop."""

    tools: list[Entry]

    def close(self) -> None:
        """Close the servers."""
        ...


class TranscriptSlot(Protocol):
    """The transcript file in the folder `llm_transcript_dir`."""

    def note(self, turn: Turn) -> None:
        """Write the records of a turn."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class WorkerSlot(Protocol):
    """The worker that runs a loop as one of its cycles."""

    @property
    def id(self) -> str:
        """Return the id of the worker."""
        ...

    @property
    def stop_reason(self) -> str | None:
        """Return why the worker must stop, or None if it need not."""
        ...

    @property
    def is_asked(self) -> bool:
        """Return whether the worker was asked to suspend or to stop."""
        ...

    def suspend_requested(self) -> Suspension | None:
        """Return and clear the request to suspend, if there is one."""
        ...


class WorkerSupport(Protocol):
    """The functions of the workers package that a loop calls."""

    def tools(self, run: Execution) -> list[dict[str, object]]:
        """Return the tools with which a model pauses, resumes and stops workers."""
        ...

    def park(self, loop: Loop, stop: Stop) -> dict[str, Any]:
        """Keep a suspended loop so that it can be resumed, and return the additional entries of its result."""
        ...
