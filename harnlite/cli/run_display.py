"""The output of `run` on stderr besides errors: the trace of reminders, and progress on a terminal."""

from __future__ import annotations

import sys

from harnlite.cli.terminal import wants_color, width_of
from harnlite.host.run_limits import OWNS_PROCESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from harnlite.cli.progress import Progress
    from harnlite.cli.run_request import RunRequest
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.store.event_log import LogRecord


ANSWERS = frozenset({"llm_mock", "record", "replay"})
"""The fields of an Engine that name files with answers to model calls."""


class UnusableFile(Exception):
    """Raised if a file that an option names cannot be opened or read."""


def read_answers(execution: Execution) -> None:
    """Open the files of --llm-mock, --record and --replay before the program runs; raise UnusableFile on failure."""
    from harnlite.llm.mock import mocks_of
    from harnlite.llm.recorded_calls import recording_of
    from harnlite.values.errors import ScriptError

    try:
        mocks_of(execution)
        recording_of(execution)
    except ScriptError as error:
        raise UnusableFile(str(error.value).removeprefix("Runtime error: ")) from None


class Watch:
    """Observes one run; does nothing without --trace, a log file or a terminal."""

    __slots__ = ("_color", "_progress", "_request", "_timeline")

    def __init__(self, request: RunRequest) -> None:
        self._request = request
        self._color = wants_color(request.color, sys.stderr)
        self._progress: Progress | None = None
        self._timeline = None
        if request.trace:
            from harnlite.store.timeline import Timeline

            self._timeline = Timeline()

    def output(self) -> TextIO | None:
        """Return the output stream of the program, which keeps the progress line below it; None for stdout."""
        verbose_trace = self._request.trace and self._request.verbose
        if verbose_trace or not (sys.stderr.isatty() and sys.stdout.isatty()):
            return None
        from harnlite.cli.progress import Progress

        self._progress = Progress(sys.stderr, sys.stdout)
        return self._progress.output  # type: ignore[return-value]  # it has the methods that a program's output needs

    def prepare(self, execution: Execution, preview: object = None) -> None:
        """Read the scripted answers, open the log and subscribe to it; raise UnusableFile if a file is unusable."""
        if preview is not None:
            execution.context["preview"] = preview
        execution.context[OWNS_PROCESS] = True
        if ANSWERS & self._request.engine.keys():
            read_answers(execution)
        if self._progress is not None:
            execution.context["watch_sessions"] = self._progress.watch
        if self._timeline is None and not {"events", "store"} & self._request.engine.keys():
            return
        from harnlite.store.event_log import opened_log

        try:
            log = opened_log(execution)
        except OSError as error:
            raise UnusableFile(f"cannot open {error.filename!r}: {error.strerror}") from None
        if self._timeline is not None:
            from harnlite.reminders.lifecycle import TOPIC

            log.detailed = True
            log.subscribe(TOPIC, None, "", lambda record: self._hear(execution, record))

    def _hear(self, execution: Execution, record: LogRecord) -> None:
        if self._timeline is None:
            return
        is_first = not self._timeline.happenings
        happenings = self._timeline.add(record)
        if happenings and self._request.verbose:
            from harnlite.store.timeline_text import live_lines

            width = width_of(sys.stderr)
            execution.write_error(live_lines(happenings, color=self._color, width=width, with_head=is_first))

    def finish(self, *, has_run: bool) -> None:
        """Erase the progress line and show the trace, unless it has already been shown."""
        if self._progress is not None:
            self._progress.finish()
        if self._timeline is not None and has_run and not (self._request.verbose and self._timeline.happenings):
            from harnlite.store.timeline_text import tables

            sys.stderr.write(tables(self._timeline, color=self._color, width=width_of(sys.stderr)))
