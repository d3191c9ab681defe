"""The ids of tool calls whose vendor gives them none."""

from __future__ import annotations

import re

from harnlite.llm.dialects.turns import ASSISTANT, turns_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.llm.backend import ChatRequest

_MADE_ID = re.compile(r"(gemini|ollama)_call_\d+(_\d+)?")


def is_made(call_id: str) -> bool:
    """Return whether an id was made here; such an id is not sent to a vendor without ids."""
    return _MADE_ID.fullmatch(call_id) is not None


class CallNumbers:
    """The numbers of the calls in a reply, which go on from the calls in the request."""

    __slots__ = ("_count", "_vendor")

    def __init__(self, vendor: str, request: ChatRequest) -> None:
        turns = turns_of([message for message in request.messages if message.get("role") == ASSISTANT])
        self._count = sum(len(turn.calls) for turn in turns)
        self._vendor = vendor

    def next_id(self) -> str:
        """Return the id of the next call."""
        self._count += 1
        return f"{self._vendor}_call_{self._count}"
