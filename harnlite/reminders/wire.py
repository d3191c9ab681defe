"""Validation of reminders from all producers. Only this module spells the keys of a reminder in camelCase.

Faults are returned as data: first one fault for all unknown keys, then one for each wrong field in table order.
The caller turns them into a thrown string, a response on a wire or a linter finding. This module assigns the codes.
"""

from __future__ import annotations

from harnlite.reminders.seams import AUDIT_ONLY, FINISH_STEP, MODE_ALIASES, MODES
from harnlite.reminders.selector import Selector
from harnlite.reminders.spec import PROPAGATE, ROLE_HINTS, ReminderSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    TypeName: TypeAlias = Callable[[object], str]
    Reader: TypeAlias = Callable[[object, TypeName], Any]
    Given: TypeAlias = dict[str, Any]
    Spelled: TypeAlias = dict[str, tuple[str, Any]]

OPTION, PAYLOAD, SCOPE, MALFORMED, EVENT = (f"HARN-RMD-{number:03}" for number in (1, 2, 5, 6, 8))
"""A wrong option, a wrong payload of a host, an unknown `propagate`, a malformed spec, an event without effects."""

ID_LIMIT = 128
INT_LIMIT = 1 << 63

SPELLINGS = {
    "dedupe_key": "dedupeKey",
    "ttl_turns": "ttlTurns",
    "preserve_on_compact": "preserveOnCompact",
    "role_hint": "roleHint",
    "fired_at_turn": "firedAtTurn",
}
"""The fields that hosts may also spell in camelCase."""

_ADDRESSES = (("sessionId", "session_id"), ("taskId", "task_id"))
ADDRESS = frozenset(key for keys in _ADDRESSES for key in keys)
"""The keys next to a reminder on a wire that address its session or task."""

ENVELOPE = ("mode", "_meta")
"""The keys that may be inside a nested reminder or next to it."""


class Fault:
    """A mistake in a reminder: a code, a message without context, and the key as the producer spelled it.

    A stranger is a key that is not allowed, whatever its value.
    """

    __slots__ = ("code", "is_stranger", "key", "keys", "message")

    def __init__(
        self,
        code: str,
        message: str,
        key: str | None = None,
        *,
        is_stranger: bool = False,
        keys: Sequence[str] = (),
    ) -> None:
        self.code = code
        self.message = message
        self.key = key
        self.keys = tuple(keys)
        """All keys, if the fault is about several."""
        self.is_stranger = is_stranger

    def __repr__(self) -> str:
        return f"Fault({self.code}, {self.message!r}, {self.key!r})"


class Fields:
    """The validated values from a producer. With an id they become a reminder."""

    __slots__ = (
        "body",
        "dedupe_key",
        "fired_at_turn",
        "id",
        "label",
        "meta",
        "mode",
        "preserve_on_compact",
        "propagate",
        "role_hint",
        "tags",
        "ttl_turns",
    )

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.body: str = values["body"]
        self.tags: tuple[str, ...] = values["tags"]
        self.dedupe_key: str | None = values["dedupe_key"]
        self.ttl_turns: int | None = values["ttl_turns"]
        self.preserve_on_compact: bool = values["preserve_on_compact"]
        self.propagate: str = values["propagate"]
        self.role_hint: str = values["role_hint"]
        self.mode: str = values.get("mode", FINISH_STEP)
        self.id: str | None = values.get("id")
        self.fired_at_turn: int = values.get("fired_at_turn", 0)
        self.meta: dict[str, Any] | None = values.get("_meta")
        self.label: str | None = values.get("source")
        """The name of the sender, for entry points that accept one."""

    def spec(
        self,
        *,
        id: str,  # noqa: A002 - as the payload calls it
        source: str,
        fired_at_turn: int,
        maker: str | None = None,
    ) -> ReminderSpec:
        """Return the reminder."""
        return ReminderSpec(
            id=id,
            body=self.body,
            tags=self.tags,
            dedupe_key=self.dedupe_key,
            ttl_turns=self.ttl_turns,
            preserve_on_compact=self.preserve_on_compact,
            propagate=self.propagate,
            role_hint=self.role_hint,
            source=source,
            fired_at_turn=fired_at_turn,
            maker=maker,
        )


# Reading one field. A reader takes the given value (nil if missing) and returns the value of the reminder.


class _Wrong(Exception):
    """Raised with the description of a wrong value, without the name of the field."""


