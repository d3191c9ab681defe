"""Reminders in requests: the parameters of the reminder methods, and the metadata of messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harnlite.reminders.wire import LABELLED, PAYLOAD, Fault, check_reminder
from harnlite.serve.a2a.errors import A2AError
from harnlite.serve.a2a.request_params import whole
from harnlite.serve.json_rpc import INVALID_PARAMS
from harnlite.serve.wire_reminders import METADATA, WireFault, WireReminder, read_reminder, reused_id_fault
from harnlite.values.data_types import type_name

if TYPE_CHECKING:
    from harnlite.reminders.waiting_entries import ReusedId
    from harnlite.serve.a2a.dialects import Json

_ADDRESS = frozenset({"taskId", "task_id", "sessionId", "session_id", METADATA})
_NESTED = "reminder"


@dataclass(frozen=True, slots=True)
class TaskReminder:
    """A checked reminder; the method and the path of its object are for errors."""

    given: WireReminder
    method: str
    place: str

    def conflict(self, reused: ReusedId, task_id: str) -> A2AError:
        """Return the error for a reminder whose id belongs to another one."""
        return _refusal(reused_id_fault(self.method, reused), f"{self.place}.id".lstrip("."), {"taskId": task_id})


def read_task_reminder(params: Json, method: str) -> TaskReminder:
    """Check the parameters of a reminder method; `method` is its plain name."""
    nested = params.get(_NESTED)
    is_flat = _NESTED not in params and bool(params.keys() - _ADDRESS)
    place = "" if is_flat else _NESTED
    try:
        given = read_reminder(method, params)
    except WireFault as fault:
        is_outside = isinstance(nested, dict) and fault.field in params and fault.field not in nested
        path = "" if is_outside or fault.field == METADATA else place
        raise _refusal(fault, _path(path, fault.field), _task_id(params)) from None
    metadata = whole(given.metadata) if given.metadata else None
    return TaskReminder(WireReminder(given.fields, _label(given.label), metadata), method, place)


def read_attached(value: Any, method: str, place: str) -> TaskReminder:  # noqa: ANN401 - any JSON value
    """Check a reminder in the metadata of a message; `place` is its path."""
    if not isinstance(value, dict):
        raise _refusal(WireFault(method, Fault(PAYLOAD, "a reminder must be an object")), place, {})
    fields, faults = check_reminder(value, type_name, LABELLED)
    if fields is None:
        fault = WireFault(method, faults[0])
        raise _refusal(fault, _path(place, fault.field), {})
    return TaskReminder(WireReminder(fields, _label(fields.label)), method, place)


def _label(label: str | None) -> str | None:
    return label if label and label.strip() else None


def _path(place: str, field: str | None) -> str:
    if field is None:
        return place or _NESTED
    return f"{place}.{field}" if place else field


def _task_id(params: Json) -> dict[str, str]:
    found = params.get("taskId", params.get("task_id"))
    return {"taskId": found} if isinstance(found, str) else {}


def _refusal(fault: WireFault, field: str, metadata: dict[str, str]) -> A2AError:
    description = fault.description
    if description.startswith("`"):
        description = description.partition("` ")[2] or description
    return A2AError(
        INVALID_PARAMS,
        message=str(fault),
        reason=fault.code.replace("-", "_"),
        metadata=metadata,
        field=field,
        description=description,
    )
