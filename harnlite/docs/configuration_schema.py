"""The JSON Schema of the project configuration."""

from __future__ import annotations

from harnlite.analysis.linting.configuration_files import TABLES
from harnlite.analysis.linting.context import configuration as kinds
from harnlite.analysis.linting.context.configuration import SECTIONS
from harnlite.capabilities import limit_table
from harnlite.diagnostics.renderers import RENDERERS
from harnlite.options import manifest
from harnlite.options.validation import rows
from harnlite.reminders.capabilities import FLAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from harnlite.options.validation import Accepted

    Schema: TypeAlias = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}

_KINDS: dict[str, Schema] = {
    kinds.WORDS: _TEXTS,
    kinds.WORDS_BY_GLOB: {"type": "object", "additionalProperties": _TEXTS},
    kinds.FLAG: {"type": "boolean"},
    kinds.NUMBER: {"type": "integer", "minimum": 0},
    kinds.COUNT: {"type": "integer", "minimum": 1},
    kinds.PERCENT: {"type": "number", "minimum": 0, "maximum": 100},
    kinds.TEXT: _TEXT,
    kinds.STYLE: {"enum": list(RENDERERS)},
}


def configuration_schema() -> Schema:
    """Return the schema of `harn.toml`, and of `[tool.harnlite]` in `pyproject.toml`."""
    parts = {name: _section(name) if name in SECTIONS else _OTHERS[name] for name in TABLES}
    return {"type": "object", "properties": parts, "additionalProperties": False}


def _section(name: str) -> Schema:
    """Return the schema of a table with known keys; a key may be spelled with dashes."""
    fields: Schema = {}
    dashed: Schema = {}
    for key, (kind, default) in SECTIONS[name].items():
        absent = list(default) if isinstance(default, tuple) else default
        fields[key] = _KINDS[kind] if absent is None else {**_KINDS[kind], "default": absent}
        if "_" in key:
            dashed[f"^{key.replace('_', '-')}$"] = fields[key]
    return {"type": "object", "properties": fields, "patternProperties": dashed, "additionalProperties": False}


def _open(**fields: Schema) -> Schema:
    return {"type": "object", "properties": fields}


def _closed(table: str, **fields: Schema) -> Schema:
    """Return the schema of a table of harn.toml; the fields are described in more detail than its rows do."""
    schemas = {key: fields.get(key) or _of_row(row) for key, row in rows(table, _TABLES).items()}
    return {"type": "object", "properties": schemas, "additionalProperties": False}


def _of_row(row: Accepted) -> Schema:
    kinds = [_KINDS_OF_ROWS[kind] for kind in row.kinds]
    return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}


def _limits() -> Schema:
    fields: Schema = {}
    for name, default, least, meaning in limit_table.TABLE:
        number: Schema = {"type": "integer", "minimum": least}
        kind: Schema = {"anyOf": [number, _TEXT]} if name in limit_table.SIZES else number
        fields[name] = {**kind, "description": meaning, **({} if default is None else {"default": default})}
    return {"type": "object", "properties": fields, "additionalProperties": False}


def _tables(entry: Schema) -> Schema:
    return {"type": "object", "additionalProperties": entry}


def _rows(entry: Schema) -> Schema:
    return {"type": "array", "items": entry}


_TABLES = vars(manifest)
_KINDS_OF_ROWS: dict[str, Schema] = {
    "string": _TEXT,
    "list": _TEXTS,
    "dict": {"type": "object"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
}
_HEADERS = {"type": "object", "additionalProperties": _TEXT}
_PROVIDERS = _tables(_closed(manifest.PROVIDER, headers=_HEADERS, extra_headers=_HEADERS))
_MODELS = _tables(_closed(manifest.MODEL, pricing=_closed(manifest.PRICING)))
_RULE = {**_closed(manifest.RULE), "required": ["pattern"]}
_CAPABILITY = _open(
    model_match=_TEXT,
    version_min={"anyOf": [_TEXT, {"type": "array", "items": {"type": "integer"}}]},
    **{flag: {"type": "string" if flag == "message_wire_format" else "boolean"} for flag in FLAGS},
)
_HOOK: Schema = {
    **_closed(manifest.HOOKS, handler={"type": "string", "pattern": "^.+::.+$"}),
    "required": ["event", "handler"],
}

_OTHERS: dict[str, Schema] = {
    "asset_roots": _tables(_TEXT),
    "capabilities": _closed(manifest.CAPABILITIES, provider=_tables({"anyOf": [_CAPABILITY, _rows(_CAPABILITY)]})),
    "description": _TEXT,
    "entry": _TEXT,
    "hooks": _rows(_HOOK),
    "limits": _limits(),
    "llm": _closed(
        manifest.LLM,
        providers=_PROVIDERS,
        aliases=_tables(_open(id=_TEXT, provider=_TEXT)),
        models=_MODELS,
        tiers=_tables({"type": "object"}),
        inference_rules=_rows(_RULE),
        tier_rules=_rows(_RULE),
    ),
    "name": _TEXT,
    "package": _closed(manifest.PACKAGE),
    "providers": _PROVIDERS,
    "hook": _closed(manifest.HOOK),
    "skills": _closed(manifest.SKILLS),
    "version": _TEXT,
}
"""The schemas of the other tables and keys, which other parts of harnlite read."""
