"""The spans of a traced run: named pieces of work with their duration and their enclosing span."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Span:
    """One piece of work; `duration_ms` is set when it ends."""

    __slots__ = ("duration_ms", "kind", "metadata", "name", "parent_id", "span_id", "start_ms", "task")

    def __init__(self, span_id: int, parent_id: int | None, kind: str, name: str, task: object, start_ms: int) -> None:
        self.span_id = span_id
        self.parent_id = parent_id
        self.kind = kind
        self.name = name
        self.task = task
        self.start_ms = start_ms
        self.duration_ms = 0
        self.metadata: dict[str, object] = {}


class SpanRecorder:
    """Records spans while it is on; each task has its own stack of open spans."""

    __slots__ = ("_around", "_now", "_open", "_started", "completed", "on")

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.on = False
        self.reset()

    def reset(self) -> None:
        """Discard all spans, including open ones."""
        self.completed: list[Span] = []
        self._open: dict[object, list[Span]] = {}
        self._around: dict[object, Span] = {}
        self._started = 0

    def inherit(self, task: object, parent: object) -> None:
        """Nest the spans of a new task in the innermost open span of its parent task."""
        outer = self.innermost(parent) if self.on else None
        if outer is not None:
            self._around[task] = outer

    def innermost(self, task: object) -> Span | None:
        """Return the innermost open span of a task."""
        stack = self._open.get(task)
        return stack[-1] if stack else self._around.get(task)

    def begin(self, kind: str, name: str, task: object, parent: Span | None = None) -> Span | None:
        """Open a span in the innermost span of a task, or else in `parent`; return None while recording is off."""
        if not self.on:
            return None
        outer = self.innermost(task) or parent
        stack = self._open.setdefault(task, [])
        self._started += 1
        span = Span(self._started, outer.span_id if outer else None, kind, name, task, int(self._now() * 1000))
        stack.append(span)
        return span

    def end(self, span: Span | None) -> None:
        """Complete a span that `begin` returned, unless the recorder has been reset in the meantime."""
        stack = self._open.get(span.task) if span else None
        if span is None or not stack or span not in stack:
            return
        stack.remove(span)
        if not stack:
            del self._open[span.task]
        span.duration_ms = max(int(self._now() * 1000) - span.start_ms, 0)
        self.completed.append(span)
