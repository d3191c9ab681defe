"""The `stream` namespace: builtins that combine and transform lazy sequences of values."""

from __future__ import annotations

from itertools import accumulate, islice, takewhile
from math import ceil, isfinite

from harnlite.library.native import MISSING, native
from harnlite.runtime.concurrency.stream_sources import END, close_all, first_ready, source_of
from harnlite.runtime.tasks.clock import waiting_time
from harnlite.runtime.tasks.generators import Generator
from harnlite.runtime.tasks.waiting import WaitList
from harnlite.values.data_types import is_callable, type_name
from harnlite.values.errors import runtime_error, type_error
from harnlite.values.iterators import HarnIter, filtered, iter_of, mapped, take, zipped
from harnlite.values.size_limits import check_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterator, Sequence
    from collections.abc import Generator as Generation

    from harnlite.runtime.concurrency.stream_sources import Source
    from harnlite.runtime.tasks.execution import Execution
else:
    from _collections import deque

_MAX_COLLECTED = 10_000
_READER_BYTES = 1_000

# Arguments, numbered from 1


def _source(name: str, value: object) -> HarnIter:
    if value is MISSING:
        raise type_error(f"stream.{name}: missing argument 1")
    return iter_of(value)


def _function(name: str, index: int, value: object) -> Callable[..., object]:
    if value is MISSING:
        raise type_error(f"stream.{name}: missing argument {index}")
    if not is_callable(value):
        raise type_error(f"stream.{name}: argument {index} must be callable, got {type_name(value)}")
    return value


def _count(name: str, value: object, minimum: int) -> int:
    if value is MISSING:
        raise type_error(f"stream.{name}: missing argument 2")
    if value.__class__ is not int or value < minimum:
        kind = "positive" if minimum else "non-negative"
        raise type_error(f"stream.{name}: argument 2 must be a {kind} int, got {type_name(value)}")
    return value


def _sources(run: Execution, values: Sequence[object]) -> list[Source]:
    sources = []
    for value in values:
        source = source_of(run, value)
        if source is None:
            iter_of(value)
        else:
            sources.append(source)
    return sources


def _lazily(run: Execution, items: Generation[object, None, None]) -> HarnIter:
    return HarnIter(Generator(items, True, run))  # noqa: FBT003 - a Generator is always made by position


# One source


@native("stream.map")
def stream_map(source: object = MISSING, change: object = MISSING) -> HarnIter:
    """Yield the results of a function for all items."""
    return mapped(_source("map", source), _function("map", 2, change))


@native("stream.filter")
def stream_filter(source: object = MISSING, test: object = MISSING) -> HarnIter:
    """Yield the items that pass a test."""
    return filtered(_source("filter", source), _function("filter", 2, test))


@native("stream.tap")
def stream_tap(source: object = MISSING, look: object = MISSING) -> HarnIter:
    """Call a function with each item and yield the item."""
    items, function = _source("tap", source), _function("tap", 2, look)

    def pass_on(item: object) -> object:
        function(item)
        return item

    return mapped(items, pass_on)


@native("stream.scan")
def stream_scan(source: object = MISSING, initial: object = MISSING, step: object = MISSING) -> HarnIter:
    """Yield the intermediate results of folding all items with a function."""
    items = _source("scan", source)
    if initial is MISSING:
        raise type_error("stream.scan: missing argument 2")
    results = accumulate(items.source, _function("scan", 3, step), initial=initial)
    return items.followed_by(islice(results, 1, None))


@native("stream.fold")
def stream_fold(source: object = MISSING, initial: object = MISSING, step: object = MISSING) -> object:
    """Return the result of folding all items with a function."""
    items = _source("fold", source)
    if initial is MISSING:
        raise type_error("stream.fold: missing argument 2")
    function = _function("fold", 3, step)
    result = initial
    for item in items.source:
        result = function(result, item)
    return result


@native("stream.take")
def stream_take(source: object = MISSING, count: object = MISSING) -> HarnIter:
    """Yield the first `count` items."""
    return take(_source("take", source), _count("take", count, 0))


@native("stream.take_until")
def stream_take_until(source: object = MISSING, test: object = MISSING) -> HarnIter:
    """Yield the items before the first that passes a test."""
    items, passes = _source("take_until", source), _function("take_until", 2, test)
    return items.followed_by(takewhile(lambda item: not passes(item), items.source))


@native("stream.first")
def stream_first(source: object = MISSING) -> object:
    """Return the next item, or nil."""
    return next(_source("first", source).source, None)


def _collect_limit(limit: object) -> int:
    if limit.__class__ is dict:
        limit = limit.get("max", _MAX_COLLECTED)
    elif limit.__class__ is not int:
        got = type_name(limit)
        raise type_error(f"stream.collect: second argument must be max int or options dict, got {got}")
    if limit.__class__ is not int or limit < 0:
        raise type_error(f"stream.collect: max must be a non-negative int, got {type_name(limit)}")
    return limit


@native("stream.collect")
def stream_collect(source: object = MISSING, limit: object = _MAX_COLLECTED) -> list[object]:
    """Return all items as a list; throw if there are more than the limit."""
    items = _source("collect", source)
    maximum = _collect_limit(limit)
    found = list(islice(items.source, maximum + 1))
    if len(found) > maximum:
        raise runtime_error(f"stream.collect: max cap {maximum} exceeded")
    return found


