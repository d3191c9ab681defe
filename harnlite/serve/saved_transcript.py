"""The stored form of a transcript: rows of JSON, of which each save writes only those that are new."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.formats.json.reading import read_json
from harnlite.formats.json.writing import data_text
from harnlite.reminders.transcript import Transcript
from harnlite.reminders.transcript_rows import logged, placed_reminders, reminder_mark
from harnlite.reminders.transcript_store import Chronicle, Entry, item_of

if TYPE_CHECKING:
    from typing import Any

    from harnlite.reminders.transcript_store import Item

MESSAGE, EVENT = "m", "e"
_LISTS = ("messages", "events")


class Delta:
    """What a save has to write: the number of rows to keep, and the rows that replace the others."""

    __slots__ = ("items", "kept", "transcript")

    def __init__(self, kept: int, items: list[tuple[str, Any]], transcript: Transcript) -> None:
        self.kept = kept
        self.items = items
        self.transcript = transcript

    def rows(self) -> list[str]:
        """Return the new rows."""
        return [stored_text([kind, value]) for kind, value in self.items]


class SavedTranscript:
    """The rows of a transcript that are stored, to find out what has changed since then.

    Pending reminders are not in the rows, because they age: `fields` contains them, and is written by each save.
    """

    __slots__ = ("_extent", "_rows")

    def __init__(self) -> None:
        self._rows: list[Any] = []
        """The messages and events in the order of their rows."""
        self._extent: tuple[Chronicle, int, int] | None = None

    @property
    def count(self) -> int:
        """Return the number of stored rows."""
        return len(self._rows)

    def delta(self, transcript: Transcript) -> Delta:
        """Return what is to be written for a transcript; `commit` it when it is stored."""
        store, messages, length = transcript.extent
        before = self._extent
        if before is not None and before[0] is store and before[1] <= messages and before[2] <= length:
            new = [(MESSAGE, message) for message in transcript.messages_from(before[1])]
            new += [(EVENT, event) for event in logged(transcript, before[2])]
            return Delta(len(self._rows), new, transcript)
        return self._compared(transcript)

    def _compared(self, transcript: Transcript) -> Delta:
        """Compare all rows with a transcript on another store, which has most objects in common with the last one."""
        messages, events = transcript.messages(), logged(transcript, 0)
        kept = message = event = 0
        for value in self._rows:
            if message < len(messages) and messages[message] is value:
                message += 1
            elif event < len(events) and events[event] is value:
                event += 1
            else:
                break
            kept += 1
        rest: list[tuple[str, Any]] = [(MESSAGE, value) for value in messages[message:]]
        return Delta(kept, rest + [(EVENT, value) for value in events[event:]], transcript)

    def commit(self, delta: Delta) -> None:
        """Note that a delta is stored."""
        del self._rows[delta.kept :]
        self._rows += [value for _, value in delta.items]
        self._extent = delta.transcript.extent

    def load(self, fields: dict[str, Any], rows: list[str]) -> Transcript:
        """Return the transcript that was stored."""
        found: list[tuple[str, Any]] = []
        for row in rows:
            kind, value = _pair(row)
            found.append((kind, value))
        events: list[Item] = [value for kind, value in found if kind == EVENT]
        for before, event, maker in reversed(fields.get("reminders") or []):
            item = item_of(event)
            if isinstance(item, Entry) and item.spec is not None and maker is not None:
                item.spec.maker = maker
            events.insert(before, item)
        chronicle = Chronicle([value for kind, value in found if kind == MESSAGE], events)
        transcript = Transcript(chronicle, fields["transcript"])
        self._rows = [value for _, value in found]
        self._extent = transcript.extent
        return transcript


class FieldTexts:
    """The JSON text of the parts of a transcript that are not rows. Parts that have not changed are not built again."""

    __slots__ = ("_known", "_parts", "_reminders", "_seen")

    def __init__(self) -> None:
        self._parts: dict[str, tuple[Any, str]] = {}
        self._known: dict[int, tuple[Any, str]] = {}
        self._seen: object = None
        self._reminders = ""

    def text(self, transcript: Transcript, more: dict[str, Any], marks: str) -> tuple[str, ...]:
        """Return the texts of the fields of a transcript, of more fields, of the marks, and of pending reminders.

        Joined, they are the text of a JSON object.
        """
        own = transcript.fields
        known = self._parts.get("own")
        if known is None or known[0] is not own:
            text = stored_text({key: value for key, value in own.items() if key not in _LISTS})
            known = self._parts["own"] = (own, text)
        return (
            '{"transcript":',
            known[1],
            f',{stored_text(more)[1:-1]},"marks":',
            marks,
            ',"reminders":[',
            self._reminder_texts(transcript),
            "]}",
        )

    def _reminder_texts(self, transcript: Transcript) -> str:
        mark = reminder_mark(transcript)
        if mark is not None and mark == self._seen:
            return self._reminders
        known: dict[int, tuple[Any, str]] = {}
        placed = []
        for before, event, maker in placed_reminders(transcript):
            found = self._known.get(id(event))
            text = found[1] if found is not None and found[0] is event else stored_text(event)
            known[id(event)] = (event, text)
            placed.append(f"[{before},{text},{stored_text(maker)}]")
        self._known = known
        self._seen = mark
        self._reminders = ",".join(placed)
        return self._reminders


def stored_text(value: object) -> str:
    """Return a value as JSON text that every store can encode."""
    text = data_text(value)
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def read_text(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """Read the JSON text of a value."""
    return read_json(text)


def _pair(row: str) -> tuple[str, Any]:
    found = read_json(row)
    if not isinstance(found, list):
        raise TypeError(f"a row of a transcript is {row[:80]}")
    return str(found[0]), found[1]
