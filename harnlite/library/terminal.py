"""Builtins for the terminal: detecting it, colours and progress."""

from __future__ import annotations

import os
import sys

from harnlite.library.native import native
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_CODES = {
    **{name: str(30 + i) for i, name in enumerate(_COLORS)},
    **{f"bright_{name}": str(90 + i) for i, name in enumerate(_COLORS)},
    "gray": "90",
    "grey": "90",
}
_STREAMS = frozenset({"stdin", "stdout", "stderr"})
_FRAMES = ("|", "/", "-", "\\")
_BAR_WIDTH, _MIN_BAR_WIDTH, _MAX_BAR_WIDTH = 10, 3, 40


class _Terminal:
    """The terminal settings of a script."""

    __slots__ = ("color_mode", "ttys")

    def __init__(self) -> None:
        self.ttys: dict[str, bool] = {}
        self.color_mode = "auto"


def _terminal(run: Execution) -> _Terminal:
    return run.state("terminal", _Terminal)


# Detection


def _is_tty(run: Execution, stream: str) -> bool:
    mocked = _terminal(run).ttys.get(stream)
    if mocked is not None:
        return mocked
    file = getattr(run, stream, None) or getattr(sys, stream)
    return file is not None and bool(file.isatty())


@native("is_stdin_tty")
def is_stdin_tty(run: Execution) -> bool:
    """Return whether stdin is a terminal."""
    return _is_tty(run, "stdin")


@native("is_stdout_tty")
def is_stdout_tty(run: Execution) -> bool:
    """Return whether stdout is a terminal."""
    return _is_tty(run, "stdout")


@native("is_stderr_tty")
def is_stderr_tty(run: Execution) -> bool:
    """Return whether stderr is a terminal."""
    return _is_tty(run, "stderr")


@native("mock_tty")
def mock_tty(run: Execution, stream: object = "", is_tty: object = None) -> None:
    """Set whether a standard stream is treated as a terminal."""
    name = display(stream)
    if name not in _STREAMS:
        raise thrown(f"mock_tty: invalid stream '{name}'. Expected 'stdin', 'stdout', or 'stderr'.")
    _terminal(run).ttys[name] = is_tty is True


@native("unmock_tty")
def unmock_tty(run: Execution) -> None:
    """Return to the detection on the real streams."""
    _terminal(run).ttys.clear()


# Colours


def _in_color(run: Execution) -> bool:
    mode = _terminal(run).color_mode
    if mode != "auto":
        return mode == "always"
    if "FORCE_COLOR" in os.environ:
        return True
    return "NO_COLOR" not in os.environ and _is_tty(run, "stdout")


def _paint(run: Execution, text: object, code: str | None) -> str:
    plain = display(text)
    return f"\x1b[{code}m{plain}\x1b[0m" if code is not None and _in_color(run) else plain


@native("color")
def color(run: Execution, text: object = "", name: object = "") -> str:
    """Return a text in a colour, if colours are enabled."""
    return _paint(run, text, _CODES.get(display(name)))


@native("bold")
def bold(run: Execution, text: object = "") -> str:
    """Return a text in bold, if colours are enabled."""
    return _paint(run, text, "1")


@native("dim")
def dim(run: Execution, text: object = "") -> str:
    """Return a text in a faint colour, if colours are enabled."""
    return _paint(run, text, "2")


@native("set_color_mode")
def set_color_mode(run: Execution, mode: object = "") -> None:
    """Set whether texts are coloured: always, never, or only on a terminal."""
    name = display(mode)
    if name not in {"auto", "always", "never"}:
        raise thrown(f"set_color_mode: invalid mode '{name}'. Expected 'auto', 'always', or 'never'.")
    _terminal(run).color_mode = name


# Progress


def _int(options: dict[str, object], key: str, default: int) -> int:
    value = options.get(key)
    return value if type(value) is int else default


def _spinner(message: str, options: dict[str, object]) -> str:
    step = _int(options, "step", _int(options, "current", 0))
    return f"{_FRAMES[step % len(_FRAMES)]} {message}"


def _bar(message: str, options: dict[str, object]) -> str:
    current, total = _int(options, "current", 0), _int(options, "total", 0)
    width = min(max(_int(options, "width", _BAR_WIDTH), _MIN_BAR_WIDTH), _MAX_BAR_WIDTH)
    filled = 0
    if total > 0:
        filled = min(max((2 * current * width + total) // (2 * total), 0), width)
    return f"[{'#' * filled}{'-' * (width - filled)}] {message} ({current}/{total})"


_MODES = {"spinner": _spinner, "bar": _bar}


@native("progress")
def progress(
    run: Execution, phase: object = "", message: object = "", detail: object = None, total: object = None
) -> None:
    """Write a progress line with a plain text, a percentage, a count, a spinner or a bar."""
    text = display(message)
    if isinstance(detail, dict):
        mode = detail.get("mode")
        if isinstance(mode, str) and mode in _MODES:
            text = _MODES[mode](text, detail)
    elif type(detail) is int:
        text += f" ({detail}/{total})" if type(total) is int else f" ({detail}%)"
    run.write(f"[{display(phase)}] {text}\n")
