"""Boxes for variables that outlive a loop iteration, and the errors for missing and immutable names."""

from __future__ import annotations

from harnlite.values.errors import ScriptError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class Box:
    """A variable that the closures of one loop iteration share; `v` is unset before the first assignment."""

    __slots__ = ("name", "v")

    def __init__(self, name: str) -> None:
        self.name = name


def missing_variable(name: str, near: str | None = None, note: str | None = None) -> ScriptError:
    """Return the error for a name that does not exist or has no value yet; the note is shown below it."""
    if near is None:
        return ScriptError(f"Undefined variable: {name}", notes=() if note is None else (note,))
    return runtime_error(f"Undefined variable: {name} (did you mean `{near}`?)")


def missing_builtin(name: str, near: str | None = None) -> ScriptError:
    """Return the error for a call to a name that does not exist."""
    if near is None:
        return ScriptError(f"Undefined builtin: {name}")
    return runtime_error(f"Undefined builtin: {name} (did you mean `{near}`?)")


def undefined(name: str, near: str | None, note: str | None = None) -> NoReturn:
    """Raise the error for reading a name that does not exist."""
    raise missing_variable(name, near, note)


def undefined_call(name: str, near: str | None, *_: object) -> NoReturn:
    """Raise the error for calling a name that does not exist."""
    raise missing_builtin(name, near)


def unassignable(name: str) -> NoReturn:
    """Raise the error for an assignment to a name that does not exist."""
    note = f"bind a new name with `let {name} = …`, or with `var {name} = …` if it changes"
    raise ScriptError(f"Undefined variable: {name}", notes=(note,))


def immutable(name: str) -> NoReturn:
    """Raise the error for an assignment to an immutable name."""
    raise ScriptError(f"Cannot assign to immutable binding: {name}")


def redeclare(name: str) -> NoReturn:
    """Raise the error for a second immutable binding of a name in one scope."""
    message = f"Cannot redeclare immutable variable '{name}' in the same scope (use 'var' for mutable bindings)"
    raise runtime_error(message)
