"""The turns of a host: those of one session run one after the other, those of different sessions in parallel."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from harnlite.host.host_errors import HostError, TurnCancelled
from harnlite.host.turn_threads import TurnThreads

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from harnlite.agent.sessions.session import Session


class Turn:
    """A prompt and its result. A caller that stops waiting for the turn does not stop it.

    The prompt may be a user message that waits in the inbox of the session until the turn begins.
    """

    __slots__ = ("_future", "_on_end", "_stop", "cancelled", "content", "held", "is_queued", "message_id", "session")

    def __init__(
        self,
        held: Session,
        content: object,
        message_id: str,
        on_end: Callable[[], object],
        *,
        is_queued: bool = False,
    ) -> None:
        self.held = held
        self.session = held.id
        self.is_queued = is_queued
        """Whether the prompt is a message in the inbox."""
        self.content = content
        self.message_id = message_id
        self.cancelled = False
        """Whether the turn was cancelled."""
        self._future: Future[object] = Future()
        self._stop: list[Callable[[], None]] = []
        self._on_end = on_end

    def done(self) -> bool:
        """Return whether the turn has ended."""
        return self._future.done()

    def result(self, timeout: float | None = None) -> object:
        """Wait for the value of the entry pipeline; raise the error that ended the turn, or TimeoutError."""
        return self._future.result(timeout)

    def __await__(self) -> Generator[object, None, object]:
        import asyncio

        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not waiting.done():
                waiting.set_result(None)

        def notify(_: object) -> None:
            with suppress(RuntimeError):  # raised if the loop is closed
                loop.call_soon_threadsafe(wake)

        self._future.add_done_callback(notify)
        yield from waiting
        return self._future.result()

    def on_stop(self, stop: Callable[[], None]) -> None:
        """Set the function that stops the running turn; call it at once if the turn is already cancelled."""
        self._stop.append(stop)
        if self.cancelled:
            self.stop()

    def stop(self) -> None:
        """Stop the turn if it is running, but only once, because a second interrupt would stop its clean-up."""
        with suppress(IndexError):
            self._stop.pop()()

    def release(self) -> None:
        """Release what the turn holds; for a turn that could not be queued."""
        self._on_end()

    def settle(self, value: object, error: BaseException | None) -> None:
        """Set the value or the error with which the turn ended."""
        self._stop.clear()
        self._on_end()
        if error is not None:
            self._future.set_exception(error)
        else:
            self._future.set_result(value)


class _Line:
    """The turns of one session, the running one first. A thread runs them until the line is empty."""

    __slots__ = ("is_over", "lock", "turns")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.turns: deque[Turn] = deque()
        self.is_over = False
        """Whether the thread has ended, so that the next turn needs a new line."""


class TurnQueues:
    """The running and waiting turns, in a line for each session; a thread runs the turns of a line until it is empty.

    The number of threads is bounded, so the turns of a line may wait until the turns of others have ended.

    The lock of a line may be held while a store commits; the lock of all lines is only held for moments, and is taken
    last.
    """

    __slots__ = ("_at_end", "_changed", "_count", "_lines", "_lock", "_run_turn", "_threads", "_turns_after")

    def __init__(self, run_turn: Callable[[Turn], object], turns_after: Callable[[Turn], Iterable[Turn]]) -> None:
        self._run_turn = run_turn
        self._turns_after = turns_after
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._lines: dict[str, _Line] = {}
        self._threads = TurnThreads()
        self._count = 0
        """The number of turns that have not ended."""
        self._at_end: Callable[[], object] | None = None

    @property
    def closed(self) -> bool:
        """Return whether no more turns are accepted."""
        return self._at_end is not None

    def add(self, turn: Turn, accept: Callable[[], object] | None = None) -> None:
        """Append a turn to the line of its session; raise HostError if the host is closed.

        `accept` is called before the turn can begin.
        """
        while not self._added(turn, accept):
            pass

    def _added(self, turn: Turn, accept: Callable[[], object] | None) -> bool:
        """Append a turn unless the thread of the line is just ending; return whether it is appended."""
        with self._lock:
            self._require_open()
            line = self._lines.get(turn.session)
            starts = line is None
            if line is None:
                line = self._lines[turn.session] = _Line()
        try:
            with line.lock:
                if line.is_over:
                    return False
                if accept is not None:
                    accept()
                with self._lock:
                    self._require_open()
                    self._count += 1
                line.turns.append(turn)
        finally:
            # Also after an error: the thread removes the line if it is empty.
            if starts:
                self._threads.run(partial(self._work, turn.session, line))
        return True

    def while_running(self, session: str, action: Callable[[], object], turn: str | None = None) -> bool:
        """Call a function if a turn of the session is running, before that turn can end; return whether it is.

        With `turn`, the running turn must have this message id.
        """
        line = self._lines.get(session)
        if line is None:
            return False
        with line.lock:
            if not line.turns or turn not in (None, line.turns[0].message_id):
                return False
            action()
        return True

    def running(self) -> list[str]:
        """Return the sessions that have turns."""
        with self._lock:
            lines = list(self._lines.items())
        return [session for session, line in lines if line.turns]

    def is_running(self, session: str) -> bool:
        """Return whether a session has turns."""
        line = self._lines.get(session)
        return line is not None and bool(line.turns)

    def cancel(self, session: str, *, with_messages: bool = False) -> bool:
        """Cancel the running turn of a session and the waiting prompts; return whether a turn was running.

        Messages in the inbox stay there, and their turns follow, except with `with_messages`.
        """
        return self._cancel(session, lambda _: True, with_running=True, with_messages=with_messages)

    def cancel_turn(self, session: str, message_id: str) -> bool:
        """Cancel one turn of a session, running or waiting; return whether it was found.

        The turn of a message that waits in the inbox is not found: the message is revoked instead.
        """

        def is_meant(turn: Turn) -> bool:
            return turn.message_id == message_id

        return self._cancel(session, is_meant, with_running=False)

    def _cancel(
        self,
        session: str,
        is_meant: Callable[[Turn], bool],
        *,
        with_running: bool,
        with_messages: bool = False,
    ) -> bool:
        line = self._lines.get(session)
        if line is None:
            return False
        with line.lock:
            if not line.turns:
                return False
            running, *others = line.turns
            is_running_meant = with_running or is_meant(running)
            waiting = [turn for turn in others if is_meant(turn) and (with_messages or not turn.is_queued)]
            for turn in (running, *waiting) if is_running_meant else waiting:
                turn.cancelled = True
            kept = [turn for turn in others if turn not in waiting]
            line.turns.clear()
            line.turns.extend([running, *kept])
            with self._lock:
                self._count -= len(waiting)
        for turn in waiting:
            turn.settle(None, _cancellation())
        if is_running_meant:
            running.stop()
        return is_running_meant or bool(waiting)

    def close(self, at_end: Callable[[], object]) -> None:
        """Cancel all turns and accept no more; call `at_end` when the last one has ended."""
        with self._lock:
            if self._at_end is not None:
                return
            self._at_end = at_end
            sessions = list(self._lines)
            is_idle = not self._count
        for session in sessions:
            self.cancel(session, with_messages=True)
        if is_idle:
            at_end()

    def wait(self, session: str | None = None, timeout: float | None = None) -> bool:
        """Wait until a session, or all of them, have no turns; return whether that is so."""

        def is_idle() -> bool:
            return not self._lines if session is None else session not in self._lines

        with self._changed:
            return self._changed.wait_for(is_idle, timeout)

    def _require_open(self) -> None:
        if self._at_end is not None:
            raise HostError("closed", "the host is closed")

    def _work(self, session: str, line: _Line) -> None:
        while True:
            with line.lock:
                if not line.turns:
                    line.is_over = True
                    with self._changed:
                        del self._lines[session]
                        self._changed.notify_all()
                    return
                turn = line.turns[0]
            self._run(turn, line)

    def _run(self, turn: Turn, line: _Line) -> None:
        """Run a turn, replace it in the line with the turns that follow from it, and settle it."""
        value, error = self._outcome(turn)
        with line.lock:
            line.turns.popleft()
            if self._at_end is None:
                following = [*self._turns_after(turn)]
                line.turns.extendleft(reversed(following))
            else:
                following = []
            with self._lock:
                self._count += len(following) - 1
                at_end = None if self._count else self._at_end
            if turn.cancelled and not isinstance(error, TurnCancelled):
                error = _cancellation()
        try:
            if at_end is not None:
                at_end()
        finally:
            turn.settle(value, error)

    def _outcome(self, turn: Turn) -> tuple[object, BaseException | None]:
        if turn.cancelled:
            return None, None
        try:
            return self._run_turn(turn), None
        except BaseException as error:  # noqa: BLE001 - raised again to the caller that waits for the turn
            return None, error


def _cancellation() -> TurnCancelled:
    return TurnCancelled("the turn was cancelled")