def _body(value: object, type_name: TypeName) -> str:
    if value is not None and value.__class__ is not str:
        raise _Wrong(f"must be a string, got {type_name(value)}")
    if not value or not value.strip():
        raise _Wrong("must be a non-empty string")
    return value


def _tags(value: object, type_name: TypeName) -> tuple[str, ...]:
    if value is None:
        return ()
    if value.__class__ is not list:
        raise _Wrong(f"must be a list or nil, got {type_name(value)}")
    for entry in value:
        if entry.__class__ is not str:
            raise _Wrong(f"entries must be strings, got {type_name(entry)}")
        if not entry.strip():
            raise _Wrong("entries must be non-empty strings")
    return tuple(dict.fromkeys(entry.strip() for entry in value))


def _text(value: object, type_name: TypeName) -> str | None:
    if value is None:
        return None
    if value.__class__ is not str:
        raise _Wrong(f"must be a string or nil, got {type_name(value)}")
    return value.strip() or None


def _turns(value: object, type_name: TypeName) -> int | None:
    if value is None:
        return None
    if value.__class__ is not int:
        raise _Wrong(f"must be an int or nil, got {type_name(value)}")
    if value <= 0:
        raise _Wrong("must be > 0")
    return value


def _flag(value: object, type_name: TypeName) -> bool:
    if value is not None and value.__class__ is not bool:
        raise _Wrong(f"must be a bool or nil, got {type_name(value)}")
    return bool(value)


def _choice(names: Iterable[str], default: str) -> Reader:
    """Make the reader of a field that accepts a fixed set of values."""
    allowed = tuple(names)

    def read(value: object, _type_name: TypeName) -> str:
        if value is None:
            return default
        if value.__class__ is not str or (value.strip() or default) not in allowed:
            raise _Wrong(_one_of(allowed))
        return value.strip() or default

    return read


def _one_of(names: Iterable[str]) -> str:
    *first, last = names
    return f"must be one of {', '.join(first)}, or {last}"


OPTIONS: dict[str, Reader] = {
    "body": _body,
    "tags": _tags,
    "dedupe_key": _text,
    "ttl_turns": _turns,
    "preserve_on_compact": _flag,
    "propagate": _choice(PROPAGATE, "session"),
    "role_hint": _choice(ROLE_HINTS, "system"),
}
"""The readers of the fields that every producer may set, in the order of reported faults."""


def _whole(value: object) -> object:
    """Return a float such as `2.0` as an int, because JSON has only one kind of number."""
    if isinstance(value, float) and value.is_integer() and abs(value) < INT_LIMIT:
        return int(value)
    return value


def _host_turns(value: object, type_name: TypeName) -> int | None:
    return _turns(_whole(value), type_name)


def _mode(names: Mapping[str, str], default: str) -> Reader:
    """Make the reader of the mode for the given names."""

    def read(value: object, _type_name: TypeName) -> str:
        mode = default if value is None else names.get(value) if value.__class__ is str else None
        if mode is None:
            raise _Wrong(_one_of(MODES))
        return mode

    return read


def _id(value: object, type_name: TypeName) -> str | None:
    if value is None:
        return None
    if value.__class__ is not str:
        raise _Wrong(f"must be a string or nil, got {type_name(value)}")
    if not 1 <= len(value) <= ID_LIMIT:
        raise _Wrong(f"must be a string of 1 to {ID_LIMIT} characters")
    return value


def _source(value: object, _type_name: TypeName) -> None:
    if value is not None and (value.__class__ is not str or value != "bridge"):
        raise _Wrong("for session/remind must be bridge when provided")


def _label(value: object, type_name: TypeName) -> str | None:
    if value is not None and value.__class__ is not str:
        raise _Wrong(f"must be a string or nil, got {type_name(value)}")
    return value or None


def _named(read: Reader, prefix: str) -> Reader:
    """Make a reader that also accepts the names of a Protocol Buffers enum, which have a prefix and capitals."""

    def read_named(value: object, type_name: TypeName) -> str:
        if value.__class__ is str and value.startswith(prefix):
            name = value.removeprefix(prefix).lower()
            value = None if name == "unspecified" else name
        found: str = read(value, type_name)
        return found

    return read_named


def _turn(value: object, _type_name: TypeName) -> int:
    turn = 0 if value is None else _whole(value)
    if turn.__class__ is not int or turn < 0:
        raise _Wrong("must be >= 0 when provided")
    return turn


def _meta(value: object, _type_name: TypeName) -> Given | None:
    if value is not None and value.__class__ is not dict:
        raise _Wrong("must be an object")
    return value


