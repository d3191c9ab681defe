"""The error answers for requests that the conversations refused."""

from __future__ import annotations

from harnlite.reminders.waiting_entries import ReusedId
from harnlite.serve.acp.errors import IN_USE, NOT_FOUND, PRECONDITION_FAILED, RpcError, invalid, unknown_session
from harnlite.serve.conversation_values import (
    CwdMismatch,
    InjectError,
    RequestRefused,
    ServerClosed,
    SessionInUse,
    UnknownSession,
)
from harnlite.serve.json_rpc import INTERNAL_ERROR, INVALID_PARAMS

_UNKNOWN = frozenset({"unknown_message_id", "unknown_reminder_id"})
_SUBJECTS = {"no_running_turn": "sessionId", "unknown_reminder_id": "reminderId"}


def refusal(error: RequestRefused | ReusedId, subject: str = "messageId") -> RpcError:
    """Return the error for a request that the conversations refused; `subject` is the key of the id it is about."""
    if isinstance(error, ReusedId):
        fault = error.fault
        return RpcError(INVALID_PARAMS, {"code": fault.code, "field": fault.key or "id"}, fault.message)
    if isinstance(error, UnknownSession):
        return unknown_session(error.session_id)
    if isinstance(error, CwdMismatch):
        return invalid("cwd_mismatch", expected=error.expected)
    if isinstance(error, SessionInUse):
        return RpcError(IN_USE, {"reason": "session_in_use", "sessionId": error.session_id})
    if isinstance(error, InjectError):
        code = NOT_FOUND if error.reason in _UNKNOWN else PRECONDITION_FAILED
        return RpcError(code, {"reason": error.reason, _SUBJECTS.get(error.reason, subject): error.subject})
    if isinstance(error, ServerClosed):
        return RpcError(INTERNAL_ERROR, {"kind": "shutting_down"}, "the server is shutting down")
    return RpcError(INTERNAL_ERROR, {"kind": type(error).__name__})


def error_of(error: Exception) -> RpcError | None:
    """Return the error answer for an exception of a handler, or None if it is a bug or a fault of the machine."""
    if isinstance(error, RpcError):
        return error
    return refusal(error) if isinstance(error, (RequestRefused, ReusedId)) else None
