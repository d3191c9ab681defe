"""The timeline of reminders in a log: the events of each reminder, with turn, seam and reason."""

from __future__ import annotations

from harnlite.reminders.lifecycle import KIND_PREFIX
from harnlite.reminders.seams import SESSION_START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from harnlite.store.event_log import LogRecord

    Told: TypeAlias = tuple[str, str, str]
    Place: TypeAlias = tuple[int, str, int]

ENDS = frozenset({"deduped", "expired", "dropped"})
_BETWEEN_LOOPS = ("", SESSION_START)
_SHORT_ID, _FIRST_WORDS, _MOST_SPANS, _MOST_DIGITS = 8, 32, 4, 18

_ORIGINS = {
    "bridge": "from the host",
    "hook": "returned by a hook",
    "in_pipeline": "by the script",
    "stdlib_provider": "by a provider",
}
_REASONS = {
    "ttl": "its turns are over",
    "compaction": "not preserved on compaction",
    "cleared": "removed on request",
    "invalid": "malformed",
    "capability_mismatch": "the route has no slot for it",
}


class Happening:
    """An event in the life of a reminder."""

    __slots__ = ("column", "life", "seam", "turn", "what", "why")

    def __init__(self, life: Life, kind: tuple[str, str], place: Place) -> None:
        self.life = life
        self.what, self.why = kind
        self.turn, self.seam, self.column = place

    @property
    def kind(self) -> str:
        """Return the first word of the event."""
        return self.what.partition(" ")[0]

    def cells(self) -> tuple[str, str, str, str, str, str]:
        """Return the row of a table: turn, seam, reminder, source, what, why."""
        return (str(self.turn), self.seam or "-", self.life.label, self.life.source or "-", self.what, self.why)


class Life:
    """A reminder in one session, from its first record to its last."""

    __slots__ = ("body", "fields", "happenings", "id", "session_id", "source")

    def __init__(self, session_id: str, reminder_id: str) -> None:
        self.session_id = session_id
        self.id = reminder_id
        self.source = ""
        self.body: str | None = None
        self.fields: dict[str, Any] = {}
        self.happenings: list[Happening] = []

    @property
    def label(self) -> str:
        """Return a readable name: the dedupe key, the first tag, the first words, or the end of the id."""
        key, tags = self.fields.get("dedupe_key"), self.fields.get("tags")
        if isinstance(key, str) and key:
            return key
        if isinstance(tags, list) and tags:
            return str(tags[0])
        words = " ".join((self.body or "")[: 4 * _FIRST_WORDS].split())
        if not words:
            return self.id[-_SHORT_ID:]
        return words if len(words) <= _FIRST_WORDS else words[:_FIRST_WORDS].rpartition(" ")[0] + "…"

    @property
    def first_column(self) -> int:
        """Return the column of the first record."""
        return self.happenings[0].column

    def last_column(self, end: int) -> int:
        """Return the column of the last record, or `end` if the reminder is still pending."""
        return end if self.is_pending else self.happenings[-1].column

    @property
    def is_pending(self) -> bool:
        """Return whether the reminder is still pending."""
        return self.happenings[-1].kind not in ENDS


