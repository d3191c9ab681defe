"""Records as they are stored in files, which other programs may have written or damaged."""

from __future__ import annotations

from harnlite.formats.json.reading import read_stored_json
from harnlite.store.listened_log import LARGEST_ID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.store.event_log import LogRecord, Text

LARGEST_USUAL_ID = LARGEST_ID - 2**40
"""A record with a larger id counts only if it follows the one before it closely.

Otherwise one crafted record with the largest id would make its topic unusable.
"""
WIDEST_GAP = 2**20
"""What follows closely: ids that differ by less."""

RECORD_START = b'{"cursor":'
_TOPIC, _RECORD_END = b',"topic":"', b'"}\n'
_MOST_DIGITS = 18


def place_of(line: bytes) -> tuple[str, int] | None:
    """Return the topic and id of a line, or None if it is not a record.

    A line of this log has them at its ends, where they are found without reading all of the line.
    """
    if line.startswith(RECORD_START) and line.endswith(_RECORD_END):
        digits = line[len(RECORD_START) : line.find(b",")]
        topic = line[line.rfind(_TOPIC) + len(_TOPIC) : -len(_RECORD_END)]
        is_short = digits.isdigit() and len(digits) <= _MOST_DIGITS
        if is_short and topic.isascii() and b'"' not in topic and b"\\" not in topic:
            return topic.decode("ascii"), int(digits)
    record = record_in(line)
    return None if record is None else (record["topic"], record["id"])


def record_in(line: bytes) -> LogRecord | None:
    """Return the record in a line of a log, or None. Missing keys except id, topic and kind get default values."""
    try:
        found = read_stored_json(line.decode("utf-8"))
    except ValueError:
        return None
    if found.__class__ is not dict:
        return None
    number, topic, kind = (found.get(key) for key in ("id", "topic", "kind"))
    if topic.__class__ is not str or kind.__class__ is not str:
        return None
    return _record(topic, number, kind, found.get("payload"), found.get("headers"), found.get("occurred_at_ms"))


def record_in_row(row: tuple[object, ...]) -> LogRecord | None:
    """Return the record in a row of a store, or None. Texts are given as bytes, which may not be UTF-8."""
    topic, number, kind, payload, headers, at = row
    texts = [value for value in (topic, kind, payload, headers) if isinstance(value, bytes)]
    if len(texts) < 4:  # noqa: PLR2004 - all of them
        return None
    try:
        name, sort, content, extra = (text.decode("utf-8") for text in texts)
        return _record(name, number, sort, read_stored_json(content), read_stored_json(extra), at)
    except ValueError:
        return None


def _record(topic: str, number: object, kind: str, payload: object, headers: object, at: object) -> LogRecord | None:
    if number.__class__ is not int or not 0 < number <= LARGEST_ID:
        return None
    return {
        "id": number,
        "cursor": number,
        "topic": topic,
        "kind": kind,
        "payload": payload,
        "headers": headers if headers.__class__ is dict else {},
        "occurred_at_ms": at if at.__class__ is int else 0,
    }


def is_torn(line: bytes) -> bool:
    """Return whether a last line without an end is an incomplete record."""
    return line.startswith(RECORD_START[: len(line)]) and record_in(line) is None


def clean_text(text: str) -> str:
    """Return a text without lone surrogates, which UTF-8 cannot represent."""
    return text.encode("utf-8", "replace").decode("utf-8")


def clean_texts(text: Text) -> Text:
    """Return the stored form of a record without lone surrogates."""
    kind, payload, headers, at = text
    return clean_text(kind), clean_text(payload), clean_text(headers), at
