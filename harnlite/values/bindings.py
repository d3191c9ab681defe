"""What happens at names: boxes for variables that outlive a loop pass, and the errors of missing and fixed names."""

from __future__ import annotations

from harnlite.values.errors import ScriptError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class Box:
    """A variable that closures of one loop pass share; `v` has no value before the first assignment."""

    __slots__ = ("name", "v")

    def __init__(self, name: str) -> None:
        self.name = name


def missing_variable(name: str, near: str | None = None) -> ScriptError:
    """Make the error of a name that does not exist or has no value yet."""
    if near is None:
        return ScriptError(f"Undefined variable: {name}")
    return runtime_error(f"Undefined variable: {name} (did you mean `{near}`?)")


def missing_builtin(name: str, near: str | None = None) -> ScriptError:
    """Make the error of a call target that does not exist."""
    if near is None:
        return ScriptError(f"Undefined builtin: {name}")
    return runtime_error(f"Undefined builtin: {name} (did you mean `{near}`?)")


def undefined(name: str, near: str | None) -> NoReturn:
    """Fail at reading a name that does not exist."""
    raise missing_variable(name, near)


def undefined_call(name: str, near: str | None, *_: object) -> NoReturn:
    """Fail at calling a name that does not exist."""
    raise missing_builtin(name, near)


def unassignable(name: str) -> NoReturn:
    """Fail at assigning a name that does not exist."""
    raise ScriptError(f"Undefined variable: {name}")


def immutable(name: str) -> NoReturn:
    """Fail at assigning a name that may not change."""
    raise ScriptError(f"Cannot assign to immutable binding: {name}")


def redeclare(name: str) -> NoReturn:
    """Fail at a second immutable binding of a name."""
    message = f"Cannot redeclare immutable variable '{name}' in the same scope (use 'var' for mutable bindings)"
    raise runtime_error(message)
