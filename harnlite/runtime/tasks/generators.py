"""Generators and streams of scripts: single-pass sources whose body runs when the next value is requested."""

from __future__ import annotations

from harnlite.values import interrupts
from harnlite.values.errors import Unwinding, runtime_error
from harnlite.values.iterators import HarnIter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator as Generation
    from collections.abc import Iterator
    from types import GeneratorType
    from typing import ClassVar, Self

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.data_types import Display

_CLOSING_ATTEMPTS = 100


class Generator:
    """The value that a function with `yield` (or, as a stream, with `emit`) returns."""

    __slots__ = ("_run", "_source", "harn_type")

    def __init__(self, source: Generation[object, None, None], is_stream: bool, run: Execution) -> None:  # noqa: FBT001 - compiled code calls by position
        self._source: GeneratorType[object, None, None] = source  # type: ignore[assignment]  # no test, to make one fast
        self._run = run
        self.harn_type = "stream" if is_stream else "generator"

    def harn_text(self, _display: Display) -> str:
        """Return `<generator>`, or `<generator (done)>` if it has ended."""
        done = " (done)" if self._source.gi_frame is None else ""
        return f"<{self.harn_type}{done}>"

    def harn_iterate(self) -> Iterator[object]:
        """Yield the remaining values; if a reader stops early, the next reader continues from there."""
        source = self._source
        self._run.generators[source] = None
        try:
            for value in source:  # noqa: UP028 - `yield from` would close the source together with this loop
                yield value
        except ValueError:
            if source.gi_running:
                raise runtime_error("generator is already running") from None
            raise
        self._run.generators.pop(source, None)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> object:
        source = self._source
        if source.gi_running:
            raise runtime_error("generator is already running")
        self._run.generators[source] = None
        return next(source)

    def next(self, *_: object) -> dict[str, object]:
        """Return the next value as `{done, value}`."""
        for value in self:
            return {"done": False, "value": value}
        return {"done": True, "value": None}

    def iter(self, *_: object) -> object:
        """Return a lazy iter over the remaining values."""
        return HarnIter(self)

    def __del__(self) -> None:
        if interrupts.current() is not self._run:
            # Garbage may be collected on any thread. The end of the run closes generators that other threads collect.
            return
        self._run.generators.pop(self._source, None)
        if self._source.gi_frame is not None and not self._source.gi_running:
            try:
                close(self._source)
            except Unwinding as end:
                self._run.scheduler.deliver(self._run.task, end)

    harn_methods: ClassVar[dict[str, object]] = {"next": next, "iter": iter}  # noqa: A003 - the methods above


def close(source: GeneratorType[object, None, None]) -> None:
    """Run the pending finally and defer blocks of a generator, and ignore errors in them."""
    for _ in range(_CLOSING_ATTEMPTS):
        try:
            source.close()
        except RuntimeError:
            # The body has yielded again instead of ending.
            continue
        except Exception:  # noqa: BLE001 - no reader is left that could handle the error
            return
        return
