"""What a catch sees, Results, defers, and the other ends of blocks."""

from __future__ import annotations

from harnlite.values.bindings import Box, missing_variable
from harnlite.values.data_types import EnumValue, ok, type_name
from harnlite.values.errors import STACK_OVERFLOW, ScriptError, Unwinding, thrown, type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

TOO_LARGE = "Value too large"

CATCHABLE = (ScriptError, NameError, RecursionError, MemoryError, OverflowError, AttributeError)
"""ScriptError, and what Python raises where compiled code relies on it: unbound names, empty boxes, its own limits."""

_PLAIN_TEXTS: dict[type, str] = {
    RecursionError: STACK_OVERFLOW,
    MemoryError: TOO_LARGE,
    OverflowError: TOO_LARGE,
}


def script_error(error: BaseException) -> ScriptError | None:
    """Return the error of the script that a Python exception stands for, if it stands for one."""
    if isinstance(error, ScriptError):
        return error
    text = _PLAIN_TEXTS.get(error.__class__)
    if text is not None:
        return ScriptError(text)
    if isinstance(error, NameError):
        return _unbound(error)
    if isinstance(error, AttributeError) and isinstance(error.obj, Box):
        return missing_variable(error.obj.name)
    return None


def _unbound(error: NameError) -> ScriptError | None:
    """Turn Python's word for a variable without a value into ours; the message quotes the mangled name."""
    parts = str(error).split("'")
    name = error.name or (parts[1] if len(parts) > 1 else "")
    prefix, mark, text = name.partition("_")
    if not mark or prefix[:1] not in {"v", "i"}:
        return None
    return missing_variable(text)


def caught(error: BaseException) -> object:
    """Return the value that a catch sees; what is no error of the script goes on."""
    if error.__class__ is ScriptError:
        return error.value
    found = script_error(error)
    if found is None:
        raise error
    return found.value


def is_thrown_enum(error: BaseException, name: str) -> bool:
    """Say whether a typed catch takes this error: only thrown enum values of that name."""
    value = getattr(error, "value", None)
    return isinstance(value, EnumValue) and value.enum == name


def as_result(value: object) -> EnumValue:
    """Make the Result of a `try { … }` that went well; a Result is not wrapped again."""
    if value.__class__ is EnumValue and value.enum == "Result":
        return value
    return ok(value)


def is_failure(value: object) -> bool:
    """Say whether `value?` leaves the function."""
    if value.__class__ is EnumValue and value.enum == "Result":
        return value.variant == "Err"
    raise type_error(f"? operator requires a Result value, got {type_name(value)}")


def attempts(count: object) -> int:
    """Return how often a retry may try."""
    return max(1, count) if count.__class__ is int else 1


def no_arm() -> ScriptError:
    """Make the error of a match without a fitting arm."""
    return thrown("No match arm matched the value")


def too_large() -> str:
    """Fail because a text has become too long."""
    raise ScriptError(TOO_LARGE)


class Tail:
    """A call that the front of its function makes, so that it needs no frame of its own."""

    __slots__ = ("args", "function")

    def __init__(self, function: Callable[..., object], *args: object) -> None:
        self.function = function
        self.args = args

    def __call__(self) -> object:
        """Make the call."""
        return self.function(*self.args)


class Defers:
    """The defer blocks that a function has reached; they run in reverse order, however it ends."""

    __slots__ = ("_blocks",)

    def __init__(self) -> None:
        self._blocks: list[Callable[[], object]] = []

    def __enter__(self) -> list[Callable[[], object]]:
        return self._blocks

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        replaced: BaseException | None = None
        while self._blocks:
            try:
                self._blocks.pop()()
            except GeneratorExit:
                raise
            except BaseException as failure:  # noqa: BLE001 - held until all have run
                # The others run all the same; an end that no catch sees outranks an error.
                if not isinstance(replaced or error, Unwinding) or isinstance(failure, Unwinding):
                    replaced = failure
        if replaced is not None:
            raise replaced
