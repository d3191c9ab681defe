"""Builtins that write to stdout and stderr. Almost every program loads this module, so it imports very little."""

from __future__ import annotations

from harnlite.library.native import native
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution


@native("println")
def println(run: Execution, *values: object) -> None:
    """Write the texts of the values, with spaces between them, and a line break."""
    run.write(_text(values) + "\n")


@native("print")
def print_text(run: Execution, *values: object) -> None:
    """Write the texts of the values, with spaces between them."""
    run.write(_text(values))


@native("log")
def log(run: Execution, *values: object) -> None:
    """Write the texts of the values as a line with the prefix `[harn]`."""
    run.write(f"[harn] {_text(values)}\n")


def _text(values: tuple[object, ...]) -> str:
    return display(values[0]) if len(values) == 1 else " ".join([display(value) for value in values])


class _Capture:
    """The texts written to stderr while a script captures it."""

    __slots__ = ("pieces",)

    def __init__(self) -> None:
        self.pieces: list[str] | None = None


def _write_error(run: Execution, text: str) -> None:
    pieces = run.state("output", _Capture).pieces
    if pieces is None:
        run.write_error(text)
    else:
        pieces.append(text)


@native("eprint")
def eprint(run: Execution, *values: object) -> None:
    """Write the texts of the values to stderr, with spaces between them."""
    _write_error(run, _text(values))


@native("eprintln")
def eprintln(run: Execution, *values: object) -> None:
    """Write the texts of the values, with spaces between them, and a line break to stderr."""
    _write_error(run, _text(values) + "\n")


@native("capture_stderr_start")
def capture_stderr_start(run: Execution) -> None:
    """Start to capture the output of `eprint` and `eprintln` in an empty buffer."""
    run.state("output", _Capture).pieces = []


@native("capture_stderr_take")
def capture_stderr_take(run: Execution) -> str:
    """Stop capturing stderr and return the captured text."""
    capture = run.state("output", _Capture)
    text = "".join(capture.pieces or ())
    capture.pieces = None
    return text
