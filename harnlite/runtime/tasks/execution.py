"""One run of a program: its input and output, clock, random source and tasks, and the state of library modules."""

from __future__ import annotations

import os
import sys

from harnlite.resources import working_folder
from harnlite.runtime.tasks.clock import Clock, waiting_time
from harnlite.runtime.tasks.event_loop import await_future
from harnlite.runtime.tasks.ids import Ids
from harnlite.runtime.tasks.scheduler import Scheduler
from harnlite.runtime.tasks.task import Task
from harnlite.values import interrupts
from harnlite.values.catching import script_error
from harnlite.values.errors import ExitRun, Interrupted, ScriptError, Unwinding
from harnlite.values.limits import DEFAULTS, Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from random import Random
    from types import FrameType, GeneratorType
    from typing import Any, TextIO, TypeVar

    T = TypeVar("T")

FRAMES = 20_000
GRACE_SECONDS = 2.0
"""The time for the cleanup of a run that has passed its deadline or was cancelled."""
SOURCE_KEY = "_harn_source"
STD_TITLE = "<stdlib>/"
"""The beginning of the names of the std modules."""
SPANS_KEY = "tracing"
"""The key of a run's state for the recorder of its spans."""


class Execution:
    """One run of a program. Compiled code and builtins use this object for everything outside the script."""

    __slots__ = (
        "_cwd",
        "_random",
        "_states",
        "_stderr",
        "_stdin",
        "_stdout",
        "argv",
        "clock",
        "context",
        "endings",
        "ends_at",
        "generators",
        "ids",
        "limits",
        "scheduler",
        "watched",
    )

    def __init__(  # noqa: PLR0913 - all settings of a run, as keyword arguments
        self,
        *,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
        stdin: TextIO | None = None,
        argv: Sequence[str] = (),
        cwd: str | None = None,
        clock: Clock | None = None,
        random: Random | None = None,
        ids: Ids | None = None,
        context: dict[str, object] | None = None,
    ) -> None:
        self._stdout = stdout or sys.stdout
        self._stderr = stderr
        self._stdin = stdin
        self._cwd = cwd
        self._random = random
        self._states: dict[str, Any] = {}
        self.argv = list(argv)
        self.clock = clock or Clock()
        self.ids = ids or Ids(self.clock)
        self.context = context or {}
        limits = self.context.get("limits")
        self.limits = limits if isinstance(limits, Limits) else DEFAULTS
        self.endings: list[Callable[[], object]] = []
        self.generators: dict[GeneratorType[object, None, None], None] = {}
        self.watched = False
        self.ends_at: float | None = None
        self.scheduler = Scheduler(self, Task.main(self._stdout.write))

    @property
    def task(self) -> Task:
        """Return the task that is running."""
        return self.scheduler.current

    @property
    def random(self) -> Random:
        """Return the random number generator; it is created on first use."""
        if self._random is None:
            from random import Random

            self._random = Random()  # noqa: S311 - for scripts, not for secrets
        return self._random

    @property
    def cwd(self) -> str:
        """Return the working directory."""
        return self._cwd or working_folder()

    @property
    def stdout(self) -> TextIO:
        """Return the stream for output."""
        return self._stdout

    @property
    def stderr(self) -> TextIO:
        """Return the stream for messages."""
        return self._stderr or sys.stderr

    @property
    def stdin(self) -> TextIO:
        """Return the stream for input."""
        return self._stdin or sys.stdin

    def source_dir(self) -> str:
        """Return the folder of the file whose code is running; a std module counts as part of its caller."""
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the only way to find the caller
        while frame is not None:
            origin = frame.f_globals.get(SOURCE_KEY)
            if origin is not None and not origin[0].startswith(STD_TITLE):
                return os.path.dirname(os.path.abspath(origin[1])) if origin[1] else self.cwd
            frame = frame.f_back
        return self.cwd

    def state(self, key: str, make: Callable[[], T]) -> T:
        """Return the state that a library module keeps for this run under a key; it is created on first use."""
        try:
            found: T = self._states[key]
        except KeyError:
            found = self._states.setdefault(key, make())
        return found

    def peek(self, key: str) -> Any:  # noqa: ANN401 - each key has its own type
        """Return the state under a key, or None if `state` has not created it."""
        return self._states.get(key)

    def wrap_output(self, wrap: Callable[[TextIO], TextIO]) -> None:
        """Wrap the streams for output and messages."""
        self._stdout, self._stderr = wrap(self._stdout), wrap(self.stderr)
        self.scheduler.main.write = self._stdout.write

    def write(self, text: str) -> None:
        """Write to the output of the current task."""
        try:
            self.scheduler.current.write(text)
        except BrokenPipeError:
            raise ExitRun(0) from None

    def write_error(self, text: str) -> None:
        """Flush the output of the main program, then write to stderr and flush it."""
        self.flush()
        stderr = self._stderr or sys.stderr
        stderr.write(text)
        stderr.flush()

    def flush(self) -> None:
        """Flush the output that the main program has written so far."""
        try:
            self._stdout.flush()
        except BrokenPipeError:
            raise ExitRun(0) from None

    def enter(self, main: Callable[[], T]) -> T:
        """Run the main program in this thread, then end its remaining tasks and generators."""
        previous = interrupts.enter(self)
        self.scheduler.start()
        try:
            try:
                return main()
            finally:
                self._finish()
        finally:
            self.scheduler.stop()
            interrupts.enter(previous)
            while self.endings:
                self.endings.pop()()

    def _finish(self) -> None:
        """End tasks and generators so that their finally and defer blocks run, and flush all output."""
        scheduler = self.scheduler
        scheduler.ending.is_finishing = True
        ended_by: BaseException | None = None
        try:
            while scheduler.live or self.generators:
                # Whatever is not ended here would run its cleanup when it is collected, and nothing could stop it.
                try:
                    self._end_tasks()
                    self._end_generators()
                except Unwinding as error:
                    ended_by = ended_by or error
            if ended_by is None and scheduler.ending.is_forced and scheduler.ending.is_begun:
                ended_by = Interrupted()
            if ended_by is not None:
                raise ended_by
        finally:
            left = sorted(self.scheduler.unclaimed, key=lambda task: task.serial)
            self.scheduler.unclaimed.clear()
            for task in left:
                self.write("".join(task.output))
            self.flush()
            self._report_faults(left)

    def _report_faults(self, left: Sequence[Task]) -> None:
        """Report internal errors of harnlite that ended tasks which the script did not await."""
        raised = sys.exc_info()[1]
        for task in left:
            if task.error is not None and task.error is not raised and script_error(task.error) is None:
                from harnlite.runtime.tasks.task_errors import fault_text

                self.write_error(f"{fault_text(task.error)}.\n")

    def _end_generators(self) -> None:
        while self.generators:
            source, _ = self.generators.popitem()
            from harnlite.runtime.tasks.generators import close

            close(source)

    def _end_tasks(self) -> None:
        scheduler = self.scheduler
        while scheduler.live:
            for task in list(scheduler.live):
                if not task.abandoned:
                    scheduler.cancel(task)
            for task in list(scheduler.live):
                scheduler.ending.is_joining = True
                try:
                    from harnlite.runtime.tasks.waiting import join

                    join(self, task)
                except ScriptError:
                    # The remaining tasks are in a deadlock.
                    if scheduler.ending.is_forced:
                        scheduler.live.clear()
                        return
                    scheduler.ending.force()
                finally:
                    scheduler.ending.is_joining = False

    def interrupt(self, grace: float | None = None) -> None:
        """End the run from any thread: finally and defer blocks run, and the script cannot catch it.

        With a grace, whatever still runs after that many seconds is stopped as well.
        """
        self.scheduler.ending.request(grace)

    def reach(self) -> None:
        """Make the code of this run poll soon, from any thread."""
        interrupts.raise_flag(self)
        if not self.scheduler.is_running:
            interrupts.take_flag(self)  # the run ended in the meantime and will not poll again

    def forget_interrupt(self) -> None:
        """Clear an interrupt, so that the run can continue; this includes one that arrived while the run was idle."""
        self.scheduler.outside.interrupted = False
        self.scheduler.main.pending = None
        self.scheduler.ending.reset()

    def poll(self) -> None:
        """Raise if the run, the task or a deadline block has to end; switch to another task if it is its turn."""
        if interrupts.take_flag(self):
            self.scheduler.poll(may_switch=True)

    def poll_entry(self) -> None:
        """Raise if the run, the task or a deadline block has to end; never switch tasks."""
        if not self.scheduler.entries.skip() and interrupts.take_flag(self):
            self.scheduler.poll(may_switch=False)

    def is_contended(self) -> bool:
        """Return whether anything else needs, or may soon need, the thread of the current task."""
        return self.scheduler.is_contended()

    def is_overdue(self, now: float) -> bool:
        """Return whether the current task has to poll."""
        return self.scheduler.is_overdue(now)

    def seconds_left(self) -> float:
        """Return the time until a deadline ends the run or a part of it."""
        times = [when for when in (self.ends_at, self.scheduler.timers.next_urgent()) if when is not None]
        return min(times) - waiting_time() if times else float("inf")

    def sleep(self, seconds: float) -> None:
        """Pause the current task while others run."""
        until = waiting_time() + seconds
        while not self.scheduler.wait(until):
            pass

    def block(self, work: Callable[..., T], *args: object) -> T:
        """Run blocking work on another thread while the current task waits."""
        from harnlite.runtime.tasks.threads import block

        return block(self.scheduler, work, args)

    def await_future(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the event loop while the current task waits."""
        return await_future(self.scheduler, work)
