"""Builtins that read from stdin, or from a text that replaces it."""

from __future__ import annotations

from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.values.display import display
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from harnlite.runtime.tasks.execution import Execution

_CHUNK = 65536


class _Stdin:
    """The mocked input of a script, and the buffered input of the real stdin."""

    __slots__ = ("_lines", "_size", "_unfinished", "mock_lines", "mock_text")

    def __init__(self) -> None:
        self.mock_text: str | None = None
        self.mock_lines: list[str] = []
        self._lines: list[bytes] = []
        self._unfinished: list[bytes] = []
        self._size = 0

    def drop_mock(self) -> None:
        """Remove the mocked input."""
        self.mock_text = None
        self.mock_lines = []

    def _read(self, run: Execution, stdin: TextIO) -> bytes:
        """Read the available input while other tasks continue; return empty bytes only at the end of the input."""
        chunk: bytes = run.block(getattr(stdin.buffer, "raw", stdin.buffer).read, _CHUNK)
        self._size += len(chunk)
        check_size(self._size)
        return chunk

    def line(self, run: Execution, stdin: TextIO) -> bytes | None:
        """Return the next line without its line feed, or None at the end of the input."""
        while not self._lines:
            chunk = self._read(run, stdin)
            if not chunk:
                last = self._take_unfinished()
                return last or None
            head, feed, tail = chunk.rpartition(b"\n")
            if feed:
                self._lines = (self._take_unfinished() + head).split(b"\n")[::-1]
            self._unfinished.append(tail)
        return self._lines.pop()

    def rest(self, run: Execution, stdin: TextIO) -> bytes:
        """Return the remaining input."""
        pieces = [line + b"\n" for line in reversed(self._lines)]
        self._lines = []
        pieces.append(self._take_unfinished())
        while chunk := self._read(run, stdin):
            pieces.append(chunk)
        self._size = 0
        return b"".join(pieces)

    def _take_unfinished(self) -> bytes:
        taken = b"".join(self._unfinished)
        self._unfinished = []
        self._size = 0
        return taken


def _state(run: Execution) -> _Stdin:
    return run.state("stdin", _Stdin)


def _real(run: Execution) -> TextIO | None:
    run.flush()
    return run.stdin


def _real_line(run: Execution) -> str | None:
    stdin = _real(run)
    if stdin is None:
        return None
    if not hasattr(stdin, "buffer"):
        text = stdin.readline()
        return text.removesuffix("\n").removesuffix("\r") if text else None
    line = _state(run).line(run, stdin)
    return None if line is None else line.removesuffix(b"\r").decode("utf-8", "replace")


def _real_rest(run: Execution) -> str | None:
    stdin = _real(run)
    if stdin is None:
        return None
    if not hasattr(stdin, "buffer"):
        return stdin.read() or None
    return _state(run).rest(run, stdin).decode("utf-8", "replace") or None


@native("read_stdin")
def read_stdin(run: Execution) -> str | None:
    """Return the rest of stdin, or nil at its end."""
    require(run, "terminal", "read_stdin")
    state = _state(run)
    text = state.mock_text
    if text is None:
        return _real_rest(run)
    state.drop_mock()
    return text


@native("read_line")
def read_line(run: Execution) -> str | None:
    """Return the next line of stdin without its line break, or nil at the end."""
    require(run, "terminal", "read_line")
    state = _state(run)
    if not state.mock_lines:
        return _real_line(run)
    state.mock_text = None
    return state.mock_lines.pop()


@native("mock_stdin")
def mock_stdin(run: Execution, text: object = "") -> None:
    """Make `read_line` and `read_stdin` read from this text."""
    state = _state(run)
    state.mock_text = display(text)
    lines = state.mock_text.split("\n")
    if not lines[-1]:
        lines.pop()
    state.mock_lines = lines[::-1]


@native("unmock_stdin")
def unmock_stdin(run: Execution) -> None:
    """Make `read_line` and `read_stdin` read from the real stdin again."""
    _state(run).drop_mock()


@native("prompt_user")
def prompt_user(run: Execution, message: object = "") -> str:
    """Print a message and return the line that the user types."""
    require(run, "terminal", "prompt_user")
    run.write(display(message))
    return (_real_line(run) or "").rstrip()
