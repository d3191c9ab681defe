"""The outcome of a turn: how it ended, for the stop reason of one protocol and the task state of the other."""

from __future__ import annotations

from dataclasses import dataclass

COMPLETED, MAX_TURNS, MAX_TOKENS, BLOCKED = "completed", "max_turns", "max_tokens", "blocked"
INPUT_REQUIRED, AUTH_REQUIRED, REJECTED = "input_required", "auth_required", "rejected"
FAILED, CANCELLED = "failed", "cancelled"

_KINDS = {
    "done": COMPLETED,
    "idle": COMPLETED,
    "stuck": MAX_TURNS,
    "incomplete": MAX_TURNS,
    "blocked": BLOCKED,
    "suspended": INPUT_REQUIRED,
    "input_required": INPUT_REQUIRED,
    "failed": FAILED,
    "provider_error": FAILED,
    "watchdog": FAILED,
    "rejected": REJECTED,
    "auth_required": AUTH_REQUIRED,
    "cancelled": CANCELLED,
    "canceled": CANCELLED,
}
_OF_MONEY = frozenset({"total_cost", "token_budget", "total_budget_usd"})


@dataclass(frozen=True, slots=True)
class TurnError:
    """The error that ended a turn: the first line of its text without secrets, and its position in the script."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    help: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """The end of a turn. `text` is the text that the core has emitted because the turn streamed none."""

    kind: str
    value: object = None
    text: str | None = None
    error: TurnError | None = None
    follow_ups: tuple[str, ...] = ()
    status: str | None = None


def kind_of(value: object, exhausted: str | None = None) -> tuple[str, str | None]:
    """Return the kind of outcome for the value of an entry pipeline, and the `status` in the value.

    `exhausted` is the kind of the budget that the last loop of the turn reported as exhausted.
    """
    status = value.get("status") if isinstance(value, dict) else None
    if not isinstance(status, str):
        return COMPLETED, None
    if status == "budget_exhausted":
        error = value.get("error") if isinstance(value, dict) else None
        is_refused = isinstance(error, dict) and error.get("category") == "budget_exceeded"
        return (MAX_TOKENS if is_refused or exhausted in _OF_MONEY else MAX_TURNS), status
    if status.startswith("verify_"):
        return MAX_TURNS, status
    return _KINDS.get(status, COMPLETED), status


def shown_text(value: object) -> str | None:
    """Return the text of a returned value for people: a string, or `visible_text` or `text` of a dict."""
    if isinstance(value, dict):
        value = next(
            (text for key in ("visible_text", "text") if isinstance(text := value.get(key), str) and text), None
        )
    return value if isinstance(value, str) and value else None
