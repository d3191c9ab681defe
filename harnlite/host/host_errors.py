"""The exceptions that a host raises."""

from __future__ import annotations


class HostError(Exception):
    """A request that the host cannot fulfil; `reason` is an identifier for programs."""

    def __init__(self, reason: str, message: str | None = None) -> None:
        super().__init__(message or reason.replace("_", " "))
        self.reason = reason


class ReminderError(ValueError):
    """A reminder that is not well formed: the `code` and `message` of the error, and the `field` that it is about."""

    def __init__(self, code: str, message: str, field: str | None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.field = field


class TurnCancelled(Exception):
    """The turn was cancelled before it completed."""
