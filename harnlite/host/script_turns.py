"""The parts of a turn that all hosts share: how its script is stopped, and what its entry pipeline receives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.host import toolchain
from harnlite.runtime.tasks.pace import PACE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harnlite.host.turns import Turn
    from harnlite.runtime.tasks.execution import Execution


class Stopper(toolchain.Observer):
    """An observer that tells a turn how to stop its run; `grace` returns the seconds for the cleanup of the run."""

    __slots__ = ("_grace", "_turn")

    def __init__(self, turn: Turn, grace: Callable[[], float]) -> None:
        self._turn = turn
        self._grace = grace

    def started(self, stop: Callable[..., None]) -> None:
        """Pass the function that interrupts the program to the turn."""
        self._turn.on_stop(lambda: stop(self._grace()))


def keep_pace(run: Execution) -> None:
    """Let other turns compute while the run of a turn waits."""
    run.scheduler.outside.pace = PACE


def entry_arguments(names: Sequence[str], text: object, turn: Turn, about: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments of the entry pipeline: the prompt and, for a second parameter, a dict that describes it.

    `about` has the entries `protocol`, `cwd`, `content` and `metadata` of that dict.
    """
    facts = {
        "protocol": about["protocol"],
        "session_id": turn.session,
        "message_id": turn.message_id,
        "cwd": about["cwd"],
        "content": about["content"],
        "metadata": about["metadata"],
    }
    return dict(zip(names, (text, facts), strict=False))
