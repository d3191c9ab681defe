"""What the session writes: values, reports, and long texts through a pager."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys

from harnlite.diagnostics import render_text
from harnlite.repl.value_display import laid_out, literal
from harnlite.runtime.tasks.task_errors import fault_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.host.failure_report import Failure

_DEFAULT_PAGER = "less -R -F -X"


class Screen:
    """The two streams of the session; on a terminal, what does not fit is paged."""

    __slots__ = ("_color", "_is_paging")

    def __init__(self, *, color: bool, is_paging: bool) -> None:
        self._color = color
        self._is_paging = is_paging

    @property
    def color(self) -> bool:
        """Say whether texts are coloured."""
        return self._color

    def shown(self, value: object) -> str:
        """Return the text of a value, on a terminal laid out to its width."""
        return laid_out(value, shutil.get_terminal_size().columns) if self._is_paging else literal(value)

    def value(self, text: str) -> None:
        """Show a value."""
        self.page(f"{text}\n")

    def page(self, text: str) -> None:
        """Show a text, through a pager if the screen cannot hold it."""
        if not (self._is_paging and _is_long(text) and _paged(text)):
            sys.stdout.write(text)
            sys.stdout.flush()

    def tell(self, text: str) -> None:
        """Say something about the session."""
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def complain(self, text: str) -> None:
        """Say on stderr what is wrong."""
        sys.stdout.flush()
        sys.stderr.write(f"error: {text}\n")
        sys.stderr.flush()

    def fault(self, error: Exception, *, debug: bool) -> None:
        """Say that something is wrong with harnlite itself; the Python traceback is for those who ask for it."""
        from traceback import format_exception

        self._report("".join(format_exception(error) if debug else ()) + f"{fault_text(error)}.\n")

    def failure(self, failure: Failure) -> None:
        """Show an error that nobody has caught."""
        self._report(failure.report("text", color=self._color))

    def findings(self, found: Sequence[Diagnostic]) -> None:
        """Show what is wrong with a text."""
        if found:
            self._report(render_text.render(found, color=self._color))

    def _report(self, text: str) -> None:
        sys.stdout.flush()
        sys.stderr.write(text)
        sys.stderr.flush()


def _is_long(text: str) -> bool:
    """Say whether a text takes more lines than the screen has."""
    size = shutil.get_terminal_size()
    return sum(1 + len(line) // max(size.columns, 1) for line in text.splitlines()) >= size.lines


def _paged(text: str) -> bool:
    """Show a text in the person's pager; say whether there was one."""
    command = shlex.split(os.environ.get("PAGER") or _DEFAULT_PAGER)
    if not command or shutil.which(command[0]) is None:
        return False
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE, text=True, encoding="utf-8") as process:  # noqa: S603 - the person's own
            _hand_over(process, text)
    except OSError:
        return False
    return True


def _hand_over(process: subprocess.Popen[str], text: str) -> None:
    """Write a text to a pager and wait until the person has read it; Ctrl-C is for the pager."""
    try:
        if process.stdin is not None:
            process.stdin.write(text)
            process.stdin.close()
    except (BrokenPipeError, KeyboardInterrupt):
        pass  # the person has seen enough
    while process.poll() is None:
        try:
            process.wait()
        except KeyboardInterrupt:
            continue
