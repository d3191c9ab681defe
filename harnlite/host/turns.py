"""The turns of a host: those of one session run one after the other, those of different sessions side by side."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING

from harnlite.host.refusals import TurnCancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


class Turn:
    """One prompt and what becomes of it. Giving up the wait for it does not stop it."""

    __slots__ = ("_cancelled", "_future", "_stop", "content", "message_id", "session")

    def __init__(self, session: str, content: object, message_id: str) -> None:
        self.session = session
        self.content = content
        self.message_id = message_id
        self._future: Future[object] = Future()
        self._stop: Callable[[], None] | None = None
        self._cancelled = False

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
            if not loop.is_closed():
                loop.call_soon_threadsafe(wake)

        self._future.add_done_callback(tell)
        yield from waiting
        return self._future.result()

    @property
    def cancelled(self) -> bool:
        """Say whether somebody asked for its end."""
        return self._cancelled

    def on_stop(self, stop: Callable[[], None]) -> None:
        """Learn how the running turn is stopped; it is at once if that was asked for before."""
        self._stop = stop
        if self._cancelled:
            stop()

    def cancel(self) -> None:
        """Ask for the end of the turn."""
        self._cancelled = True
        if self._stop is not None:
            self._stop()

    def settle(self, value: object, error: BaseException | None) -> None:
        """Keep what the turn has come to."""
        if error is not None:
            self._future.set_exception(error)
        else:
            self._future.set_result(value)


class Line:
    """The turns of one session, in order; a thread carries them out while there are any."""

    __slots__ = ("_carry_out", "_lock", "_running", "_waiting")

    def __init__(self, carry_out: Callable[[Turn], object]) -> None:
        self._carry_out = carry_out
        self._lock = threading.Lock()
        self._waiting: deque[Turn] = deque()
        self._running: Turn | None = None

    def add(self, turn: Turn) -> None:
        """Put a turn at the end of the line."""
        with self._lock:
            if self._running is not None:
                self._waiting.append(turn)
                return
            self._running = turn
        threading.Thread(target=self._work, name=f"harnlite-turn-{turn.session}", daemon=True).start()

    def cancel(self) -> bool:
        """End the running turn and those in line; say whether one was running."""
        with self._lock:
            running, waiting = self._running, list(self._waiting)
            self._waiting.clear()
        for turn in waiting:
            turn.cancel()
            turn.settle(None, _cancellation())
        if running is None:
            return False
        running.cancel()
        return True

    def is_busy(self) -> bool:
        """Say whether a turn is running."""
        return self._running is not None

    def _work(self) -> None:
        turn = self._running
        while turn is not None:
            value, error = self._outcome(turn)
            with self._lock:
                ended, turn = turn, self._waiting.popleft() if self._waiting else None
                self._running = turn
                if ended.cancelled:
                    error = _cancellation()
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
