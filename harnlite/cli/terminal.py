"""The three standard streams: colour, encoding, and closed pipes."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


_USUAL_WIDTH = 80


def wants_color(choice: str, stream: TextIO) -> bool:
    """Return whether to use colour: the option decides, then NO_COLOR, FORCE_COLOR and TERM, then the stream."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()


def width_of(stream: TextIO) -> int | None:
    """Return the width of the terminal that a stream is connected to, or None without one."""
    if not stream.isatty():
        return None
    asked = os.environ.get("COLUMNS", "")
    columns = int(asked) if asked.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    return columns or _USUAL_WIDTH


def prepare() -> None:
    """Set the streams to UTF-8 without encoding errors; replace closed streams."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - lives as long as the process
        elif stream.encoding != "utf-8" or name != "stdin":
            errors = "replace" if name == "stdin" else "backslashreplace"
            stream.reconfigure(encoding="utf-8", errors=errors)


def silence_stdout() -> None:
    """Redirect stdout to the null device: its reader is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def flush() -> None:
    """Flush both streams; an error of stderr is ignored, since it cannot be reported."""
    try:
        sys.stderr.flush()
    except OSError:
        pass
    sys.stdout.flush()
