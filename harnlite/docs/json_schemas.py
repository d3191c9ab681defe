"""JSON Schemas of the data formats that users write or read, built from the tables that validate them."""

from __future__ import annotations

from harnlite.agent.loop.state.loop_options import CLOSURES, DICTS_OR_BOOLS, PROFILES, RULES
from harnlite.analysis.builtins.option_shapes import expected_at
from harnlite.diagnostics.diagnostic import ERROR, WARNING
from harnlite.docs.configuration_schema import configuration_schema
from harnlite.llm.errors import CATEGORIES, KINDS
from harnlite.llm.fixtures import FIELDS
from harnlite.reminders.json_schemas import bridge_schema, event_schema, reminder_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from harnlite.analysis.builtins.option_shapes import Expected

    Schema: TypeAlias = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TEXT: Schema = {"type": "string"}
_TYPES = {"bool": "boolean", "string": "string", "int": "integer", "list": "array"}
"""The JSON Schema types that are allowed instead of a dict with known keys."""
_COUNT: Schema = {"type": "integer", "minimum": 0}
_PLACE = ("line", "column", "end_line", "end_column")
_POSITIVE = ("max_iterations", "max_concurrent_tools")
_MORE_COUNTS = ("max_concurrent_tools", "max_verify_attempts", "token_budget")


def schema_of(name: str) -> Schema:
    """Return the schema with that name."""
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
    """Return the schema of one answer of a scripted model, which is one line of a file."""
    wrong: Schema = {
        "category": {"enum": sorted(CATEGORIES)},
        "kind": {"enum": sorted(KINDS)},
        "reason": _TEXT,
        "message": _TEXT,
        "status": {"type": "integer", "minimum": 100, "maximum": 599},
        "retry_after_ms": _COUNT,
    }
    says_what = [{"required": [key]} for key in ("category", "kind", "reason", "status")]
    call = {"type": "object", "properties": {"name": _TEXT, "arguments": {}}, "required": ["name"]}
    said: Schema = {
        **{name: _COUNT if name.endswith("_tokens") else {} for name in FIELDS},
        "text": {},
        "tool_calls": _list_of(call),
        "blocks": _list_of({"type": "object"}),
        "stream_chunks": _list_of({}),
        "match": {"description": "A pattern: only a matching prompt gets this answer."},
        "consume_match": {"type": "boolean"},
        "delay_ms": _COUNT,
        "error": {"anyOf": [_TEXT, {"type": "object", "properties": wrong, "anyOf": says_what}]},
    }
    return {"type": "object", "properties": said}


def _loop_options() -> Schema:
    """Return the schema of the options of `agent_loop` without closures; other keys are options of its model calls."""
    known = expected_at("agent_loop", 2)
    fields: Schema = _members(known)
    for key in CLOSURES:
        fields.pop(key, None)
    for key in (*(key for numbers in PROFILES.values() for key in numbers), *_MORE_COUNTS):
        fields[key] = {**fields.get(key, {}), "type": ["integer", "null"], "minimum": int(key in _POSITIVE)}
    for key in RULES:
        fields[key] = {"type": ["object", "null"], **fields[key]}
    for key in DICTS_OR_BOOLS:
        fields[key] = {"anyOf": [{"type": "boolean"}, fields[key]]}
    fields["reminders"] = {**fields["reminders"], **_reminders(known.keys["reminders"])}
    return {"type": "object", "properties": fields}


def _reminders(expected: Expected) -> Schema:
    """Return the schema of the option `reminders`; the ids are suggestions: a list may name any provider."""
    proposed = expected.items.choices if expected.items is not None else ()
    ids = _list_of({"anyOf": [{"enum": list(proposed)}, _TEXT]})
    said: Schema = {"enabled": {"type": ["boolean", "null"]}, "providers": {"anyOf": [ids, {"type": "null"}]}}
    return {"anyOf": [{"type": ["boolean", "null"]}, ids, {"type": "object", "properties": said}]}


def _members(expected: Expected) -> Schema:
    """Return the schemas of the keys of a dict, with their descriptions."""
    fields: Schema = {key: _shape(one, expected.texts.get(key, "")) for key, one in expected.keys.items()}
    for key in expected.texts.keys() & fields.keys():
        fields[key]["description"] = expected.texts[key]
    return fields


def _shape(expected: Expected, said: str = "") -> Schema:
    """Return the schema of a value that may also be null; the description `said` starts with its types."""
    forms: list[Schema] = []
    if expected.choices:
        forms.append({"enum": list(expected.choices)})
    if expected.keys:
        forms.append({"type": "object", "properties": _members(expected)})
    if expected.items is not None:
        forms.append(_list_of(_shape(expected.items)))
    if expected.keys or expected.items is not None:
        words = said.partition("; ")[0].split(" | ")
        forms += [
            {"type": _TYPES[word]} for word in words if word in _TYPES and not (word == "string" and expected.choices)
        ]
    return {"anyOf": [*forms, {"type": "null"}]} if forms else {}


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
