"""What a loop needs of the features that only some loops have, and of the workers that it may belong to or start.

The features themselves are in packages above this one; a loop holds them by these protocols.
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
        """Return what the system prompt says about skills."""
        ...

    def scope(self, tools: list[Entry]) -> list[Entry]:
        """Return the tools that the active skills allow."""
        ...


class ToolSearchSlot(Protocol):
    """The search among tools that are not offered from the start."""

    def offered(self) -> list[Entry]:
        """Return the tools to offer in this turn."""
        ...

    def promote_found(self) -> None:
        """Offer the tools that were found from the next turn on."""
        ...


class DaemonSlot(Protocol):
    """Daemon mode."""

    state: str | None
    snapshot_path: str | None

    def wait(self, turn: Turn) -> None:
        """Wait until there is something to do."""
        ...

    def close(self) -> None:
        """Write the last snapshot."""
        ...


class ServersSlot(Protocol):
    """The MCP servers of a loop."""

    tools: list[Entry]

    def close(self) -> None:
        """End the servers."""
        ...


class TranscriptSlot(Protocol):
    """The file that `llm_transcript_dir` asks for."""

    def note(self, turn: Turn) -> None:
        """Write what was said in a turn."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class WorkerSlot(Protocol):
    """The worker whose cycle a loop is."""

    @property
    def id(self) -> str:
        """Return the id of the worker."""
        ...

    @property
    def stop_reason(self) -> str | None:
        """Return why the worker is to stop, if it is."""
        ...

    @property
    def is_asked(self) -> bool:
        """Return whether the worker is asked to suspend or to stop."""
        ...

    def suspend_requested(self) -> Suspension | None:
        """Return and clear the request to suspend."""
        ...


class WorkerSupport(Protocol):
    """What the package of workers does for a loop."""

    def tools(self, run: Execution) -> list[dict[str, object]]:
        """Return the tools with which a model pauses, resumes and stops workers."""
        ...

    def park(self, loop: Loop, stop: Stop) -> dict[str, Any]:
        """Keep a suspended loop so that it can be resumed, and return what its result says about that."""
        ...
