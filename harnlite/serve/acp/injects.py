"""User messages for a turn that runs or comes: `session/inject`, its withdrawal and change, and `_session/steering`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.reminders.seams import QUEUE, STEER
from harnlite.serve.acp.call import LATER
from harnlite.serve.acp.content import read_content
from harnlite.serve.acp.errors import invalid
from harnlite.serve.conversation_values import InjectError

if TYPE_CHECKING:
    from harnlite.serve.acp.call import Call
    from harnlite.serve.acp.server import AcpServer

MODES = (QUEUE, STEER)


def inject(server: AcpServer, call: Call) -> object:
    """Store a user message; the answer is sent before its echo."""
    call.require_known(("sessionId", "mode", "content"))
    session_id, mode = call.text("sessionId"), call.params.get("mode")
    if mode not in MODES:
        raise invalid("unsupported_mode", modes=[*MODES])
    content = read_content(call.params.get("content"))
    server.conversations.inject(session_id, content, mode, on_accept=lambda name: call.answer({"messageId": name}))
    return LATER


def revoke(server: AcpServer, call: Call) -> object:
    """Withdraw a message that has not been delivered."""
    call.require_known(("sessionId", "messageId"))
    session_id, message_id = call.text("sessionId"), call.text("messageId")
    server.conversations.revoke_message(session_id, message_id, on_accept=lambda _status: call.answer({}))
    return {}


def replace(server: AcpServer, call: Call) -> object:
    """Change the content of a message that has not been delivered."""
    call.require_known(("sessionId", "messageId", "content"))
    session_id, message_id = call.text("sessionId"), call.text("messageId")
    content, answer = read_content(call.params.get("content")), {"messageId": message_id}
    server.conversations.replace(session_id, message_id, content, on_accept=lambda _name: call.answer(answer))
    return answer


def steering(server: AcpServer, call: Call) -> object:
    """Steer the running turn; without one, start a turn, or let the client send a prompt if it prefers that."""
    call.require_known(("sessionId", "prompt"))
    session_id, content = call.text("sessionId"), read_content(call.params.get("prompt"))

    def accepted(outcome: str) -> Any:  # noqa: ANN401 - a callback
        return lambda _name: call.answer({"outcome": outcome})

    try:
        server.conversations.inject(session_id, content, STEER, on_accept=accepted("injected"))
    except InjectError as error:
        if error.reason != "no_running_turn":
            raise
        options = call.meta.get("steering")
        if isinstance(options, dict) and options.get("idleBehavior") == "promptRequired":
            return {"outcome": "promptRequired"}
        server.conversations.inject(session_id, content, QUEUE, on_accept=accepted("startedNewTurn"))
    return LATER
