"""Handoffs: records of work that is handed over to another persona or person, with the inherited reminders."""

from __future__ import annotations

from harnlite.agent.hooks.firing import fire_persona
from harnlite.agent.sessions.current import current_session_id
from harnlite.agent.sessions.live_events import emit
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import carry_out_clears
from harnlite.reminders.hook_events import ON_HANDOFF_EMITTED
from harnlite.reminders.propagation import inheritable
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

HANDOFF_TYPE, KIND = "handoff_artifact", "handoff"
PERSONA = "persona"
_TEXTS = ("source_persona", "task", "reason")
_LISTS = (
    "files_or_entities_touched",
    "open_questions",
    "blocked_on",
    "evidence_refs",
    "requested_capabilities",
    "allowed_side_effects",
    "receipt_links",
)
_OTHERS = ("budget_remaining", "confidence", "deadline_checkback", "parent_run_id", "route_decision")
_TARGET_KEYS = ("kind", "id", "label", "uri")
_KEY = "agent_handoffs"


def make_handoff(run: Execution, given: dict[str, Any]) -> dict[str, object]:
    """Create the record of a handoff, fire its hooks, and emit its event; return the record."""
    session = sessions_of(run).get(current_session_id(run))
    record = _record(run, session, given)
    emitted_handoffs(run).append((session.id if session is not None else None, record))
    named: dict[str, object] = {} if session is None else {"session": {"id": session.id}}
    fire_persona(run, ON_HANDOFF_EMITTED, {**named, "handoff": record})
    if session is not None:
        emit(run, session, KIND, {"artifact_id": record["id"], "handoff": record})
    return record


def _record(run: Execution, session: Session | None, given: dict[str, Any]) -> dict[str, object]:
    known = given.get("id")
    propagation = given.get("reminder_propagation")
    return {
        "_type": HANDOFF_TYPE,
        "id": known if isinstance(known, str) and known else f"handoff_{run.ids.uuid7()}",
        "kind": KIND,
        **{key: _text(given.get(key)) for key in _TEXTS},
        "target_persona_or_human": _target(given),
        **{key: _list(given.get(key)) for key in _LISTS},
        **{key: given.get(key) for key in _OTHERS},
        "metadata": given["metadata"] if isinstance(given.get("metadata"), dict) else {},
        "created_at": str(int(run.clock.now())),
        "reminder_propagation": propagated(run, session) if propagation is None else propagation,
    }


def propagated(run: Execution, session: Session | None) -> list[dict[str, object]]:
    """Return the payloads of the reminders that the target of a handoff inherits from a session."""
    if session is None:
        return []
    carry_out_clears(run, session)
    return [spec.payload() for spec in inheritable(session.transcript.pending(), session.id)]


def emitted_handoffs(run: Execution) -> list[tuple[str | None, dict[str, object]]]:
    """Return the handoffs of a run, each with the id of its session."""
    found: list[tuple[str | None, dict[str, object]]] = run.state(_KEY, list)
    return found


def _text(value: object) -> str | None:
    return None if value is None else display(value)


def _list(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]


def _target(given: dict[str, Any]) -> dict[str, object]:
    target = next((given[key] for key in ("target_persona_or_human", "target") if given.get(key) is not None), None)
    if isinstance(target, dict):
        return {key: target.get(key) for key in _TARGET_KEYS}
    name = _text(target)
    return {"kind": None if name is None else PERSONA, "id": name, "label": name, "uri": None}
