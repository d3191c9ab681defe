"""The parts of a transcript as they are stored: events in rows, and the pending reminders, which age."""

from __future__ import annotations

from harnlite.reminders.transcript_store import Entry, LazyEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnlite.reminders.spec import Event
    from harnlite.reminders.transcript import Transcript


def logged(transcript: Transcript, start: int) -> list[Event]:
    """Return the events from a place in the log on, without those of pending reminders."""
    chronicle, _, length = transcript.extent
    items = (item.event if isinstance(item, LazyEvent) else item for item in chronicle.log[start:length])
    return [item for item in items if not isinstance(item, Entry)]


def placed_reminders(transcript: Transcript) -> list[tuple[int, Event, str | None]]:
    """Return the events of reminders at their current age, in order.

    Each comes with the number of other events before it, and with the maker of the reminder.
    """
    chronicle = transcript.extent[0]
    entries: Iterable[Entry]
    if transcript.is_newest:
        alive, broken = chronicle.alive, chronicle.broken
        entries = [entry for _, entry in sorted((alive | broken).items())] if broken else list(alive.values())
    else:
        entries = [item for item in transcript.items() if isinstance(item, Entry)]
    return [
        (entry.before, transcript.event_of(entry), None if entry.spec is None else entry.spec.maker)
        for entry in entries
    ]


def reminder_mark(transcript: Transcript) -> object:
    """Return a value that differs if `placed_reminders` does, or None if an older transcript is not compared."""
    chronicle = transcript.extent[0]
    return (chronicle, *chronicle.reminder_mark) if transcript.is_newest else None
