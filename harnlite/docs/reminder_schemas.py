"""JSON Schemas of reminders: the forms that `wire` accepts from producers, and the event in a transcript."""

from __future__ import annotations

from harnlite.options.expected import options_in
from harnlite.reminders.seams import MODE_ALIASES, MODES
from harnlite.reminders.spec import INTERNAL, KIND, OPTIONAL, PROPAGATE, PUBLIC, REQUIRED, ROLE_HINTS, SOURCES
from harnlite.reminders.wire import ADDRESS, BRIDGE, ENVELOPE, ID_LIMIT, PIPELINE, SPELLINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from harnlite.reminders.wire import Producer

    Schema: TypeAlias = dict[str, Any]

_NOT_BLANK = r"\S"
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}


def _one_of(names: Iterable[str]) -> Schema:
    return {"enum": [*names, None]}


_FIELDS: dict[str, Schema] = {
    "body": {"type": "string", "pattern": _NOT_BLANK},
    "tags": {"type": ["array", "null"], "items": {"type": "string", "pattern": _NOT_BLANK}},
    "dedupe_key": _TEXT_OR_NULL,
    "ttl_turns": {"type": ["integer", "null"], "minimum": 1},
    "preserve_on_compact": {"type": ["boolean", "null"]},
    "propagate": _one_of(PROPAGATE),
    "role_hint": _one_of(ROLE_HINTS),
    "mode": {**_one_of((*MODES, *MODE_ALIASES)), "description": "When a running agent receives it."},
    "id": {"type": ["string", "null"], "minLength": 1, "maxLength": ID_LIMIT},
    "source": {"enum": ["bridge", None]},
    "fired_at_turn": {"type": ["integer", "null"], "minimum": 0},
    "_meta": {"type": ["object", "null"]},
}
"""A schema for each field that `wire` reads; hosts may use aliases of modes."""


def reminder_schema() -> Schema:
    """Return the schema of reminders from scripts, hooks and reminder providers."""
    return _object(_fields(PIPELINE), ["body"])


def bridge_schema() -> Schema:
    """Return the schema of reminders from hosts: flat or nested under `reminder`, in either spelling of keys."""
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
    """Return the schema of the transcript event for a reminder."""
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
    """Return the schema of a field of a parsed reminder, in which no field is null."""
    if name in _CHOICES:
        return {"enum": list(_CHOICES[name])}
    if name in {"id", "originating_agent_id"}:
        return {"type": "string"}
    found = _FIELDS[name]
    kinds = found["type"]
    kind = kinds if isinstance(kinds, str) else kinds[0]
    return {"type": kind, "items": {"type": "string"}} if kind == "array" else {"type": kind}


def _fields(producer: Producer) -> Schema:
    """Return the schemas of the fields that a producer may set, with the descriptions and defaults of the options."""
    options = options_in("reminder")
    fields: Schema = {name: {**_FIELDS[name]} for name in producer.readers}
    for name in options.keys() & fields.keys():
        fields[name]["description"] = options[name].meaning
        if options[name].default is not None:
            fields[name]["default"] = options[name].default
    return fields


def _object(fields: Schema, required: Iterable[str] = ()) -> Schema:
    return {"type": "object", "properties": fields, "required": list(required), "additionalProperties": False}
