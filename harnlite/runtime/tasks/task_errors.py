"""What is said of errors that reach the border of a task."""

from __future__ import annotations

from harnlite.values.display import display
from harnlite.values.errors import STACK_OVERFLOW, ScriptError

_OF_PYTHON: dict[type, str] = {
    RecursionError: STACK_OVERFLOW,
    MemoryError: "Value too large",
    OverflowError: "Value too large",
}


def uncaught_text(error: BaseException) -> str:
    """Return the text that an uncaught error would print; what a script cannot catch is raised again."""
    if isinstance(error, ScriptError):
        text = error.value if isinstance(error.value, str) else display(error.value)
        return f"Thrown: {text}" if error.thrown else text
    text = _OF_PYTHON.get(error.__class__, "")
    if not text:
        raise error
    return text


def fault_text(error: BaseException) -> str:
    """Return what is said of a fault of harnlite itself, without the final stop."""
    return (
        f"internal error: {type(error).__name__}: {error}\n"
        "This is a fault of harnlite. Please report it with the program that shows it"
    )
