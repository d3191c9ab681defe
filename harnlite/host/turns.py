"""The turns of a host: those of one session run one after the other, those of different sessions in parallel."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING

from harnlite.host.host_errors import HostError, TurnCancelled

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

    def settle(self, value: object, error: BaseException | None) -> None:
        """Set the value or the error with which the turn ended."""
        self._on_end()
        if error is not None:
            self._future.set_exception(error)
        else:
            self._future.set_result(value)


class TurnQueues:
    """The running and waiting turns, in a queue for each session; a thread processes each queue until it is empty."""

    __slots__ = ("_at_end", "_lock", "_queues", "_run_turn", "_turns_after")

    def __init__(self, run_turn: Callable[[Turn], object], turns_after: Callable[[Turn], Iterable[Turn]]) -> None:
        self._run_turn = run_turn
        self._turns_after = turns_after
        self._lock = threading.Lock()
        self._queues: dict[str, deque[Turn]] = {}
        self._at_end: Callable[[], object] | None = None

    @property
    def closed(self) -> bool:
        """Return whether no more turns are accepted."""
        return self._at_end is not None

    def add(self, turn: Turn) -> None:
        """Append a turn to the queue of its session; raise HostError if the host is closed."""
        with self._lock:
            if self._at_end is not None:
                raise HostError("closed", "the host is closed")
            queue = self._queues.setdefault(turn.session, deque())
            queue.append(turn)
            if len(queue) > 1:
                return
        threading.Thread(target=self._work, args=(turn,), name=f"harnlite-turn-{turn.session}", daemon=True).start()

    def while_running(self, session: str, action: Callable[[], object]) -> bool:
        """Call a function if a turn of the session is running, before that turn can end; return whether it is."""
        with self._lock:
            if session not in self._queues:
                return False
            action()
        return True

    def cancel(self, session: str, *, with_messages: bool = False) -> bool:
        """Cancel the running turn of a session and the waiting prompts; return whether a turn was running.

        Messages in the inbox stay there, and their turns follow, except with `with_messages`.
        """
        with self._lock:
            queue = self._queues.get(session)
            if queue is None:
                return False
            running, *others = queue
            waiting = [turn for turn in others if with_messages or not turn.is_queued]
            for turn in (running, *waiting):
                turn.cancelled = True
            kept = [turn for turn in others if not turn.cancelled]
            queue.clear()
            queue.extend([running, *kept])
        for turn in waiting:
            turn.settle(None, _cancellation())
        running.stop()
        return True

    def close(self, at_end: Callable[[], object]) -> None:
        """Cancel all turns and accept no more; call `at_end` when the last one has ended."""
        with self._lock:
            if self._at_end is not None:
                return
            self._at_end = at_end
            sessions = list(self._queues)
        for session in sessions:
            self.cancel(session, with_messages=True)
        if not sessions:
            at_end()

    def _work(self, first: Turn) -> None:
        turn: Turn | None = first
        while turn is not None:
            value, error = self._outcome(turn)
            with self._lock:
                queue = self._queues[turn.session]
                ended = queue.popleft()
                if self._at_end is None:
                    queue.extendleft(reversed([*self._turns_after(ended)]))
                turn = queue[0] if queue else None
                if turn is None:
                    del self._queues[ended.session]
                at_end = None if self._queues else self._at_end
                if ended.cancelled and not isinstance(error, TurnCancelled):
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
            return self._run_turn(turn), None
        except BaseException as error:  # noqa: BLE001 - raised again to the caller that waits for the turn
            return None, error


def _cancellation() -> TurnCancelled:
    return TurnCancelled("the turn was cancelled")
