"""Support for `try`, `catch`, `defer`, `retry` and `match`: caught values, Results and deferred blocks."""

from __future__ import annotations

from harnlite.values.bindings import Box, missing_variable
from harnlite.values.data_types import EnumValue, ok, type_name
from harnlite.values.errors import STACK_OVERFLOW, ScriptError, Unwinding, thrown, type_error
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

TOO_LARGE = "Value too large"

CATCHABLE = (ScriptError, NameError, RecursionError, MemoryError, OverflowError, AttributeError, SystemError)
"""ScriptError, and the Python exceptions that compiled code relies on: unbound names, empty boxes, Python's limits."""

REFUSED_MEMORY = (MemoryError, SystemError)
"""What CPython raises when the system refuses memory: the second for a call that failed without an exception.

Their handlers must not allocate: a tuple or a call in them can fail in its turn.
"""
_WITHOUT_EXCEPTION = ("error return without exception set",)
"""The arguments of such a SystemError; any other one is a fault of the interpreter."""

_PLAIN_TEXTS: dict[type, str] = {
    RecursionError: STACK_OVERFLOW,
    MemoryError: TOO_LARGE,
    OverflowError: TOO_LARGE,
}


def script_error(error: BaseException) -> ScriptError | None:
    """Return the script error that a Python exception represents, or None."""
    if isinstance(error, ScriptError):
        return error
    text = _PLAIN_TEXTS.get(error.__class__)
    if text is not None:
        return ScriptError(text)
    if error.__class__ is SystemError and error.args == _WITHOUT_EXCEPTION:
        return ScriptError(TOO_LARGE)
    if isinstance(error, NameError):
        return _unbound(error)
    if isinstance(error, AttributeError) and isinstance(error.obj, Box):
        return missing_variable(error.obj.name)
    return None


def _unbound(error: NameError) -> ScriptError | None:
    """Convert Python's error for an unbound variable; its message quotes the mangled name."""
    parts = str(error).split("'")
    name = error.name or (parts[1] if len(parts) > 1 else "")
    prefix, mark, text = name.partition("_")
    if not mark or prefix[:1] not in {"v", "i"}:
        return None
    return missing_variable(text)


def caught(error: BaseException) -> object:
    """Return the value that a catch receives; re-raise an exception that is not a script error."""
    if error.__class__ is ScriptError:
        return error.value
    found = script_error(error)
    if found is None:
        raise error
    if found.holds_memory or isinstance(error, REFUSED_MEMORY):
        release_frames(error)
    return found.value


def release_frames(error: BaseException | None) -> None:
    """Release what the functions that an error has ended still hold."""
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            try:
                trace.tb_frame.clear()
            except RuntimeError:
                pass  # the function is still running
            trace = trace.tb_next
        error = error.__context__


def is_thrown_enum(error: BaseException, name: str) -> bool:
    """Return whether a typed catch handles this error: it handles only thrown values of the enum with that name."""
    value = getattr(error, "value", None)
    return isinstance(value, EnumValue) and value.enum == name


def as_result(value: object) -> EnumValue:
    """Return the Result of a `try { … }` that succeeded; a Result is not wrapped again."""
    if value.__class__ is EnumValue and value.enum == "Result":
        return value
    return ok(value)


def is_failure(value: object) -> bool:
    """Return whether `value?` returns from the function."""
    if value.__class__ is EnumValue and value.enum == "Result":
        return value.variant == "Err"
    raise type_error(f"? operator requires a Result value, got {type_name(value)}")


def attempts(count: object) -> int:
    """Return the number of attempts of a retry."""
    return max(1, count) if count.__class__ is int else 1


def no_arm() -> ScriptError:
    """Return the error for a match in which no arm matches."""
    return thrown("No match arm matched the value")


def checked_text(text: str) -> str:
    """Return a long text; raise an error if it has become too long."""
    check_size(len(text))
    return text


class Tail:
    """A tail call that a trampoline makes for the function, so that the call needs no extra frame."""

    __slots__ = ("args", "function")

    def __init__(self, function: Callable[..., object], *args: object) -> None:
        self.function = function
        self.args = args

    def __call__(self) -> object:
        """Make the call."""
        return self.function(*self.args)


class Defers:
    """The defer blocks that a function has reached; they run in reverse order, whether it returns or raises."""

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
                # The remaining blocks still run. An uncatchable exception takes precedence over an error.
                if not isinstance(replaced or error, Unwinding) or isinstance(failure, Unwinding):
                    replaced = failure
        if replaced is not None:
            raise replaced
