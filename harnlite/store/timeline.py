"""What a log tells about reminders: what happened when, where and why, and how long each reminder lived."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from harnlite.store.event_log import LogRecord

    Told: TypeAlias = tuple[str, str, str]

TOPIC = "transcript.reminder.lifecycle"
PREFIX = "transcript.reminder."
ENDS = frozenset({"deduped", "expired", "dropped"})
_SHORT_ID = 8
_SQLITE = b"SQLite format 3\0"

_ORIGINS = {
    "bridge": "from the host",
    "hook": "returned by a hook",
    "in_pipeline": "by the script",
    "stdlib_provider": "by a provider",
}
_REASONS = {
    "ttl": "its turns are over",
    "compaction": "compaction does not keep it",
    "cleared": "somebody asked for it",
    "invalid": "malformed",
    "capability_mismatch": "the route has no slot for it",
}


class Happening:
    """One thing that happened to one reminder."""

    __slots__ = ("at_ms", "life", "seam", "turn", "what", "why")

    def __init__(self, life: Life, kind: tuple[str, str], place: tuple[int, str], at_ms: int) -> None:
        self.life = life
        self.what, self.why = kind
        self.turn, self.seam = place
        self.at_ms = at_ms

    @property
    def kind(self) -> str:
        """Return the first word of what happened."""
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
        """Return what a person knows a reminder by: its dedupe key, else its first tag, else the end of its id."""
        key, tags = self.fields.get("dedupe_key"), self.fields.get("tags")
        if isinstance(key, str) and key:
            return key
        if isinstance(tags, list) and tags:
            return str(tags[0])
        return self.id[-_SHORT_ID:]

    @property
    def first_turn(self) -> int:
        """Return the turn of the first record."""
        return self.happenings[0].turn

    def last_turn(self, end: int) -> int:
        """Return the turn of the last record, or the end of the session if the reminder is pending still."""
        last = self.happenings[-1]
        return last.turn if last.kind in ENDS else max(end, last.turn)

    @property
    def is_pending(self) -> bool:
        """Say whether nothing has ended it."""
        return self.happenings[-1].kind not in ENDS


class Timeline:
    """The lives of all reminders, from the records of a log as they come."""

    __slots__ = ("_cause", "_turns", "happenings", "lives")

    def __init__(self, records: Iterable[LogRecord] = ()) -> None:
        self.lives: dict[tuple[str, str], Life] = {}
        self.happenings: list[Happening] = []
        self._turns: dict[str, int] = {}
        self._cause: dict[str, str] = {}
        for record in records:
            self.add(record)

    def sessions(self) -> list[str]:
        """Return the ids of the sessions, in the order in which they appear."""
        return list(dict.fromkeys(session for session, _ in self.lives))

    def turns(self, session_id: str) -> int:
        """Return the last turn of a session that the log knows."""
        return self._turns.get(session_id, 0)

    def add(self, record: LogRecord) -> list[Happening]:
        """Take in a record and return what it tells."""
        payload, kind = record["payload"], str(record["kind"])
        if not kind.startswith(PREFIX) or not isinstance(payload, dict):
            return []
        session = str(payload.get("session_id"))
        kind = kind.removeprefix(PREFIX)
        if kind == "provider_evaluated":
            self._cause[session] = f"{payload.get('provider_id')} on {payload.get('event')}"
        read = _READERS.get(kind)
        return [] if read is None else self._take(record, session, read)

    def _take(self, record: LogRecord, session: str, read: Callable[[dict[str, Any]], list[Told]]) -> list[Happening]:
        payload, headers = record["payload"], record.get("headers") or {}
        known = self.lives.get((session, str(payload.get("reminder_id"))))
        hint = known.fields.get("role_hint") if known is not None else None
        place = (self._turn(session, payload, headers), str(headers.get("harn.seam", "")))
        found = []
        for reminder_id, what, why in read({**payload, "_cause": self._cause.get(session), "_hint": hint}):
            life = self._life(session, reminder_id)
            _learn(life, payload, headers, what)
            happening = Happening(life, (what, why), place, int(record.get("occurred_at_ms") or 0))
            life.happenings.append(happening)
            found.append(happening)
        self.happenings += found
        return found

    def _turn(self, session: str, payload: dict[str, Any], headers: dict[str, str]) -> int:
        turn, known = payload.get("turn_number"), self._turns.get(session, 0)
        if not isinstance(turn, int):
            text = headers.get("harn.turn", "")
            turn = int(text) if text.isdecimal() else known
        self._turns[session] = max(turn, known)
        return turn

    def _life(self, session: str, reminder_id: str) -> Life:
        life = self.lives.get((session, reminder_id))
        if life is None:
            life = self.lives[session, reminder_id] = Life(session, reminder_id)
        return life


# One reader for each kind: which reminder, what, why. `_cause` and `_hint` are what the timeline knows besides.


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
    replaced = payload.get("replaced_ids") or [payload.get("replaced_id")]
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


def _learn(life: Life, payload: dict[str, Any], headers: dict[str, str], what: str) -> None:
    if what == "injected" or not life.fields:
        life.fields |= {name: payload[name] for name in _KNOWN if name in payload and what != "deduped"}
    if isinstance(payload.get("source"), str):
        life.source = payload["source"]
    life.body = headers.get("harn.body", life.body)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 2 * _SHORT_ID else f"…{text[-_SHORT_ID:]}"


def read_log(path: str) -> list[LogRecord]:
    """Return the records of a log in a SQLite or JSONL file; lines that are no records are passed over."""
    with open(path, "rb") as file:
        is_store = file.read(len(_SQLITE)) == _SQLITE
    if is_store:
        from harnlite.store.sqlite import read_store

        return read_store(path)
    from harnlite.store.jsonl import record_in

    with open(path, "rb") as file:
        return [record for record in map(record_in, file) if record is not None]
