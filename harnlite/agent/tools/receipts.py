"""Receipts of tool calls: the tool, the session, the outcome, and hashes instead of arguments and results."""

from __future__ import annotations

from harnlite.digests import sha256
from harnlite.formats.json.writing import json_text
from harnlite.runtime.tasks.clock import iso_time
from harnlite.store.path_parts import as_path_part
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

SCHEMA_VERSION = 1
FOLDER = "receipts"
NO_SESSION = "session"
_ORDERS = "receipt_orders"
_EXECUTORS = {"harn_builtin": "harn"}
_STATUSES = frozenset({"schema_violation", "consent_denied", "timeout"})
_OF_CATEGORY = {"schema_validation": "schema_violation"}


def receipt_of(
    run: Execution, call: dict[str, Any], result: dict[str, Any], redacted: frozenset[str], duration_ms: int
) -> dict[str, object]:
    """Return the receipt for a call, in the form that middleware receives, and its result."""
    turn, audit = _dict(call.get("turn")), _dict(result.get("audit"))
    iteration = turn.get("iteration")
    session_id = turn.get("session_id")
    executor = _dict(result.get("executor")).get("kind")
    return {
        "schema_version": SCHEMA_VERSION,
        "session_id": session_id,
        "run_id": turn.get("run_id"),
        "tool_call_id": result.get("tool_call_id") or call.get("call_id"),
        "tool_name": result.get("tool_name") or call.get("tool_name"),
        "iteration": iteration,
        "turn_index": iteration - 1 if iteration.__class__ is int else None,
        "emit_order": _next_order(run, session_id),
        "reason": audit.get("summary"),
        "kind": audit.get("kind") or _dict(call.get("annotations")).get("kind"),
        "executor": _renamed(executor, _EXECUTORS),
        "status": _status(result),
        "error_category": result.get("error_category"),
        "duration_ms": duration_ms,
        "args_hash": _hash(call.get("tool_args"), redacted),
        "result_hash": _hash(result.get("result"), redacted),
        "audit": audit,
        "emitted_at": iso_time(run.clock.now()),
        "model": turn.get("model"),
        "provider": turn.get("provider"),
    }


def file_name(session_id: object) -> str:
    """Return the name of the receipt file of a session."""
    return as_path_part(display(session_id) if session_id else NO_SESSION, ".jsonl")


def _next_order(run: Execution, session_id: object) -> int:
    orders: dict[object, int] = run.state(_ORDERS, dict)
    key = session_id if isinstance(session_id, str) else None
    orders[key] = orders.get(key, -1) + 1
    return orders[key]


def _status(result: dict[str, Any]) -> str:
    if result.get("ok") is True:
        return "ok"
    category = _renamed(result.get("error_category"), _OF_CATEGORY)
    return category if isinstance(category, str) and category in _STATUSES else "error"


def _renamed(word: object, names: dict[str, str]) -> object:
    return names.get(word, word) if isinstance(word, str) else word


def _hash(value: object, redacted: frozenset[str]) -> str:
    digest: str = sha256(json_text(_without(value, redacted)).encode("utf-8", "replace")).hexdigest()
    return digest


def _without(value: object, redacted: frozenset[str]) -> object:
    """Return a value with sorted keys and without the redacted ones."""
    if value.__class__ is dict:
        names = sorted(value)
        return {name: _without(value[name], redacted) for name in names if name not in redacted}
    if value.__class__ is list:
        return [_without(item, redacted) for item in value]
    return value


def _dict(value: object) -> dict[str, Any]:
    return value if value.__class__ is dict else {}