@native("stream.throttle")
def stream_throttle(run: Execution, source: object = MISSING, per_second: object = MISSING) -> HarnIter:
    """Yield at most `per_second` items per second."""
    items = _source("throttle", source)
    if per_second is MISSING:
        raise type_error("stream.throttle: missing argument 2")
    if per_second.__class__ not in {int, float}:
        raise type_error(f"stream.throttle: argument 2 must be a positive number, got {type_name(per_second)}")
    if not isfinite(per_second) or per_second <= 0:
        raise type_error("stream.throttle: argument 2 must be a positive finite number")
    return _lazily(run, _throttle(run, items.source, max(ceil(1000 / per_second), 1) / 1000))


def _throttle(run: Execution, items: Iterator[object], gap: float) -> Generation[object, None, None]:
    free = waiting_time()
    for item in items:
        if (rest := free - waiting_time()) > 0:
            run.sleep(rest)
        free = waiting_time() + gap
        yield item


@native("stream.debounce")
def stream_debounce(run: Execution, source: object = MISSING, window_ms: object = MISSING) -> HarnIter:
    """Yield only the last of the items that arrive within a time window."""
    if source is MISSING:
        raise type_error("stream.debounce: missing argument 1")
    window = _count("debounce", window_ms, 0) / 1000
    return _lazily(run, _debounce(run, _sources(run, [source]), window))


def _debounce(run: Execution, sources: list[Source], window: float) -> Generation[object, None, None]:
    source = sources[0]
    try:
        while (item := source.take()) is not END:
            until = waiting_time() + window
            while first_ready(run, sources, until) >= 0:
                if (later := source.take()) is END:
                    if (rest := until - waiting_time()) > 0:
                        run.sleep(rest)
                    yield item
                    return
                item = later
            yield item
    finally:
        close_all(sources)


class _Broadcast:
    """A source with several readers, and the items that each reader has not read yet."""

    __slots__ = ("_items", "_queues", "_readers", "_reading", "_run")

    def __init__(self, run: Execution, items: Iterator[object], count: int) -> None:
        self._run = run
        self._items = items
        self._queues: list[deque[object]] = [deque() for _ in range(count)]
        self._readers = WaitList()
        self._reading = False

    def read(self, index: int) -> Generation[object, None, None]:
        """Yield the items for one reader; the first reader that needs an item fetches it for all."""
        queue = self._queues[index]
        while True:
            while not queue and self._reading:
                self._readers.wait(self._run)
            if not queue and not self._fetch():
                return
            yield queue.popleft()

    def _fetch(self) -> bool:
        self._reading = True
        try:
            for item in self._items:
                for queue in self._queues:
                    queue.append(item)
                return True
            return False
        finally:
            self._reading = False
            self._readers.wake_all(self._run)


@native("stream.broadcast")
def stream_broadcast(run: Execution, source: object = MISSING, count: object = MISSING) -> list[object]:
    """Return several iters that each yield all items of the source."""
    items = _source("broadcast", source)
    number = _count("broadcast", count, 1)
    check_items(number, _READER_BYTES)
    shared = _Broadcast(run, items.source, number)
    return [_lazily(run, shared.read(index)) for index in range(number)]


# Several sources


@native("stream.zip")
def stream_zip(*sources: object) -> HarnIter:
    """Yield pairs of items of two sources until one of them is exhausted."""
    if len(sources) != 2:  # noqa: PLR2004 - a pair has two items
        raise type_error(f"stream.zip: expected 2 streams, got {len(sources)}")
    return zipped(iter_of(sources[0]), iter_of(sources[1]))


@native("stream.interleave")
def stream_interleave(run: Execution, *sources: object) -> HarnIter:
    """Yield one item of each source in turn, waiting for each."""
    if len(sources) < 2:  # noqa: PLR2004 - sources alternate, so at least two are needed
        raise type_error("stream.interleave: expected at least two streams")
    return _lazily(run, _interleave([iter_of(source).source for source in sources]))


def _interleave(sources: list[Iterator[object]]) -> Generation[object, None, None]:
    while sources:
        alive = []
        for source in sources:
            for item in source:
                alive.append(source)
                yield item
                break
        sources = alive


@native("stream.merge")
def stream_merge(run: Execution, *sources: object) -> HarnIter:
    """Yield the items of several sources as they arrive, alternating between sources that are ready."""
    if not sources:
        raise type_error("stream.merge: expected at least one stream")
    return _lazily(run, _merge(run, _sources(run, sources)))


def _merge(run: Execution, sources: list[Source]) -> Generation[object, None, None]:
    try:
        while sources:
            index = first_ready(run, sources)
            item = sources[index].take()
            if item is END:
                del sources[index]
                sources = sources[index:] + sources[:index]
                continue
            sources = sources[index + 1 :] + sources[: index + 1]
            yield item
    finally:
        close_all(sources)


@native("stream.race")
def stream_race(run: Execution, *sources: object) -> HarnIter:
    """Yield the items of the source that is the first to have one."""
    if not sources:
        raise type_error("stream.race: expected at least one stream")
    return _lazily(run, _race(run, _sources(run, sources)))


def _race(run: Execution, sources: list[Source]) -> Generation[object, None, None]:
    try:
        item: object = END
        while sources and item is END:
            winner = sources[first_ready(run, sources)]
            item = winner.take()
            losers = [source for source in sources if source is not winner]
            if item is END:
                sources = losers
        close_all(losers)
        sources = [winner]
        while item is not END:
            yield item
            item = winner.take()
    finally:
        close_all(sources)
