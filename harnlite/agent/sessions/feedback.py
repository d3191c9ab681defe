"""Feedback of the runtime for a model: its messages, and the queue that is drained at the next compaction seam."""

from __future__ import annotations

import _thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import OrderedDict

    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution
else:
    from _collections import OrderedDict

PREFILL = "prefill_assistant"
POST_SOURCE = "harn.post_event"
_MOST_SESSIONS = 1024


def feedback_message(kind: str, text: str) -> dict[str, object]:
    """Return the message that carries feedback of a kind to the model."""
    if kind == PREFILL:
        return {"role": "assistant", "content": text}
    return {"role": "user", "content": f'<runtime_feedback kind="{kind}">\n{text}\n</runtime_feedback>'}


def inject_feedback(run: Execution, session: Session, kind: str, text: str) -> None:
    """Append feedback to a session immediately."""
    session.append_message(run, feedback_message(kind, text))


class _Queue:
    __slots__ = ("entries", "sequence")

    def __init__(self) -> None:
        self.entries: list[dict[str, object]] = []
        self.sequence = 0


class FeedbackQueues:
    """The feedback posted to sessions, by session id, until it is drained; the session need not exist yet."""

    __slots__ = ("_lock", "_queues")

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._queues: OrderedDict[str, _Queue] = OrderedDict()

    def post(self, run: Execution, session_id: str, kind: str, content: str, source: str = POST_SOURCE) -> None:
        """Append feedback to the queue of a session."""
        now = int(run.clock.now() * 1000)
        with self._lock:
            queue = self._queues.get(session_id)
            if queue is None:
                queue = self._queues[session_id] = _Queue()
                if len(self._queues) > _MOST_SESSIONS:
                    self._queues.popitem(last=False)
            queue.sequence += 1
            queue.entries.append(
                {"sequence": queue.sequence, "kind": kind, "content": content, "source": source, "ts_ms": now}
            )

    def drain(self, session_id: str) -> list[dict[str, object]]:
        """Empty the queue of a session, and return its entries."""
        with self._lock:
            queue = self._queues.get(session_id)
            if queue is None or not queue.entries:
                return []
            entries, queue.entries = queue.entries, []
        return entries
