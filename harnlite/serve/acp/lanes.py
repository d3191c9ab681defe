"""Work that runs beside the reader of the connection, in the order of arrival for each session."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from harnlite.runtime.tasks.clock import waiting_time

if TYPE_CHECKING:
    from collections.abc import Callable


class Lanes:
    """One lane per session that is being loaded, closed or deleted. What arrives for it meanwhile waits in the lane."""

    __slots__ = ("_changed", "_waiting")

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: dict[str, deque[Callable[[], object]]] = {}

    def run(self, session_id: str, work: Callable[[], object]) -> None:
        """Carry out work on the thread of the lane, which starts if it is not there."""
        with self._changed:
            if session_id in self._waiting:
                self._waiting[session_id].append(work)
                return
            self._waiting[session_id] = deque([work])
        threading.Thread(target=self._work, args=(session_id,), name=f"harnlite-acp-{session_id}", daemon=True).start()

    def defer(self, session_id: str, work: Callable[[], object]) -> bool:
        """Let work wait if the session has a lane; return whether it has."""
        with self._changed:
            lane = self._waiting.get(session_id)
            if lane is None:
                return False
            lane.append(work)
        return True

    def join(self, seconds: float) -> None:
        """Wait until all lanes are empty, but not longer than this."""
        end = waiting_time() + seconds
        with self._changed:
            while self._waiting and (rest := end - waiting_time()) > 0:
                self._changed.wait(rest)

    def _work(self, session_id: str) -> None:
        while True:
            with self._changed:
                lane = self._waiting[session_id]
                if not lane:
                    del self._waiting[session_id]
                    self._changed.notify_all()
                    return
                work = lane.popleft()
            work()