_CONTENT = "content"
_NAMES = {mode: mode for mode in MODES}
_OLD_NAMES = {**_NAMES, **MODE_ALIASES}


def _host_options(modes: Mapping[str, str], default: str) -> dict[str, Reader]:
    """Return the readers of the fields that a host may set."""
    return {
        **OPTIONS,
        "ttl_turns": _host_turns,
        "mode": _mode(modes, default),
        "id": _id,
        "source": _source,
        "fired_at_turn": _turn,
        "_meta": _meta,
    }


class Producer:
    """A kind of producer: the fields that it may set, and the code of its faults."""

    __slots__ = ("absent", "code", "is_addressed", "is_host", "readers", "unknown")

    def __init__(
        self,
        code: str,
        readers: Mapping[str, Reader] = OPTIONS,
        *,
        unknown: str = "unknown reminder option(s)",
        is_host: bool = False,
        is_addressed: bool = False,
    ) -> None:
        self.code = code
        self.readers = readers
        self.absent = {name: read(None, str) for name, read in readers.items() if name != "body"}
        """The values of missing fields."""
        self.unknown = unknown
        self.is_host = is_host
        self.is_addressed = is_addressed


PIPELINE = Producer(OPTION, unknown="unknown option(s)")
HOOK = Producer(OPTION)
PROVIDER = Producer(MALFORMED)
BRIDGE = Producer(PAYLOAD, _host_options(_OLD_NAMES, FINISH_STEP), is_host=True, is_addressed=True)
INJECT = Producer(PAYLOAD, _host_options(_NAMES, FINISH_STEP), is_host=True, is_addressed=True)
"""The entry points of a wire that do not accept the former names of modes."""
_LABELLED = {**_host_options(_NAMES, FINISH_STEP), "source": _label}
LABELLED = Producer(PAYLOAD, _LABELLED, is_host=True, is_addressed=True)
"""The entry points that accept any name as `source`."""
_ENUMS = {"propagate": "REMINDER_PROPAGATION_", "role_hint": "REMINDER_ROLE_HINT_"}
_NAMED = {name: _named(OPTIONS[name], prefix) for name, prefix in _ENUMS.items()}
ENUMERATED = Producer(PAYLOAD, _LABELLED | _NAMED, is_host=True, is_addressed=True)
"""The entry point that also accepts the names of enums."""
SCRIPT = Producer(PAYLOAD, _host_options(_OLD_NAMES, AUDIT_ONLY), is_host=True)
"""The entry point of hosts for scripts."""


# Reading a whole reminder.


def check_reminder(value: object, type_name: TypeName, producer: Producer) -> tuple[Fields | None, list[Fault]]:
    """Validate a reminder from a producer. Return its fields, or None and all faults."""
    if value.__class__ is not dict:
        return None, [_shapeless(value, type_name, producer)]
    if not producer.is_host:
        fields = faultless(value, type_name, producer)
        if fields is not None:
            return fields, []
    spelled, faults = _host_keys(value, producer) if producer.is_host else _plain_keys(value, producer)
    if spelled is None:
        return None, faults
    values: Given = {}
    is_message = producer.is_host and any(fault.key == _CONTENT for fault in faults)
    for name, read in producer.readers.items():
        key, given = spelled.get(name, (name, None))
        try:
            values[name] = read(given, type_name)
        except _Wrong as wrong:
            if is_message and name == "body" and given is None:
                # One mistake: the text is there, under the key of a message.
                continue
            faults.append(Fault(SCOPE if name == "propagate" else producer.code, f"`{name}` {wrong}", key))
    return (None, faults) if faults else (Fields(values), [])


def faultless(given: Given, type_name: TypeName, producer: Producer) -> Fields | None:
    """Return the fields of a reminder, or None if it has any fault; `check_reminder` returns the faults in order."""
    values, readers = producer.absent.copy(), producer.readers
    try:
        for name, value in given.items():
            values[name] = readers[name](value, type_name)
    except (KeyError, _Wrong):
        return None
    return Fields(values) if "body" in values else None


def _shapeless(value: object, type_name: TypeName, producer: Producer) -> Fault:
    if producer.is_host:
        return Fault(producer.code, "session/remind payload must be a reminder object")
    wrong = "options are required" if value is None else f"options must be a dict, got {type_name(value)}"
    return Fault(producer.code, wrong)


def _unknown(keys: Iterable[str], producer: Producer) -> list[Fault]:
    names = sorted(keys)
    if not names:
        return []
    return [Fault(OPTION, f"{producer.unknown}: {', '.join(names)}", names[0], is_stranger=True, keys=names)]


