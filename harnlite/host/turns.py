"""The turns of a host: those of one session run one after the other, those of different sessions side by side."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING

from harnlite.host.host_errors import HostError, TurnCancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


class Turn:
    """One prompt and what becomes of it. Giving up the wait for it does not stop it."""

    __slots__ = ("_future", "_on_end", "_stop", "cancelled", "content", "message_id", "session")

    def __init__(self, session: str, content: object, message_id: str, on_end: Callable[[], object]) -> None:
        self.session = session
        self.content = content
        self.message_id = message_id
        self.cancelled = False
        """Whether somebody asked for its end."""
        self._future: Future[object] = Future()
        self._stop: list[Callable[[], None]] = []
        self._on_end = on_end

    def done(self) -> bool:
        """Say whether the turn has ended."""
        return self._future.done()

    def result(self, timeout: float | None = None) -> object:
        """Wait for the value of the entry pipeline; raise what ended the turn, or TimeoutError."""
        return self._future.result(timeout)

    def __await__(self) -> Generator[object, None, object]:
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not waiting.done():
                waiting.set_result(None)

        def tell(_: object) -> None:
            with suppress(RuntimeError):  # the loop has been closed
                loop.call_soon_threadsafe(wake)

        self._future.add_done_callback(tell)
        yield from waiting
        return self._future.result()

    def on_stop(self, stop: Callable[[], None]) -> None:
        """Learn how the running turn is stopped; it is at once if that was asked for before."""
        self._stop.append(stop)
        if self.cancelled:
            self.stop()

    def stop(self) -> None:
        """Stop the turn if it runs, once: a second time would stop its clean-up."""
        with suppress(IndexError):
            self._stop.pop()()

    def settle(self, value: object, error: BaseException | None) -> None:
        """Keep what the turn has come to."""
        self._on_end()
        if error is not None:
            self._future.set_exception(error)
        else:
            self._future.set_result(value)


class Lines:
    """The turns that run or wait, a line for each session; a thread works on a line while there is anything in it."""

    __slots__ = ("_at_end", "_carry_out", "_lines", "_lock")

    def __init__(self, carry_out: Callable[[Turn], object]) -> None:
        self._carry_out = carry_out
        self._lock = threading.Lock()
        self._lines: dict[str, deque[Turn]] = {}
        self._at_end: Callable[[], object] | None = None

    @property
    def closed(self) -> bool:
        """Say whether no more turns are taken."""
        return self._at_end is not None

    def add(self, turn: Turn) -> None:
        """Put a turn at the end of the line of its session; HostError if all was closed."""
        with self._lock:
            if self._at_end is not None:
                raise HostError("closed", "the host is closed")
            line = self._lines.setdefault(turn.session, deque())
            line.append(turn)
            if len(line) > 1:
                return
        threading.Thread(target=self._work, args=(turn,), name=f"harnlite-turn-{turn.session}", daemon=True).start()

    def cancel(self, session: str) -> bool:
        """End the running turn of a session and those in line; say whether one was running."""
        with self._lock:
            line = self._lines.get(session)
            if line is None:
                return False
            running, *waiting = line
            for turn in line:
                turn.cancelled = True
            line.clear()
            line.append(running)
        for turn in waiting:
            turn.settle(None, _cancellation())
        running.stop()
        return True

    def close(self, at_end: Callable[[], object]) -> None:
        """End all turns and take no more; call back when the last one has ended."""
        with self._lock:
            if self._at_end is not None:
                return
            self._at_end = at_end
            sessions = list(self._lines)
        for session in sessions:
            self.cancel(session)
        if not sessions:
            at_end()

    def _work(self, first: Turn) -> None:
        turn: Turn | None = first
        while turn is not None:
            value, error = self._outcome(turn)
            with self._lock:
                line = self._lines[turn.session]
                ended = line.popleft()
                turn = line[0] if line else None
                if turn is None:
                    del self._lines[ended.session]
                at_end = None if self._lines else self._at_end
                if ended.cancelled:
                    error = _cancellation()
            try:
                if at_end is not None:
                    at_end()
            finally:
                ended.settle(value, error)

    def _outcome(self, turn: Turn) -> tuple[object, BaseException | None]:
        if turn.cancelled:
            return None, None
        try:
            return self._carry_out(turn), None
        except BaseException as error:  # noqa: BLE001 - raised where the turn is waited for
            return None, error


def _cancellation() -> TurnCancelled:
    return TurnCancelled("the turn was cancelled")
