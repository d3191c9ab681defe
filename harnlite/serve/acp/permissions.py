"""Permission requests: the bridge through which approval policies ask the user of the client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.agent.sessions.current import ROOT
from harnlite.serve.acp.updates import kind_of_tool
from harnlite.values.interrupts import poll_here

if TYPE_CHECKING:
    from harnlite.agent.sessions.session import Session
    from harnlite.agent.tools.tool_call import Call
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.serve.acp.events import Events
    from harnlite.serve.acp.peer import Peer
    from harnlite.serve.acp.session_states import SessionStates
    from harnlite.store.redaction import Redactor

OPTIONS = {
    "allow_once": "Allow once",
    "allow_always": "Always allow this tool",
    "reject_once": "Reject once",
    "reject_always": "Always reject this tool",
}
_POLL_SECONDS = 0.05


class PermissionBridge:
    """Asks the client whether a tool may run. Anything but a permission is a rejection."""

    __slots__ = ("_peer", "_redactor", "_states", "events")

    def __init__(self, peer: Peer, states: SessionStates, redactor: Redactor) -> None:
        self._peer = peer
        self._states = states
        self._redactor = redactor
        self.events: Events | None = None

    def request_permission(self, run: Execution, session: Session | None, call: Call) -> bool:
        """Wait for the answer of the user; an interrupt of the turn ends the wait and withdraws the question."""
        session_id = self._wire_session(run, session)
        if session_id is None:
            return False
        state = self._states.of(session_id)
        known = state.choices.get(call.name)
        if known is not None:
            return known
        arguments = self._redactor.value(call.arguments)
        tool = {"toolCallId": call.id, "title": call.name, "kind": kind_of_tool(call.kind), "status": "pending"}
        options = [{"optionId": kind, "name": name, "kind": kind} for kind, name in OPTIONS.items()]
        choice = self._ask(session_id, {"toolCall": {**tool, "rawInput": arguments}, "options": options})
        if choice is not None and choice.endswith("_always"):
            state.choices[call.name] = choice == "allow_always"
        return choice is not None and choice.startswith("allow_")

    def _ask(self, session_id: str, params: dict[str, Any]) -> str | None:
        if self.events is not None:
            self.events.send_state(session_id, "requires_action")
        question = self._peer.ask("session/request_permission", {"sessionId": session_id, **params})
        try:
            while not question.wait(_POLL_SECONDS):
                poll_here()
        except BaseException:
            self._peer.withdraw(question)
            raise
        if self.events is not None:
            self.events.send_state(session_id, "running")
        return chosen_option(question.result)

    def _wire_session(self, run: Execution, session: Session | None) -> str | None:
        """Return the session of the client: that of the call, or that which its sub-agents belong to."""
        root = run.task.facts.get(ROOT)
        for found in (root, session.id if session is not None else None):
            if isinstance(found, str) and self._states.is_known(found):
                return found
        return None


def chosen_option(result: object) -> str | None:
    """Return the option that the user has chosen, or None."""
    outcome = result.get("outcome") if isinstance(result, dict) else None
    if not isinstance(outcome, dict) or outcome.get("outcome") != "selected":
        return None
    option = outcome.get("optionId")
    return option if isinstance(option, str) and option in OPTIONS else None
