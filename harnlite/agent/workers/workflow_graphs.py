"""Workflows as data: stages and the edges between them, in a normal form."""

from __future__ import annotations

from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

    Graph = dict[str, Any]

TYPE = "workflow_graph"
STAGE, VERIFY = "stage", "verify"
_SHORTHAND = ("act", "verify", "repair")
_INHERITED = ("provider", "model", "model_tier", "tier", "temperature", "max_tokens", "mode", "done_sentinel")
_VERIFY_KEYS = ("assert_text", "command", "expect_status", "expect_text")
_EDGES = (("act", "verify", None), ("verify", "repair", "failed"), ("repair", "verify", "retry"))
_KINDS_OF_OUTPUT = {VERIFY: "verification_result", "reduce": "summary", "escalation": "plan"}


def graph_of(run: Execution, spec: dict[str, Any]) -> Graph:
    """Return the normal form of a workflow that is given as a shorthand or as nodes and edges."""
    given = spec if spec.get("nodes") is not None else _from_shorthand(spec)
    nodes = given["nodes"]
    if not isinstance(nodes, dict):
        raise runtime_error(f"workflow_graph: nodes must be a dict, got {type_name(nodes)}")
    normal_nodes = {key: _node(key, node) for key, node in nodes.items()}
    known = given.get("id")
    return {
        "_type": TYPE,
        "id": known if isinstance(known, str) and known else f"workflow_{run.ids.uuid7()}",
        "name": given.get("name"),
        "version": given.get("version") if isinstance(given.get("version"), int) else 1,
        "entry": given.get("entry") or min(normal_nodes, default=None),
        "nodes": normal_nodes,
        "edges": [_edge(edge) for edge in given.get("edges") or () if isinstance(edge, dict)],
        "capability_policy": given.get("capability_policy") or {},
        "approval_policy": given.get("approval_policy") or {},
        "metadata": given.get("metadata") or {},
        "audit_log": given.get("audit_log") or [],
    }


def _from_shorthand(spec: dict[str, Any]) -> dict[str, Any]:
    common = {key: spec[key] for key in _INHERITED if spec.get(key) is not None}
    nodes: dict[str, Any] = {}
    for key in _SHORTHAND:
        if isinstance(spec.get(key), dict):
            nodes[key] = _short_node(key, {**common, **spec[key]})
    edges = [{"from": start, "to": end, "branch": branch} for start, end, branch in _EDGES]
    return {
        **spec,
        "nodes": nodes,
        "edges": [edge for edge in edges if edge["from"] in nodes and edge["to"] in nodes],
        "entry": "act" if "act" in nodes else None,
    }


def _short_node(key: str, node: dict[str, Any]) -> dict[str, Any]:
    if key != VERIFY:
        return {"kind": STAGE, **node}
    checks = {name: node[name] for name in _VERIFY_KEYS if node.get(name) is not None}
    rest = {name: value for name, value in node.items() if name not in _VERIFY_KEYS}
    return {"kind": VERIFY, **rest, VERIFY: {**checks, **(node.get(VERIFY) or {})}}


def _node(key: str, node: object) -> dict[str, Any]:
    given: dict[str, Any] = dict(node) if isinstance(node, dict) else {}
    kind = given.get("kind") or STAGE
    output = [_KINDS_OF_OUTPUT.get(display(kind), "artifact")]
    return {
        **given,
        "id": given.get("id") or key,
        "kind": kind,
        "join_policy": {"strategy": "all", **_dict(given.get("join_policy"))},
        "reduce_policy": {"strategy": "concat", **_dict(given.get("reduce_policy"))},
        "output_contract": {"output_kinds": output, **_dict(given.get("output_contract"))},
        "retry_policy": {"max_attempts": 1, **_dict(given.get("retry_policy"))},
    }


def _edge(edge: dict[str, Any]) -> dict[str, Any]:
    return {"from": edge.get("from"), "to": edge.get("to"), "branch": edge.get("branch"), "label": edge.get("label")}


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def check_graph(graph: Graph) -> None:
    """Throw if a workflow cannot be executed."""
    nodes, entry = graph["nodes"], graph["entry"]
    errors = []
    if entry is None or entry not in nodes:
        errors.append(f"entry node does not exist: {display(entry)}")
    for edge in graph["edges"]:
        errors += [
            f"edge.{end} references unknown node: {display(edge[end])}"
            for end in ("from", "to")
            if not isinstance(edge[end], str) or edge[end] not in nodes
        ]
    if errors:
        raise runtime_error(f"workflow_execute: invalid workflow: {'; '.join(errors)}")


def next_nodes(graph: Graph, node_id: str, branch: str) -> list[str]:
    """Return the nodes that follow a node: along the edges of the branch, or else along edges without a branch."""
    edges = [edge for edge in graph["edges"] if edge["from"] == node_id]
    chosen = [edge for edge in edges if edge["branch"] == branch]
    return [edge["to"] for edge in chosen or edges if edge["branch"] in (branch, None)]
