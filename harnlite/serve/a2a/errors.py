"""The errors of A2A requests: codes, texts and data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.serve.json_rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    error_message,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.serve.json_rpc import Id
    from harnlite.store.redaction import Redactor

TASK_NOT_FOUND, NOT_CANCELABLE, NO_PUSH, UNSUPPORTED = -32001, -32002, -32003, -32004
CONTENT_TYPE, NO_EXTENDED_CARD, BAD_VERSION = -32005, -32007, -32009

STANDARD_DOMAIN, OWN_DOMAIN = "a2a-protocol.org", "harnlite"

_STANDARD = {
    TASK_NOT_FOUND: ("Task not found", "TASK_NOT_FOUND"),
    NOT_CANCELABLE: ("Task cannot be canceled", "TASK_NOT_CANCELABLE"),
    NO_PUSH: ("Push Notification is not supported", "PUSH_NOTIFICATION_NOT_SUPPORTED"),
    UNSUPPORTED: ("This operation is not supported", "UNSUPPORTED_OPERATION"),
    CONTENT_TYPE: ("Incompatible content types", "CONTENT_TYPE_NOT_SUPPORTED"),
    NO_EXTENDED_CARD: ("Authenticated Extended Card is not configured", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
    BAD_VERSION: ("Version not supported", "VERSION_NOT_SUPPORTED"),
}
_BASE = {
    PARSE_ERROR: ("Invalid JSON payload", "PARSE_ERROR"),
    INVALID_REQUEST: ("Request payload validation error", "INVALID_REQUEST"),
    METHOD_NOT_FOUND: ("Method not found", "METHOD_NOT_FOUND"),
    INVALID_PARAMS: ("Invalid parameters", "INVALID_PARAMS"),
    INTERNAL_ERROR: ("Internal error", "INTERNAL_ERROR"),
}
_REMINDER = "HARN_RMD_"
_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"


class A2AError(Exception):
    """The error that answers a request. `field` and `description` name the parameter that is wrong."""

    def __init__(
        self,
        code: int,
        *,
        message: str | None = None,
        reason: str | None = None,
        metadata: Mapping[str, str] | None = None,
        field: str | None = None,
        description: str | None = None,
    ) -> None:
        text, usual = (_STANDARD.get(code) or _BASE[code]) if code in _STANDARD or code in _BASE else ("", None)
        self.code = code
        self.message = message or text
        self.reason = reason or usual
        self.metadata = {key: str(value) for key, value in (metadata or {}).items()}
        self.field = field
        self.description = description
        super().__init__(self.message)

    @property
    def domain(self) -> str:
        """Return the domain that defines the reason."""
        is_standard = any(reason == self.reason for _, reason in _STANDARD.values())
        return STANDARD_DOMAIN if is_standard else OWN_DOMAIN

    @property
    def is_about_reminder(self) -> bool:
        """Return whether a reminder is not well formed; such errors have typed data in all versions."""
        return self.reason is not None and self.reason.startswith(_REMINDER)

    def data(self, *, is_typed: bool) -> object:
        """Return the data: an array of typed objects for 1.0 and for reminders, else one plain object."""
        if not is_typed:
            return self._plain()
        info = {"@type": _INFO, "reason": self.reason, "domain": self.domain, "metadata": self.metadata}
        if self.field is None:
            return [info]
        violation = {"field": self.field, "description": self.description}
        return [info, {"@type": _BAD_REQUEST, "fieldViolations": [violation]}]

    def _plain(self) -> dict[str, Any]:
        data: dict[str, Any] = {} if self.reason is None or self.code in _BASE else {"reason": self.reason}
        if self.code in _BASE and self.reason != _BASE[self.code][1]:
            data["reason"] = self.reason
        data |= self.metadata
        if self.field is not None:
            data |= {"field": self.field, "description": self.description}
        return data


def wire_error(request_id: Id, error: A2AError, redactor: Redactor, *, is_typed: bool) -> dict[str, Any]:
    """Return the answer that reports an error, in which keys and passwords are redacted."""
    data = redactor.value(error.data(is_typed=is_typed))
    return error_message(request_id, error.code, redactor.text(error.message), data)


def invalid(field: str, description: str) -> A2AError:
    """Return the error for a parameter that is wrong."""
    return A2AError(INVALID_PARAMS, field=field, description=description)


def unknown_task(task_id: str) -> A2AError:
    """Return the error for a task that does not exist."""
    return A2AError(TASK_NOT_FOUND, metadata={"taskId": task_id})


def finished_task(task_id: str, state: str, code: int = UNSUPPORTED) -> A2AError:
    """Return the error for an operation that a finished task does not allow."""
    return A2AError(code, metadata={"taskId": task_id, "state": state})
