"""The `event_log` namespace: builtins that write records to topics and subscribe to topics."""

from __future__ import annotations

import _thread

from harnlite.library.argument_types import expect, optional_dict, text_argument
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.runtime.tasks.generators import Generator
from harnlite.runtime.tasks.waiting import WaitList
from harnlite.store.event_log import check_topic, log_of
from harnlite.values.data_types import type_name
from harnlite.values.errors import type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator as Generation

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.store.event_log import EventLog

_BLOCK = 256
_CURSORS = ("from_cursor", "cursor", "from")


@native("event_log.emit")
def event_log_emit(
    run: Execution,
    topic: object = None,
    kind: object = None,
    payload: object = None,
    headers: object = None,
) -> int:
    """Write a record to a topic and return its id."""
    function = "event_log.emit"
    name, sort = text_argument(function, "topic", topic), text_argument(function, "kind", kind)
    given = optional_dict(function, "headers", headers)
    require(run, "events.write", function)
    read = None if given is None else _headers(given)
    check_topic(name)
    return log_of(run).emit(name, sort, payload, read)


def _headers(given: dict[str, object]) -> dict[str, str]:
    """Return the headers of a record; raise a type error for the first one that is not a string."""
    headers = {name: value for name, value in given.items() if value.__class__ is str}
    if len(headers) < len(given):
        name = min(given.keys() - headers.keys())
        raise type_error(f"event_log.emit: header '{name}' must be a string, got {type_name(given[name])}")
    return headers


@native("event_log.latest")
def event_log_latest(run: Execution, topic: object = None) -> int | None:
    """Return the id of the newest record of a topic, or nil."""
    name = text_argument("event_log.latest", "topic", topic)
    check_topic(name)
    return log_of(run).latest(name)


@native("event_log.subscribe")
def event_log_subscribe(run: Execution, options: object = None, cursor: object = None) -> Generator:
    """Return a stream of the records after a cursor that continues with new records."""
    expect("event_log.subscribe", "options", options, "dict", "string")
    topic, prefix = options, None
    if options.__class__ is dict:
        topic, prefix = options.get("topic"), options.get("kind_prefix")
        cursors = [options[name] for name in _CURSORS if options.get(name) is not None]
        cursor = cursors[0] if cursors else None
    if topic is not None and topic.__class__ is not str:
        raise type_error(f"event_log.subscribe: topic must be a string, got {type_name(topic)}")
    if prefix is not None and prefix.__class__ is not str:
        raise type_error(f"event_log.subscribe: kind_prefix must be a string or nil, got {type_name(prefix)}")
    name = topic or ""
    check_topic(name)
    if cursor is not None and (cursor.__class__ is not int or cursor < 0):
        got = type_name(cursor)
        raise type_error(f"event_log.subscribe: from_cursor must be a non-negative int or nil, got {got}")
    records = _records(run, log_of(run), name, cursor or 0, prefix or "")
    return Generator(records, True, run)  # noqa: FBT003 - a Generator is always made by position


def _records(run: Execution, log: EventLog, topic: str, position: int, prefix: str) -> Generation[object, None, None]:
    """Yield the records after a position, and wait for more while another task or the host can still write them."""
    signal = _NewRecordSignal(run)
    stop_watching = log.watch(topic, signal.notify)
    try:
        while True:
            newest = log.latest(topic) or 0
            records = log.read(topic, position, prefix, _BLOCK)
            if records:
                position = records[-1]["id"]
                yield from records
            if len(records) < _BLOCK:
                position = max(position, newest)
                if (log.latest(topic) or 0) <= position and not signal.wait():
                    return
    finally:
        stop_watching()


class _NewRecordSignal:
    """A signal, given by any thread, that wakes the task that waits for new records."""

    __slots__ = ("_run", "_thread", "_waiting")

    def __init__(self, run: Execution) -> None:
        self._run = run
        self._thread = _thread.get_ident()
        self._waiting = WaitList()

    def notify(self) -> None:
        """Wake the waiting task, so that it reads the topic again."""
        if _thread.get_ident() == self._thread:
            self._waiting.wake_all(self._run)
        else:
            self._run.scheduler.outside.post(lambda: self._waiting.wake_all(self._run))

    def wait(self) -> bool:
        """Wait for a signal; return False if none can come any more."""
        run, scheduler = self._run, self._run.scheduler
        if "event_log" in run.context or "bridge" in run.context:
            scheduler.outside.expected += 1
            try:
                self._waiting.wait(run)
            finally:
                scheduler.outside.expected -= 1
            return True
        me = scheduler.current
        if me is scheduler.main and not scheduler.live:
            return False
        listening = scheduler.outside.listening
        listening[me] = None
        try:
            self._waiting.wait(run)
        finally:
            is_notified = listening.pop(me, me) is None
        return is_notified
