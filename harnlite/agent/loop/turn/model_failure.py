"""The status, stop reason and error of a loop that ends because a model call has failed."""

from __future__ import annotations

from harnlite.agent.loop.state.loop_state import BUDGET_EXHAUSTED, PROVIDER_ERROR
from harnlite.llm.errors import BUDGET_EXCEEDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop

_ERROR_KEYS = ("category", "reason", "kind", "provider", "model", "message")


class Failed(Exception):
    """The failure of a model call, with the status, stop reason and error for the result of the loop."""

    def __init__(self, status: str, reason: str, error: object) -> None:
        super().__init__(status)
        self.status = status
        self.reason = reason
        self.error = error


def failure_of(loop: Loop, error: dict[str, Any]) -> Failed:
    """Return the failure that ends a loop, from the error dict of a model call."""
    full: dict[str, object] = {key: error.get(key) for key in _ERROR_KEYS}
    full |= {"phase": "llm_call", "tool_format": loop.tool_format, "after_tool_result": loop.has_tool_result}
    if error.get("reason") == BUDGET_EXCEEDED or error.get("category") == BUDGET_EXCEEDED:
        return Failed(BUDGET_EXHAUSTED, BUDGET_EXHAUSTED, full)
    return Failed(PROVIDER_ERROR, PROVIDER_ERROR, full)
