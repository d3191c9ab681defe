"""The fields that a snapshot needs so that a worker can be restored from it."""

from __future__ import annotations

from harnlite.store.path_parts import is_path_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NIL = type(None)
_TEXT, _DICT, _LIST, _ANY = (str,), (dict,), (list,), (object,)
_TEXT_OR_NIL, _DICT_OR_NIL = (str, _NIL), (dict, _NIL)
_WORKER: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("id", "name", "task", "mode", "status"), _TEXT),
    **dict.fromkeys(("plan", "request", "carry", "execution", "audit"), _DICT),
    **dict.fromkeys(("history", "artifacts"), _LIST),
    **dict.fromkeys(("error", "parent_session_id", "run_id", "run_path"), _TEXT_OR_NIL),
    **dict.fromkeys(("created_at", "started_at", "finished_at", "awaiting_started_at"), _TEXT_OR_NIL),
    **dict.fromkeys(("result", "parent_worker_id", "parent_stage_id"), _ANY),
    "suspension": _DICT_OR_NIL,
}
_SESSION: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("system_prompt", "tool_format", "parent_id"), _TEXT_OR_NIL),
    "id": _TEXT,
    "transcript": _DICT,
    "active_skills": _LIST,
    "workspace_anchor": _DICT_OR_NIL,
}
_PLAN_PARTS = {
    "loop": ("options",),
    "sub_agent": ("options",),
    "stage": ("options", "node"),
    "workflow": ("options", "stages", "graph"),
}
_GRAPH: dict[str, tuple[type, ...]] = {
    "id": _TEXT,
    "name": _ANY,
    "entry": _TEXT,
    "nodes": _DICT,
    "edges": _LIST,
}


def is_worker(value: dict[str, Any]) -> bool:
    """Return whether a dict has all fields of a worker, with ids that can be a part of a path."""
    if not _has_fields(value, _WORKER) or not is_path_part(value["id"]):
        return False
    return (value["run_id"] is None or is_path_part(value["run_id"])) and _is_plan(value["plan"])


def is_session(value: dict[str, Any]) -> bool:
    """Return whether a dict has all fields of a worker's session."""
    return _has_fields(value, _SESSION)


def _has_fields(value: dict[str, Any], kinds: dict[str, tuple[type, ...]]) -> bool:
    return all(key in value and isinstance(value[key], known) for key, known in kinds.items())


def _is_plan(plan: dict[str, Any]) -> bool:
    kind = plan.get("kind")
    parts = _PLAN_PARTS.get(kind) if isinstance(kind, str) else None
    if parts is None or not all(isinstance(plan.get(part), dict) for part in parts):
        return False
    return "graph" not in parts or _is_workflow(plan)


def _is_workflow(plan: dict[str, Any]) -> bool:
    """Return whether the nodes, the edges and the remaining steps of a workflow are consistent."""
    graph, left, done = plan["graph"], plan.get("left") or [], plan.get("done") or []
    if not _has_fields(graph, _GRAPH) or not isinstance(left, list) or not isinstance(done, list):
        return False
    if left and "done" not in plan:
        return False
    nodes = {
        key for key, node in graph["nodes"].items() if _is_node(node) and isinstance(plan["stages"].get(key), dict)
    }
    node_names = [graph["entry"], *left]
    for edge in graph["edges"]:
        if not isinstance(edge, dict) or "branch" not in edge:
            return False
        node_names += [edge.get("from"), edge.get("to")]
    return len(nodes) == len(graph["nodes"]) and all(isinstance(name, str) and name in nodes for name in node_names)


def _is_node(value: object) -> bool:
    return isinstance(value, dict) and {"id", "kind"} <= value.keys() and isinstance(value.get("retry_policy"), dict)
