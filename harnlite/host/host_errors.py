"""What a host is told when something cannot be done."""

from __future__ import annotations


class HostError(Exception):
    """A call that a host cannot carry out; `reason` is a word for programs."""

    def __init__(self, reason: str, message: str | None = None) -> None:
        super().__init__(message or reason.replace("_", " "))
        self.reason = reason


class ReminderError(ValueError):
    """A reminder that is not well formed: the code and message of the fault, and the field it is about."""

    def __init__(self, code: str, message: str, field: str | None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.field = field


class TurnCancelled(Exception):
    """The turn was cancelled before it came to its end."""