def _plain_keys(given: Given, producer: Producer) -> tuple[Spelled | None, list[Fault]]:
    """Return the key and the value of each given field, and the fault for all other keys."""
    spelled = {name: (name, given[name]) for name in producer.readers if name in given}
    return spelled, _unknown(given.keys() - producer.readers.keys(), producer)


def _host_keys(given: Given, producer: Producer) -> tuple[Spelled | None, list[Fault]]:
    """Do the same for a reminder from a host in either spelling: flat, nested, or as hints in `_meta`.

    Return None instead of fields if the value is not a reminder.
    """
    top = {key: item for key, item in given.items() if not (producer.is_addressed and key in ADDRESS)}
    strangers: list[str] = []
    if "reminder" in top:
        nested = top.pop("reminder")
        if nested.__class__ is not dict:
            return None, [_shapeless(nested, str, producer)]
        strangers = [key for key in top if key not in ENVELOPE]
        top = {**{key: top[key] for key in ENVELOPE if key in top}, **nested}
    spelled: Spelled = _hints(top.get("_meta"), producer)
    torn = [fault for keys in _ADDRESSES if producer.is_addressed for fault in _torn(given, keys)]
    for name in producer.readers:
        for key in _spellings(name):
            if key in top:
                spelled[name] = (key, top[key])
        torn += _torn(top, _spellings(name))
    known = {key for name in producer.readers for key in _spellings(name)}
    strangers += top.keys() - known - {_CONTENT}
    return spelled, [*_user_content(top, producer), *_unknown(strangers, producer), *torn]


def _spellings(name: str) -> tuple[str, ...]:
    return (name, SPELLINGS[name]) if name in SPELLINGS else (name,)


def _torn(given: Given, keys: Sequence[str]) -> list[Fault]:
    """Return the fault of a key whose two spellings have different values."""
    if len(keys) == 1 or any(key not in given for key in keys):
        return []
    one, other = (given[key] for key in keys)
    is_same = one.__class__ is other.__class__ and one == other
    return [] if is_same else [Fault(OPTION, f"`{keys[0]}` and `{keys[1]}` are one option with two values", keys[1])]


def _user_content(top: Given, producer: Producer) -> list[Fault]:
    wrong = "session/remind expects reminder `body`, not user-message `content`"
    return [Fault(producer.code, wrong, _CONTENT, is_stranger=True)] if _CONTENT in top else []


def _hints(meta: object, producer: Producer) -> Spelled:
    """Return the fields in `_meta.harn.reminder`. All other keys of `_meta` belong to the host."""
    for name in ("harn", "reminder"):
        meta = meta.get(name) if meta.__class__ is dict else None
    if meta.__class__ is not dict:
        return {}
    return {
        name: (key, meta[key])
        for name in producer.readers
        for key in _spellings(name)
        if key in meta and name != "_meta"
    }


SELECTORS = ("id", "tag", "dedupe_key")


def check_selector(value: object, type_name: TypeName) -> tuple[Selector | None, list[Fault]]:
    """Validate a selector. Return it, or None and all faults."""
    if value.__class__ is not dict:
        return None, [_shapeless(value, type_name, PIPELINE)]
    faults = _unknown(value.keys() - set(SELECTORS), PIPELINE)
    values: dict[str, str | None] = {}
    for name in SELECTORS:
        try:
            values[name] = _text(value.get(name), type_name)
        except _Wrong as wrong:
            faults.append(Fault(OPTION, f"`{name}` {wrong}", name))
    if not faults and not any(values.values()):
        faults.append(Fault(OPTION, "at least one of id, tag, or dedupe_key is required"))
    return (None, faults) if faults else (Selector(**values), [])


# The texts of faults.


def fault_text(context: str, fault: Fault) -> str:
    """Return the text of a fault for `throw`: `<context>: <CODE>: <message>`."""
    return f"{context}: {fault.code}: {fault.message}"


def malformed_text(provider_id: str, context: str, fault: Fault) -> str:
    """Return the text of a fault in the result of a reminder provider."""
    if fault.code != MALFORMED:
        return fault_text(context, fault)
    return f"{MALFORMED}: provider `{provider_id}` returned malformed ReminderSpec: {context}: {fault.message}"


def reused_id(reminder_id: str) -> Fault:
    """Return the fault of a reminder whose id belongs to another reminder."""
    return Fault(PAYLOAD, f"`id` {reminder_id} already belongs to another reminder", "id")
