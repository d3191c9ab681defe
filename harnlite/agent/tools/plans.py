"""Plans: the conversion of the steps that models and scripts write to one canonical form."""

from __future__ import annotations

from harnlite.agent.sessions.live_events import emit
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

SCHEMA_VERSION = "harn.plan.v1"
ARTIFACT = "plan_artifact"
EMIT, UPDATE = "emit_plan", "update_plan"
PLAN_TOOLS = frozenset({EMIT, UPDATE})
_ID_BYTES = 6
_STATUSES = {
    word: status
    for status, words in {
        "pending": "pending todo not_started",
        "in_progress": "in_progress active running started",
        "completed": "completed complete done",
        "blocked": "blocked waiting",
        "cancelled": "cancelled canceled dropped skipped",
    }.items()
    for word in words.split()
}
_APPROVALS = {
    "approved": "approved",
    "rejected": "rejected",
    "denied": "rejected",
    "requested": "requested",
    "pending": "requested",
}
_CONTENT = ("content", "step", "task", "goal", "description")
_COPIED = ("request_id", "reviewer", "reviewers", "approved_at", "reason")


def plan_artifact(run: Execution, value: object, tool: str = EMIT) -> dict[str, Any]:
    """Return the canonical form of a plan."""
    source = value.get("plan") if isinstance(value, dict) else None
    if not isinstance(source, dict):
        source = value
    given: dict[str, Any] = source if isinstance(source, dict) else {}
    named, known = given.get("tool"), given.get("id")
    steps = source if isinstance(source, list) else _first(given, "steps", "plan", "tasks")
    return {
        "_type": ARTIFACT,
        "approval": _approval(given),
        "assumptions": _texts(given.get("assumptions")),
        "id": known if isinstance(known, str) and known else f"plan_{run.ids.hex(_ID_BYTES)}",
        "open_questions": _texts(_first(given, "open_questions", "questions", "unknowns")),
        "schema_version": SCHEMA_VERSION,
        "steps": _steps(steps),
        "summary": _text(_first(given, "explanation", "summary", "direction")),
        "title": _text(_first(given, "title", "name")) or "Plan",
        "tool": named if isinstance(named, str) and named else tool,
        "verification_commands": _texts(_first(given, "verification_commands", "verification", "verify_commands")),
    }


def note_plans(run: Execution, session: Session, results: Sequence[dict[str, Any]]) -> None:
    """Record the plans that successful calls of the plan tools created in a session, and emit their events."""
    for result in results:
        if result.get("ok") and result.get("tool_name") in PLAN_TOOLS:
            plan = _made(run, result)
            session.lifecycle(run, "plan", plan["title"], {"plan": plan}, role="tool", visibility="public")
            emit(run, session, "plan", {"plan": plan})


def _made(run: Execution, result: dict[str, Any]) -> dict[str, Any]:
    """Return the plan of a call: the tool's result if that is a plan, or else the arguments of the call."""
    from harnlite.formats.json.reading import JsonError, read_json

    try:
        answer = read_json(str(result.get("result")))
    except JsonError:
        answer = None
    known = isinstance(answer, dict) and answer.get("_type") == ARTIFACT
    return plan_artifact(run, answer if known else result.get("arguments"), str(result["tool_name"]))


def plan_entries(run: Execution, plan: object) -> list[dict[str, Any]]:
    """Return the steps of a plan for hosts; a plan without steps has one entry."""
    artifact = plan_artifact(run, plan)
    if not artifact["steps"]:
        return [{"content": artifact["summary"] or "Plan emitted", "status": "pending"}]
    return [
        {key: step[key] for key in ("content", "priority", "status") if step[key] is not None}
        for step in artifact["steps"]
    ]


def _first(given: dict[str, Any], *keys: str) -> object:
    return next((given[key] for key in keys if given.get(key) is not None), None)


def _text(value: object) -> str:
    return "" if value is None else display(value).strip()


def _texts(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [text for item in items if (text := _text(item))]


def _word(value: object) -> str:
    return _text(value).lower().replace("-", "_").replace(" ", "_")


def _steps(value: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for position, item in enumerate(value if isinstance(value, list) else [], 1):
        given: dict[str, Any] = item if isinstance(item, dict) else {"content": item}
        content = _text(_first(given, *_CONTENT))
        if content:
            step_id = given.get("id")
            found.append(
                {
                    "content": content,
                    "id": f"step-{position}" if step_id is None else display(step_id),
                    "priority": given.get("priority"),
                    "status": _STATUSES.get(_word(given.get("status")), "pending"),
                }
            )
    return found


def _approval(given: dict[str, Any]) -> dict[str, Any]:
    approval = given.get("approval")
    fields: dict[str, Any] = approval if isinstance(approval, dict) else {"state": approval}
    word = _first(fields, "state", "status")
    decided = fields.get("approved", given.get("approved"))
    if isinstance(decided, bool) and not isinstance(word, str):
        word = "approved" if decided else "rejected"
    found = {key: fields[key] for key in _COPIED if fields.get(key) is not None}
    return {**found, "state": _APPROVALS.get(_word(word), "unrequested")}
