"""The texts of errors that leave a task."""

from __future__ import annotations

from harnlite.values.catching import script_error
from harnlite.values.display import display

THROWN = "Thrown: "
_CATEGORIES = (
    "Runtime error: ",
    "Type error: ",
    "TypeError: ",
    "Import error: ",
    "Import lex error: ",
    "Import parse error: ",
    "Import check error: ",
    "Re-export error: ",
)


def uncaught_text(error: BaseException) -> str:
    """Return the text that an uncaught error would print; re-raise an exception that a script cannot catch."""
    found = script_error(error)
    if found is None:
        raise error
    text = found.value if isinstance(found.value, str) else display(found.value)
    return f"{THROWN}{text}" if found.thrown else text


def reported_text(text: str) -> str:
    """Return the text of an uncaught error for a report, which begins with `error:`: without the categories of errors.

    `Thrown: ` stays, because it is the only trace of a `throw` in the program.
    """
    prefix = THROWN if text.startswith(THROWN) else ""
    rest = text[len(prefix) :]
    while (category := next((one for one in _CATEGORIES if rest.startswith(one)), None)) is not None:
        rest = rest[len(category) :]
    return prefix + rest


def fault_text(error: BaseException) -> str:
    """Return the report of an internal error of harnlite, without the final full stop."""
    from harnlite.known_keys import without_keys

    return (
        f"internal error: {type(error).__name__}: {without_keys(str(error))}\n"
        "This is a bug in harnlite. Please report it with a script that reproduces it"
    )
