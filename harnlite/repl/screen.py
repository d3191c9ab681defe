"""The output of the session: values, reports, and long texts in a pager."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys

from harnlite.diagnostics import render_text
from harnlite.known_keys import without_keys
from harnlite.repl.value_display import laid_out, literal
from harnlite.runtime.tasks.task_errors import fault_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.host.failure_report import Failure

_DEFAULT_PAGER = "less -R -F -X"


class Screen:
    """The two output streams of the session; on a terminal, long texts are shown in a pager."""

    __slots__ = ("_color", "_is_paging")

    def __init__(self, *, color: bool, is_paging: bool) -> None:
        self._color = color
        self._is_paging = is_paging

    @property
    def color(self) -> bool:
        """Return whether texts are coloured."""
        return self._color

    def shown(self, value: object) -> str:
        """Return the text of a value, laid out for the width of a terminal if there is one."""
        return laid_out(value, shutil.get_terminal_size().columns) if self._is_paging else literal(value)

    def value(self, text: str) -> None:
        """Show the text of a value, followed by a newline."""
        self.page(f"{text}\n")

    def page(self, text: str) -> None:
        """Show a text, in a pager if it does not fit on the screen."""
        if not (self._is_paging and _is_long(text) and _paged(text)):
            sys.stdout.write(text)
            sys.stdout.flush()

    def tell(self, text: str) -> None:
        """Write a message about the session to stdout."""
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def complain(self, text: str) -> None:
        """Write an error message to stderr."""
        sys.stdout.flush()
        sys.stderr.write(f"error: {text}\n")
        sys.stderr.flush()

    def fault(self, error: Exception, *, debug: bool) -> None:
        """Report an internal error of harnlite, with the Python traceback if `debug` is set."""
        from traceback import format_exception

        trace = without_keys("".join(format_exception(error))) if debug else ""
        self._report(trace + f"{fault_text(error)}.\n")

    def failure(self, failure: Failure) -> None:
        """Show an uncaught error."""
        self._report(failure.report("text", color=self._color))

    def findings(self, found: Sequence[Diagnostic]) -> None:
        """Show the findings about a text."""
        if found:
            self._report(render_text.render(found, color=self._color))

    def _report(self, text: str) -> None:
        sys.stdout.flush()
        sys.stderr.write(text)
        sys.stderr.flush()


def _is_long(text: str) -> bool:
    """Return whether a text needs more lines than the screen has."""
    size = shutil.get_terminal_size()
    return sum(1 + len(line) // max(size.columns, 1) for line in text.splitlines()) >= size.lines


def _paged(text: str) -> bool:
    """Show a text in the user's pager; return whether there is one."""
    command = shlex.split(os.environ.get("PAGER") or _DEFAULT_PAGER)
    if not command or shutil.which(command[0]) is None:
        return False
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE, text=True, encoding="utf-8") as process:  # noqa: S603 - the user's own command
            _hand_over(process, text)
    except OSError:
        return False
    return True


def _hand_over(process: subprocess.Popen[str], text: str) -> None:
    """Write a text to a pager and wait until it exits; Ctrl-C is handled by the pager."""
    try:
        if process.stdin is not None:
            process.stdin.write(text)
            process.stdin.close()
    except (BrokenPipeError, KeyboardInterrupt):
        pass  # the user has closed the pager
    while process.poll() is None:
        try:
            process.wait()
        except KeyboardInterrupt:
            continue
