"""The ways a running program stops: errors a script can catch, and ends that it cannot."""

from __future__ import annotations

from harnlite.diagnostics.errors import LanguageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Token(Protocol):
        """What tells a deadline from others: the one with the lower order is older."""

        order: int


STACK_OVERFLOW = "Stack overflow: too many nested calls"


class ScriptError(LanguageError):
    """An error that a script can catch; `value` is what its catch sees.

    `thrown` says that the value came from `throw` (or a builtin that throws), which an uncaught report mentions.
    `notes` are help lines for that report; they are never part of the value. `culprit` is the closure whose result is
    at fault, where the error is not about the call that was running. `sides` are what an assertion has compared: the
    expected value and the actual one.
    """

    culprit: object = None
    sides: tuple[object, object] | None = None

    def __init__(self, value: object, *, thrown: bool = False, notes: tuple[str, ...] = ()) -> None:
        super().__init__(value if isinstance(value, str) else "error")
        self.value = value
        self.thrown = thrown
        self.notes = notes


def thrown(value: object) -> ScriptError:
    """Make the error of a builtin that throws a plain value."""
    return ScriptError(value, thrown=True)


def runtime_error(text: str) -> ScriptError:
    """Make an error that is caught as `Runtime error: …`."""
    return ScriptError("Runtime error: " + text)


def type_error(text: str) -> ScriptError:
    """Make an error that is caught as `Type error: …`."""
    return ScriptError("Type error: " + text)


class Unwinding(BaseException):
    """An end that no catch sees; finally and defer blocks run on its way out."""


class Interrupted(Unwinding):
    """The person or the host ended the run."""


class Cancelled(Unwinding):
    """The task was cancelled."""


class ExitRun(Unwinding):
    """The script called `exit`."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class DeadlinePassed(Unwinding):
    """The time of an enclosing deadline block is over; `token` tells which."""

    def __init__(self, token: Token) -> None:
        super().__init__()
        self.token = token
