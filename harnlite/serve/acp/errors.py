"""The errors that the server answers with: their codes, texts and data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.serve.json_rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
)

if TYPE_CHECKING:
    from harnlite.serve.turn_outcomes import TurnOutcome

CANCELLED, NOT_FOUND, PRECONDITION_FAILED, IN_USE = -32800, -32002, -32010, -32011

TEXTS = {
    PARSE_ERROR: "Parse error",
    INVALID_REQUEST: "Invalid request",
    METHOD_NOT_FOUND: "Method not found",
    INVALID_PARAMS: "Invalid params",
    INTERNAL_ERROR: "Internal error",
    CANCELLED: "Request cancelled",
    NOT_FOUND: "Resource not found",
    PRECONDITION_FAILED: "Inject precondition failed",
    IN_USE: "Session in use",
}


class RpcError(Exception):
    """An error answer to a request; without a message it has the usual text of its code."""

    def __init__(self, code: int, data: dict[str, Any] | None = None, message: str | None = None) -> None:
        super().__init__(message or TEXTS[code])
        self.code = code
        self.message = message or TEXTS[code]
        self.data = data


def invalid(reason: str, **data: object) -> RpcError:
    """Return the error for params that are not valid."""
    return RpcError(INVALID_PARAMS, {"reason": reason, **data})


def unknown_session(session_id: str | None) -> RpcError:
    """Return the error for a session that does not exist or is not open."""
    data = (
        {"reason": "unknown_session"} if session_id is None else {"reason": "unknown_session", "sessionId": session_id}
    )
    return RpcError(NOT_FOUND, data)


def failed_turn(outcome: TurnOutcome) -> RpcError:
    """Return the error for a turn that failed."""
    error, kind = outcome.error, outcome.status or "script_error"
    if error is None:
        return RpcError(INTERNAL_ERROR, {"kind": kind})
    place = {"file": error.file, "line": error.line, "column": error.column}
    data = {"kind": kind, **{key: value for key, value in place.items() if value is not None}}
    return RpcError(INTERNAL_ERROR, data, error.message or None)


def internal(error: BaseException) -> RpcError:
    """Return the error for a fault of this machine, such as a full disk, or of the server itself."""
    if isinstance(error, OSError):
        return RpcError(INTERNAL_ERROR, {"kind": "store"}, str(error) or None)
    return RpcError(INTERNAL_ERROR, {"kind": type(error).__name__})
