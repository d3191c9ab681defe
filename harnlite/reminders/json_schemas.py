"""JSON Schemas of reminders: the forms that `wire` accepts, and the event in a transcript."""

from __future__ import annotations

from harnlite.reminders.seams import MODE_ALIASES, MODES
from harnlite.reminders.spec import INTERNAL, KIND, OPTIONAL, PROPAGATE, PUBLIC, REQUIRED, ROLE_HINTS, SOURCES
from harnlite.reminders.wire import ADDRESS, BRIDGE, ENVELOPE, ID_LIMIT, PIPELINE, SPELLINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from harnlite.reminders.wire import Producer

    Schema: TypeAlias = dict[str, Any]

_SAID = r"\S"
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}


def _one_of(names: Iterable[str]) -> Schema:
    return {"enum": [*names, None]}


_FIELDS: dict[str, Schema] = {
    "body": {"type": "string", "pattern": _SAID, "description": "What the model is reminded of."},
    "tags": {"type": ["array", "null"], "items": {"type": "string", "pattern": _SAID}},
    "dedupe_key": {**_TEXT_OR_NULL, "description": "A new reminder replaces pending reminders with the same key."},
    "ttl_turns": {
        "type": ["integer", "null"],
        "minimum": 1,
        "description": "The number of turns it stays pending.",
    },
    "preserve_on_compact": {"type": ["boolean", "null"], "default": False},
    "propagate": {**_one_of(PROPAGATE), "default": "session"},
    "role_hint": {**_one_of(ROLE_HINTS), "default": "system"},
    "mode": {**_one_of((*MODES, *MODE_ALIASES)), "description": "When a running agent receives it."},
    "id": {"type": ["string", "null"], "minLength": 1, "maxLength": ID_LIMIT},
    "source": {"enum": ["bridge", None]},
    "fired_at_turn": {"type": ["integer", "null"], "minimum": 0},
    "_meta": {"type": ["object", "null"]},
}
"""The schema of each field that `wire` reads. Hosts may use the old names of modes."""


def reminder_schema() -> Schema:
    """Return the schema of reminders from scripts, hooks and reminder providers."""
    return _object(_fields(PIPELINE), ["body"])


def bridge_schema() -> Schema:
    """Return the schema of reminders from hosts: flat or nested in `reminder`, in either spelling, with an address."""
    fields = _fields(BRIDGE)
    has_body, has_hints = {"required": ["body"]}, {"required": ["_meta"]}
    spelled = {SPELLINGS[name]: schema for name, schema in fields.items() if name in SPELLINGS}
    address = {name: {"type": "string"} for name in sorted(ADDRESS)}
    flat = {**fields, **spelled}
    beside = {key: fields[key] for key in ENVELOPE}
    nested = {"reminder": {"$ref": "#/$defs/reminder"}, **beside, **address}
    return {
        "if": {"type": "object", "required": ["reminder"]},
        "then": {**_object(nested), "anyOf": [{"properties": {"reminder": has_body}}, has_hints]},
        "else": {**_object({**flat, **address}), "anyOf": [has_body, has_hints]},
        "$defs": {"reminder": _object(flat)},
    }


def event_schema() -> Schema:
    """Return the schema of the event of a reminder in a transcript."""
    given = {name: _strict(name) for name, _ in (*REQUIRED, *OPTIONAL)}
    reminder = _object(given, [name for name, _ in REQUIRED])
    visibility = {"enum": [PUBLIC, INTERNAL]}
    block = {"type": {"const": "text"}, "text": {"type": "string"}, "visibility": visibility}
    fields: Schema = {
        "id": {"type": "string"},
        "kind": {"const": KIND},
        "role": {"enum": list(ROLE_HINTS)},
        "visibility": visibility,
        "text": {"type": "string"},
        "blocks": {"type": "array", "items": _object(block, block)},
        "reminder": {"$ref": "#/$defs/reminder"},
        "metadata": {"$ref": "#/$defs/reminder"},
    }
    return {**_object(fields, fields), "$defs": {"reminder": reminder}}


_CHOICES = {"propagate": PROPAGATE, "role_hint": ROLE_HINTS, "source": SOURCES}


def _strict(name: str) -> Schema:
    """Return the schema of a stored field, which is never null."""
    if name in _CHOICES:
        return {"enum": list(_CHOICES[name])}
    if name in {"id", "originating_agent_id"}:
        return {"type": "string"}
    found = _FIELDS[name]
    kinds = found["type"]
    kind = kinds if isinstance(kinds, str) else kinds[0]
    return {"type": kind, "items": {"type": "string"}} if kind == "array" else {"type": kind}


def _fields(producer: Producer) -> Schema:
    return {name: _FIELDS[name] for name in producer.readers}


def _object(fields: Schema, required: Iterable[str] = ()) -> Schema:
    return {"type": "object", "properties": fields, "required": list(required), "additionalProperties": False}
