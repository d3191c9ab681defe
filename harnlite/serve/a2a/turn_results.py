"""The end of a turn as a client sees it: the state of the task, its message, and its artifacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.serve import turn_outcomes as kinds
from harnlite.serve.a2a.artifacts import parts_of
from harnlite.serve.a2a.states import AUTH_REQUIRED, CANCELED, COMPLETED, FAILED, INPUT_REQUIRED, REJECTED
from harnlite.serve.turn_outcomes import shown_text

if TYPE_CHECKING:
    from harnlite.serve.a2a.dialects import Json
    from harnlite.serve.turn_outcomes import TurnOutcome

STATES = {
    kinds.COMPLETED: COMPLETED,
    kinds.MAX_TURNS: FAILED,
    kinds.MAX_TOKENS: FAILED,
    kinds.BLOCKED: REJECTED,
    kinds.REJECTED: REJECTED,
    kinds.INPUT_REQUIRED: INPUT_REQUIRED,
    kinds.AUTH_REQUIRED: AUTH_REQUIRED,
    kinds.FAILED: FAILED,
    kinds.CANCELLED: CANCELED,
}
_TEXTS = {
    kinds.MAX_TURNS: "the agent stopped before it was done",
    kinds.MAX_TOKENS: "the agent used up its budget before it was done",
    kinds.BLOCKED: "the agent refused the request",
    kinds.REJECTED: "the agent rejected the request",
    kinds.FAILED: "the agent failed",
}
_ASKING = frozenset({kinds.INPUT_REQUIRED, kinds.AUTH_REQUIRED})


def final_status(outcome: TurnOutcome, value: object, streamed: str) -> tuple[str, list[Json] | None]:
    """Return the state after a turn, and the parts of its message.

    `streamed` is the text of the last answer of the model: the question of a turn that asks one.
    """
    state = STATES.get(outcome.kind, FAILED)
    if outcome.kind in {kinds.COMPLETED, kinds.CANCELLED}:
        return state, None
    if outcome.kind == kinds.FAILED:
        text = (outcome.error.message if outcome.error is not None else None) or _error_of(value) or outcome.text
    elif outcome.kind in _ASKING:
        text = outcome.text or shown_text(value) or streamed
    else:
        text = outcome.text
    shown = text or _TEXTS.get(outcome.kind)
    return state, [{"text": shown}] if shown else None


def _error_of(value: object) -> str | None:
    """Return the text of the error in the value of a turn that failed."""
    error = value.get("error") if isinstance(value, dict) else None
    found = error.get("message") if isinstance(error, dict) else error
    return found if isinstance(found, str) and found else None


def reply_of(value: object) -> list[Json] | None:
    """Return the parts of the `message` in a returned value, or None."""
    found = value.get("message") if isinstance(value, dict) else None
    if isinstance(found, dict):
        found = found.get("parts", found)
    return None if not found or not isinstance(found, (str, list, dict)) else parts_of(found)


def artifacts_of(value: object) -> list[dict[str, Any]]:
    """Return the `artifacts` in a returned value."""
    found = value.get("artifacts") if isinstance(value, dict) else None
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


class NewestAnswers:
    """The text of the newest answer of the model in each running turn, by context.

    A context has one turn at a time, so that no two threads change the same text.
    """

    __slots__ = ("_texts",)

    def __init__(self) -> None:
        self._texts: dict[str, tuple[str | None, list[str]]] = {}

    def add(self, context_id: str, message_id: str | None, text: str) -> None:
        """Add a piece of text to the answer with the message id; a new answer replaces the one before it."""
        known = self._texts.get(context_id)
        if known is None or known[0] != message_id:
            known = self._texts[context_id] = (message_id, [])
        known[1].append(text)

    def take(self, context_id: str) -> str:
        """Forget the answer of a context, and return its text."""
        return "".join(self._texts.pop(context_id, (None, []))[1])
