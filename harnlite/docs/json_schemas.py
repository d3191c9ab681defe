"""JSON Schemas of the data formats that users write or read, built from the tables that validate them."""

from __future__ import annotations

from harnlite.diagnostics.diagnostic import ERROR, WARNING
from harnlite.docs.configuration_schema import configuration_schema
from harnlite.docs.reminder_schemas import bridge_schema, event_schema, reminder_schema
from harnlite.llm.errors import CATEGORIES, KINDS
from harnlite.llm.fixtures import FIELDS
from harnlite.options.expected import expected_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from harnlite.options.expected import Expected

    Schema: TypeAlias = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TEXT: Schema = {"type": "string"}
_TYPES = {
    "bool": "boolean", "string": "string", "int": "integer", "float": "number", "list": "array", "dict": "object",
}  # fmt: skip
_CLOSURES = frozenset({"closure"})
_COUNT: Schema = {"type": "integer", "minimum": 0}
_PLACE = ("line", "column", "end_line", "end_column")


def schema_of(name: str) -> Schema:
    """Return the schema with a name."""
    about, make = SCHEMAS[name]
    return {"$schema": DRAFT, **make(), "title": about}


def _closed(fields: Schema, required: Iterable[str]) -> Schema:
    return {"type": "object", "properties": fields, "required": list(required), "additionalProperties": False}


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _report() -> Schema:
    """Return the schema of the report of `check` and `lint`, and of `run` for an error."""
    place: Schema = {"file": _TEXT, **{key: {"type": "integer", "minimum": 1} for key in _PLACE}}
    edit = {"text": _TEXT, **place}
    fix = {"message": _TEXT, "safe": {"type": "boolean"}, "edits": _list_of(_closed(edit, edit))}
    label = {"message": _TEXT, **place}
    call = {"function": _TEXT, **place, "times": {"type": "integer", "minimum": 1}}
    always: Schema = {
        "severity": {"enum": [ERROR, WARNING]},
        "code": {"type": ["string", "null"]},
        "message": _TEXT,
        **place,
        "help": _list_of(_TEXT),
        "labels": _list_of(_closed(label, label)),
    }
    sometimes: Schema = {
        "rule": _TEXT,
        "fixes": _list_of(_closed(fix, fix)),
        "calls": _list_of({"anyOf": [{"type": "null"}, _closed(call, call)]}),
    }
    return _list_of(_closed(always | sometimes, always))


def _record() -> Schema:
    number: Schema = {"type": "integer", "minimum": 1}
    fields: Schema = {
        "id": number,
        "cursor": number,
        "topic": _TEXT,
        "kind": _TEXT,
        "payload": {},
        "headers": {"type": "object", "additionalProperties": _TEXT},
        "occurred_at_ms": {"type": "integer"},
    }
    return _closed(fields, fields)


def _answer() -> Schema:
    """Return the schema of an answer of a scripted model, which is one line of a file."""
    error: Schema = {
        "category": {"enum": sorted(CATEGORIES)},
        "kind": {"enum": sorted(KINDS)},
        "reason": _TEXT,
        "message": _TEXT,
        "status": {"type": "integer", "minimum": 100, "maximum": 599},
        "retry_after_ms": _COUNT,
    }
    has_cause = [{"required": [key]} for key in ("category", "kind", "reason", "status")]
    call = {"type": "object", "properties": {"name": _TEXT, "arguments": {}}, "required": ["name"]}
    fields: Schema = {
        **{name: _COUNT if name.endswith("_tokens") else {} for name in FIELDS},
        "text": {},
        "tool_calls": _list_of(call),
        "blocks": _list_of({"type": "object"}),
        "stream_chunks": _list_of({}),
        "match": {"description": "A pattern: only a matching prompt gets this answer."},
        "consume_match": {"type": "boolean"},
        "delay_ms": _COUNT,
        "error": {"anyOf": [_TEXT, {"type": "object", "properties": error, "anyOf": has_cause}]},
    }
    return {"type": "object", "properties": fields}


def _loop_options() -> Schema:
    """Return the schema of the options of `agent_loop` that can be data; other keys are backend options."""
    return {"type": "object", "properties": _members(expected_at("agent_loop", 2))}


def _members(expected: Expected) -> Schema:
    """Return the schemas of the keys of a dict, except those that take only closures."""
    return {
        key: {**_option(option), "description": option.text}
        for key, option in expected.keys.items()
        if option.kinds != _CLOSURES
    }


def _option(option: Expected) -> Schema:
    """Return the schema of an option, which may be null."""
    forms = _forms(option)
    if not forms:
        return {}
    if len(forms) == 1 and isinstance(forms[0].get("type"), str):
        return {**forms[0], "type": [forms[0]["type"], "null"]}
    return {"anyOf": [*forms, {"type": "null"}]}


def _forms(option: Expected) -> list[Schema]:
    """Return the schemas of the types of an option."""
    forms: list[Schema] = [
        {"type": name, **_details(kind, option)}
        for kind, name in _TYPES.items()
        if kind in option.kinds and (kind != "string" or option.is_open or not option.choices)
    ]
    return [{"enum": list(option.choices)}, *forms] if option.choices else forms


def _details(kind: str, option: Expected) -> Schema:
    if kind == "dict" and option.keys:
        return {"properties": _members(option)}
    if kind == "list" and option.items is not None:
        forms = _forms(option.items)
        return {"items": forms[0] if len(forms) == 1 else {"anyOf": forms}} if forms else {}
    return {"minimum": option.minimum} if kind == "int" and option.minimum is not None else {}


SCHEMAS: dict[str, tuple[str, Callable[[], Schema]]] = {
    "agent-loop-options": ("The options of agent_loop", _loop_options),
    "answer": ("An answer of a scripted model: a line of the file for --llm-mock", _answer),
    "bridge-reminder": ("A reminder sent by a host", bridge_schema),
    "configuration": ("The configuration of a project: harn.toml", configuration_schema),
    "event-record": ("A record of the event log: a line of the file of --events", _record),
    "reminder": ("A reminder as written by scripts, hooks and reminder providers", reminder_schema),
    "reminder-event": ("A reminder as a transcript event", event_schema),
    "report": ("The report of check, lint and run with --format json", _report),
}
"""The title of each schema and the function that builds it."""
