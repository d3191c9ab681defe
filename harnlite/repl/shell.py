"""The main loop of the session: read an input, run it, show its result."""

from __future__ import annotations

import os
import signal
import sys

from harnlite.host.interactive import Interactive
from harnlite.reminders.lifecycle import TOPIC
from harnlite.repl.commands import COMMANDS, command_of, run_command
from harnlite.repl.input_completeness import is_command
from harnlite.repl.lines import Lines
from harnlite.repl.screen import Screen
from harnlite.store.event_log import opened_log
from harnlite.store.timeline import Timeline
from harnlite.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Protocol

    from harnlite.host.engine import Engine
    from harnlite.host.interactive import Answer

    class Reader(Protocol):
        """A source of inputs."""

        def read(self) -> str:
            """Return the next input; raise EOFError at the end, KeyboardInterrupt if the user cancels the line."""

        def leave(self) -> bool:
            """Interrupt `read` from a signal handler; return whether that is possible."""


OK, FAILED, INTERRUPTED, TERMINATED = 0, 1, 130, 143
PATIENCE = 3
BANNER = f"harnlite {VERSION} · :help for help, Ctrl-D to exit"


class Shell:
    """An interactive session."""

    def __init__(self, engine: Engine, *, vi: bool, color: bool, error_color: bool, debug: bool) -> None:
        self.is_terminal = sys.stdin.isatty()
        self.is_able = self.is_terminal and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.screen = Screen(color=color and error_color, is_paging=self.is_able)
        self.session = Interactive(engine)
        self.timeline = Timeline()
        self.is_leaving = False
        self.status = OK
        self._debug = debug
        self._running = False
        self._signals = 0
        self._reader = self._make_reader(vi=vi, color=color)
        self._listen()

    def _make_reader(self, *, vi: bool, color: bool) -> Reader:
        if not self.is_able:
            prompts = sys.stdout if sys.stdout.isatty() else sys.stderr
            return Lines(prompts if self.is_terminal else None)
        from harnlite.repl.prompt import Prompt

        session = self.session
        return Prompt(lambda: session.members(), session.kind_of, list(COMMANDS), vi=vi, color=color)  # noqa: PLW0108 - a reset replaces the session's names

    def _listen(self) -> None:
        """Subscribe to the events of reminders."""
        log = opened_log(self.session.run)
        log.detailed = True
        log.subscribe(TOPIC, None, "", self.timeline.add)

    def run(self, file: str | None = None) -> int:
        """Read and run inputs until the end, and return the exit status."""
        before = {number: signal.signal(number, self._hear) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            if self.is_terminal:
                self.screen.tell(BANNER)
            if file is not None:
                self._count(went_well=run_command(self, f":load {file}"))
            while not self.is_leaving:
                self._step()
        except _Terminated:
            self.status = TERMINATED
        finally:
            self.session.close()
            for number, handler in before.items():
                signal.signal(number, handler)
        return self.status

    def _step(self) -> None:
        try:
            text = self._reader.read()
            text = command_of(text, self.session.names.kinds) or text
            if text.strip():
                self._count(went_well=run_command(self, text) if is_command(text) else self.report(self.perform(text)))
        except EOFError:
            self.is_leaving = True
        except KeyboardInterrupt:
            if not self.is_terminal:
                self.status, self.is_leaving = INTERRUPTED, True
            elif not self.is_able:
                self.screen.tell("")
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - an internal error ends the input, not the session
            self._count(went_well=False)
            self.screen.fault(error, debug=self._debug)

    def _count(self, *, went_well: bool) -> None:
        """Record a failure in the exit status if the input is a pipe."""
        if not went_well and not self.is_terminal and self.status == OK:
            self.status = FAILED

    def perform(self, text: str, *, path: str | None = None, is_probe: bool = False) -> Answer:
        """Run an input; Ctrl-C stops it."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._hear)
        self._running, self._signals = True, 0
        try:
            return self.session.perform(text, path=path, show=self.screen.shown, is_probe=is_probe)
        finally:
            self._running = False
            if self._signals:
                self._end_after_signal()

    def report(self, answer: Answer) -> bool:
        """Show the outcome of an input; return whether it succeeded."""
        self.screen.findings(answer.findings)
        if answer.failure is not None:
            self.screen.failure(answer.failure)
        if answer.interrupted:
            self._interrupted()
        if answer.exit_code is not None:
            self.status, self.is_leaving = answer.exit_code, True
        if answer.text is not None:
            self.screen.value(answer.text)
        return not answer.is_error

    def _interrupted(self) -> None:
        self._end_after_signal()
        if not self.is_leaving:
            self.screen.tell("")  # the terminal has printed ^C
            self.screen.complain("interrupted")

    def _end_after_signal(self) -> None:
        """End the session, unless its user has pressed Ctrl-C, who goes on.

        The signal may have come when the input had ended already and there was nothing to stop.
        """
        if self.status == TERMINATED:
            self.is_leaving = True
        elif not self.is_terminal:
            self.status, self.is_leaving = INTERRUPTED, True

    def reset(self) -> None:
        """Restart the session without any bindings."""
        self.session.reset()
        self.timeline = Timeline()
        self._listen()

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        """Stop the running input, or else cancel the line; SIGTERM ends the session."""
        if number == signal.SIGTERM:
            self.status = TERMINATED
        self._signals += 1
        if not self._running:
            if number == signal.SIGINT:
                raise KeyboardInterrupt
            if not self._reader.leave():
                raise _Terminated
            return
        if self._signals > PATIENCE:
            os._exit(TERMINATED if number == signal.SIGTERM else INTERRUPTED)
        self.session.interrupt()


class _Terminated(BaseException):
    """Raised by SIGTERM to end the session."""
