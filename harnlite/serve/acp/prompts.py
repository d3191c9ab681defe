"""`session/prompt` and the two ways to cancel it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.serve.acp.call import LATER
from harnlite.serve.acp.content import read_content
from harnlite.serve.acp.errors import failed_turn
from harnlite.serve.acp.events import stop_reason
from harnlite.serve.turn_outcomes import FAILED

if TYPE_CHECKING:
    from harnlite.serve.acp.call import Call
    from harnlite.serve.acp.server import AcpServer
    from harnlite.serve.turn_outcomes import TurnOutcome


def prompt(server: AcpServer, call: Call) -> object:
    """Queue a prompt; the call is answered at the end of its turn."""
    session_id, content = call.text("sessionId"), read_content(call.params.get("prompt"))
    message_ids: list[str] = []

    def accepted(message_id: str) -> None:
        message_ids.append(message_id)
        call.on_cancel = lambda: server.conversations.cancel_prompt(session_id, message_id)

    def ended(outcome: TurnOutcome) -> None:
        state = server.states.of(session_id)
        if state.turn in message_ids:
            server.events.end_turn(session_id, outcome)
        state.send(lambda: _answer(call, outcome))

    server.conversations.prompt(session_id, content, metadata=call.meta, on_accept=accepted, on_end=ended)
    if call.is_cancelled:
        call.cancel()
    return LATER


def _answer(call: Call, outcome: TurnOutcome) -> None:
    if outcome.kind == FAILED:
        call.refuse(failed_turn(outcome))
    else:
        call.answer({"stopReason": stop_reason(outcome)})


def cancel(server: AcpServer, call: Call) -> Any:  # noqa: ANN401 - always null, as an answer
    """Cancel the turn of a session; idle and unknown sessions are ignored."""
    session_id = call.text("sessionId")
    stop = server.conversations.cancel
    server.lanes.defer(session_id, lambda: stop(session_id))  # prompts that wait in the lane are cancelled too
    stop(session_id)
    return None


def cancel_request(server: AcpServer, call: Call) -> Any:  # noqa: ANN401 - always null, as an answer
    """Cancel one request of the client that has not been answered; others are ignored."""
    target = server.open_call(call.params.get("requestId"))
    if target is not None:
        target.cancel()
    return None
