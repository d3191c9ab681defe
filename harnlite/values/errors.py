"""The exceptions of a running script: errors that it can catch, and exceptions that it cannot."""

from __future__ import annotations

from harnlite.diagnostics.errors import LanguageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Token(Protocol):
        """What tells a deadline from others: the one with the lower order is older."""

        order: int


STACK_OVERFLOW = "Stack overflow: too many nested calls"
DEADLINE_EXCEEDED = "Deadline exceeded"


class ScriptError(LanguageError):
    """An error that a script can catch; `value` is the value that the catch receives.

    `thrown` is true if the value came from `throw` (or from a builtin that throws); the report of an uncaught error
    mentions it. `notes` are help lines for that report; they are never part of the value. `culprit` is the closure
    that returned a wrong result, if the error is not about the running call. `sides` are the two values that an
    assertion compared: the expected one and the actual one.
    """

    culprit: object = None
    holds_memory = False
    """Whether the functions that the error has ended may hold much memory, which a catch releases."""
    sides: tuple[object, object] | None = None

    def __init__(self, value: object, *, thrown: bool = False, notes: tuple[str, ...] = ()) -> None:
        super().__init__(value if isinstance(value, str) else "error")
        self.value = value
        self.thrown = thrown
        self.notes = notes


def thrown(value: object) -> ScriptError:
    """Return the error of a builtin that throws a plain value."""
    return ScriptError(value, thrown=True)


def runtime_error(text: str) -> ScriptError:
    """Return an error that is caught as `Runtime error: …`."""
    return ScriptError("Runtime error: " + text)


def type_error(text: str) -> ScriptError:
    """Return an error that is caught as `Type error: …`."""
    return ScriptError("Type error: " + text)


class Unwinding(BaseException):
    """An exception that a script cannot catch; its finally and defer blocks still run."""


class Interrupted(Unwinding):
    """The user or the host ended the run."""


class Cancelled(Unwinding):
    """The task was cancelled."""


class ExitRun(Unwinding):
    """The script called `exit`."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class DeadlinePassed(Unwinding):
    """The time limit of an enclosing deadline block has passed; `token` identifies the block."""

    def __init__(self, token: Token) -> None:
        super().__init__()
        self.token = token