class Timeline:
    """The lives of all reminders, built from the records of a log.

    Each turn of a session has a column. Another loop of the session counts its turns from 0 again, in new columns.
    """

    __slots__ = ("_cause", "_turns", "happenings", "lives")

    def __init__(self, records: Iterable[LogRecord] = ()) -> None:
        self.lives: dict[tuple[str, str], Life] = {}
        self.happenings: list[Happening] = []
        self._turns: dict[str, list[int]] = {}
        self._cause: dict[str, str] = {}
        for record in records:
            self.add(record)

    def sessions(self) -> list[str]:
        """Return the ids of the sessions in the order of their first records."""
        return list(dict.fromkeys(session for session, _ in self.lives))

    def turns(self, session_id: str) -> list[int]:
        """Return the turn of each column of a session."""
        return self._turns.get(session_id, [0])

    def span(self, session_id: str) -> str:
        """Return the turns of a session as text, with one range for each loop."""
        turns = self.turns(session_id)
        starts = [0, *(column for column in range(1, len(turns)) if turns[column] <= turns[column - 1])]
        ends = [*(start - 1 for start in starts[1:]), len(turns) - 1]
        parts = [f"{turns[start]} to {turns[end]}" for start, end in zip(starts, ends, strict=True)]
        if len(parts) > _MOST_SPANS:
            parts[1:-1] = ["…"]
        return "turns " + ", ".join(parts)

    def add(self, record: LogRecord) -> list[Happening]:
        """Add a record and return its events."""
        payload, kind = record["payload"], str(record["kind"])
        if not kind.startswith(KIND_PREFIX) or not isinstance(payload, dict):
            return []
        session = str(payload.get("session_id"))
        kind = kind.removeprefix(KIND_PREFIX)
        if kind == "provider_evaluated":
            self._cause[session] = f"{payload.get('provider_id')} on {payload.get('event')}"
        read = _READERS.get(kind)
        return [] if read is None else self._take(record, session, read)

    def _take(self, record: LogRecord, session: str, read: Callable[[dict[str, Any]], list[Told]]) -> list[Happening]:
        payload, headers = record["payload"], record["headers"]
        known = self.lives.get((session, str(payload.get("reminder_id"))))
        hint = known.fields.get("role_hint") if known is not None else None
        place = self._place(session, payload, headers)
        found = []
        for reminder_id, what, why in read({**payload, "_cause": self._cause.get(session), "_hint": hint}):
            life = self._life(session, reminder_id)
            _learn(life, payload, headers, what)
            happening = Happening(life, (what, why), place)
            life.happenings.append(happening)
            found.append(happening)
        self.happenings += found
        return found

    def _place(self, session: str, payload: dict[str, Any], headers: dict[str, Any]) -> Place:
        """Return the turn, seam and column of a record."""
        turns = self._turns.setdefault(session, [])
        turn, seam = payload.get("turn_number"), str(headers.get("harn.seam", ""))
        if turn.__class__ is not int:
            text = str(headers.get("harn.turn", ""))
            turn = int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else turns[-1] if turns else 0
        if not turns or turn > turns[-1] or (turn < turns[-1] and seam in _BETWEEN_LOOPS):
            turns.append(turn)
        return turn, seam, len(turns) - 1

    def _life(self, session: str, reminder_id: str) -> Life:
        life = self.lives.get((session, reminder_id))
        if life is None:
            life = self.lives[session, reminder_id] = Life(session, reminder_id)
        return life


# One reader for each kind. It returns reminder id, event and reason. The timeline adds `_cause` and `_hint`.


def _injected(payload: dict[str, Any]) -> list[Told]:
    source = str(payload.get("source"))
    why = _ORIGINS.get(source, "")
    if source == "stdlib_provider":
        why = payload["_cause"] or why
    elif source == "inherited":
        why = f"from {_short(payload.get('originating_agent_id'))}"
    return [(str(payload.get("reminder_id")), "injected", why)]


def _fired(payload: dict[str, Any]) -> list[Told]:
    hint = payload["_hint"]
    what = f"rendered as {payload.get('rendered_role')}"
    return [(str(payload.get("reminder_id")), what, f"hint {hint}" if hint else "")]


def _deduped(payload: dict[str, Any]) -> list[Told]:
    replaced = payload.get("replaced_ids")
    if not isinstance(replaced, list) or not replaced:
        replaced = [payload.get("replaced_id")]
    why = f"replaced by {_short(payload.get('replacing_id'))}"
    if payload.get("boundary"):
        why += f" at {payload['boundary']}"
    return [(str(reminder_id), "deduped", why) for reminder_id in replaced]


def _expired(payload: dict[str, Any]) -> list[Told]:
    reason = str(payload.get("reason"))
    return [(str(payload.get("reminder_id")), "expired", f"{reason}: {_REASONS.get(reason, reason)}")]


def _dropped(payload: dict[str, Any]) -> list[Told]:
    reason = str(payload.get("reason"))
    return [(str(payload.get("reminder_id")), "dropped", f"{reason}: {_REASONS.get(reason, reason)}")]


def _inherited(payload: dict[str, Any]) -> list[Told]:
    why = f"from {_short(payload.get('originating_agent_id'))}, propagate {payload.get('propagate')}"
    return [(str(payload.get("reminder_id")), "inherited", why)]


_READERS: dict[str, Callable[[dict[str, Any]], list[Told]]] = {
    "injected": _injected,
    "fired": _fired,
    "deduped": _deduped,
    "expired": _expired,
    "dropped": _dropped,
    "inherited": _inherited,
}
_KNOWN = ("tags", "dedupe_key", "role_hint", "ttl_turns", "propagate", "originating_agent_id")


def _learn(life: Life, payload: dict[str, Any], headers: dict[str, Any], what: str) -> None:
    if what == "injected" or not life.fields:
        life.fields |= {name: payload[name] for name in _KNOWN if name in payload and what != "deduped"}
    if isinstance(payload.get("source"), str):
        life.source = payload["source"]
    if isinstance(headers.get("harn.body"), str):
        life.body = headers["harn.body"]


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 2 * _SHORT_ID else f"…{text[-_SHORT_ID:]}"
