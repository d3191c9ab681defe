"""The listener of the conversations: it turns the events of sessions into updates, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.serve.acp.errors import failed_turn
from harnlite.serve.acp.session_states import item_of
from harnlite.serve.acp.updates import UPDATES, failed_call, tool_call
from harnlite.serve.turn_outcomes import AUTH_REQUIRED, BLOCKED, CANCELLED, FAILED, MAX_TOKENS, MAX_TURNS, REJECTED

if TYPE_CHECKING:
    from harnlite.serve.acp.client_options import ClientOptions
    from harnlite.serve.acp.peer import Peer
    from harnlite.serve.acp.session_states import SessionState, SessionStates
    from harnlite.serve.turn_outcomes import TurnOutcome
    from harnlite.store.redaction import Redactor

STOP_REASONS = {
    MAX_TURNS: "max_turn_requests",
    MAX_TOKENS: "max_tokens",
    BLOCKED: "refusal",
    REJECTED: "refusal",
    AUTH_REQUIRED: "refusal",
    CANCELLED: "cancelled",
}
"""The stop reasons by kind of outcome; every other kind, except a failure, is `end_turn`."""

UNFINISHED = "The turn ended before this tool call did."
_ENDED = frozenset({"completed", "failed"})


def stop_reason(outcome: TurnOutcome) -> str:
    """Return the stop reason of a turn that did not fail."""
    return STOP_REASONS.get(outcome.kind, "end_turn")


class Events:
    """Sends the updates of all sessions."""

    __slots__ = ("_peer", "_redactor", "_states", "options")

    def __init__(self, peer: Peer, states: SessionStates, options: ClientOptions, redactor: Redactor) -> None:
        self._peer = peer
        self._states = states
        self._redactor = redactor
        self.options = options

    def on_event(self, session_id: str, event: dict[str, Any]) -> None:
        """Send the updates of an event; on the thread of the turn."""
        state = self._states.of(session_id)
        match event["type"]:
            case "turn_started":
                self._start(session_id, state, event)
            case "turn_ended":
                self._end(session_id, state, event)
            case kind:
                if kind == "session_info" and "updatedAt" in (event.get("changes") or {}):
                    self.fail_open_tools(session_id, state)
                self.send(session_id, state, self._updates(state, event))

    def send(self, session_id: str, state: SessionState, updates: list[dict[str, Any]]) -> None:
        """Send updates as consecutive lines."""
        if updates:
            state.send(lambda: self._peer.update(session_id, *updates), item_of(updates[0]))

    def replay(self, session_id: str, updates: list[dict[str, Any]]) -> None:
        """Send updates of a replay, while those of a running turn are held back."""
        if updates:
            self._peer.update(session_id, *updates)

    def send_state(self, session_id: str, name: str, **more: object) -> None:
        """Send the state of a session to a client that wants to know it."""
        if self.options.has_state:
            self.send(
                session_id, self._states.of(session_id), [{"sessionUpdate": "state_update", "state": name, **more}]
            )

    def fail_open_tools(self, session_id: str, state: SessionState) -> None:
        """Send the end of the tools that a turn has not ended itself."""
        for call_id in state.take_open_tools():
            self.send(session_id, state, [failed_call(call_id, UNFINISHED)])

    def end_turn(self, session_id: str, outcome: TurnOutcome) -> None:
        """Send what belongs to the end of a turn, after its last event and before the answer to its prompt."""
        state = self._states.of(session_id)
        for call_id in state.end():
            self.send(session_id, state, [failed_call(call_id, UNFINISHED)])
        reason = {} if outcome.kind == FAILED else {"stopReason": stop_reason(outcome)}
        self.send_state(session_id, "idle", **reason)

    def _updates(self, state: SessionState, event: dict[str, Any]) -> list[dict[str, Any]]:
        translate = UPDATES.get(event["type"])
        if translate is None:
            return []
        updates = translate(event, self.options)
        call_id = event.get("tool_call_id")
        if event["type"] == "tool_call" and isinstance(call_id, str):
            state.announced.add(call_id)
            state.open_tools[call_id] = None
        elif event["type"] == "tool_call_update" and isinstance(call_id, str):
            if call_id not in state.announced:
                state.announced.add(call_id)
                updates = [*tool_call(event, self.options), *updates]
            if updates[-1]["status"] in _ENDED:
                state.open_tools.pop(call_id, None)
            else:
                state.open_tools[call_id] = None
        return updates

    def _start(self, session_id: str, state: SessionState, event: dict[str, Any]) -> None:
        message_id = event["message_id"]
        state.begin(message_id)
        self.send_state(session_id, "running")
        if event.get("is_queued"):
            self.send(session_id, state, [_frame({"state": "running", "messageId": message_id})])

    def _end(self, session_id: str, state: SessionState, event: dict[str, Any]) -> None:
        self.fail_open_tools(session_id, state)
        outcome: TurnOutcome | None = event.get("outcome")
        if not event.get("is_queued") or outcome is None:
            return
        self.end_turn(session_id, outcome)
        frame: dict[str, Any] = {"state": "idle", "messageId": event["message_id"]}
        if outcome.kind == FAILED:
            error = failed_turn(outcome)
            frame["error"] = {"code": error.code, "message": self._redactor.text(error.message)}
        else:
            frame["stopReason"] = stop_reason(outcome)
        self.send(session_id, state, [_frame(frame)])


def _frame(turn: dict[str, Any]) -> dict[str, Any]:
    """Return the update that frames a turn for which no request is open."""
    return {"sessionUpdate": "session_info_update", "_meta": {"harn": {"turn": turn}}}
