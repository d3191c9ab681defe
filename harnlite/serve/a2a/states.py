"""The states of tasks, as protocol 1.0 names them."""

from __future__ import annotations

SUBMITTED, WORKING = "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"
COMPLETED, FAILED = "TASK_STATE_COMPLETED", "TASK_STATE_FAILED"
CANCELED, REJECTED = "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"
INPUT_REQUIRED, AUTH_REQUIRED = "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED"

ACTIVE = frozenset({SUBMITTED, WORKING})
INTERRUPTED = frozenset({INPUT_REQUIRED, AUTH_REQUIRED})
TERMINAL = frozenset({COMPLETED, FAILED, CANCELED, REJECTED})
STATES = ACTIVE | INTERRUPTED | TERMINAL
UNSPECIFIED = "TASK_STATE_UNSPECIFIED"


def short_name(state: str) -> str:
    """Return the name of a state in the protocols before 1.0."""
    return state.removeprefix("TASK_STATE_").lower().replace("_", "-")
