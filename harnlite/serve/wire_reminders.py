"""Reading the reminders of wire methods, and the faults of those that are not well formed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnlite.reminders.wire import BRIDGE, ENUMERATED, INJECT, LABELLED, PAYLOAD, Fault, check_reminder, fault_text
from harnlite.values.data_types import type_name

if TYPE_CHECKING:
    from typing import Any

    from harnlite.reminders.waiting_entries import ReusedId
    from harnlite.reminders.wire import Fields, Producer

REMIND = "session/remind"
ENUM_METHOD = "InjectTaskReminder"
_TASK = "tasks/"
METADATA = "metadata"
CONFLICT = "reminder_id_conflict"


@dataclass(frozen=True, slots=True)
class WireReminder:
    """A reminder as it arrived: its fields, the `source` of its sender as a label, and the metadata of a task."""

    fields: Fields
    label: str | None = None
    metadata: dict[str, Any] | None = None


class WireFault(Exception):
    """A reminder that is not well formed; its text is the message of the error.

    `field` is the key as the sender spelled it, `fields` all keys if there are several, and `description` the message
    without the method and the code.
    """

    def __init__(self, method: str, fault: Fault) -> None:
        super().__init__(fault_text(method, fault))
        self.code = fault.code
        self.description = fault.message
        self.field = fault.key
        self.fields = fault.keys if len(fault.keys) > 1 else ()
        self.reason: str | None = None

    @property
    def data(self) -> dict[str, object]:
        """Return the `data` of the error: `{code, reason?, field?, fields?}`."""
        found: dict[str, object] = {"code": self.code}
        if self.reason is not None:
            found["reason"] = self.reason
        if self.field is not None:
            found["field"] = self.field
        if self.fields:
            found["fields"] = list(self.fields)
        return found


def read_reminder(method: str, params: object) -> WireReminder:
    """Return the reminder in the params of a method, which is given by its plain name; raise WireFault.

    Only `session/remind` accepts the former names of modes. The methods of tasks accept any `source`, and `metadata`
    next to the reminder.
    """
    metadata = None
    is_task = method.startswith(_TASK) or method == ENUM_METHOD
    fault = None
    if is_task and isinstance(params, dict) and METADATA in params:
        params = dict(params)
        metadata = params.pop(METADATA)
        if metadata is not None and not isinstance(metadata, dict):
            fault = Fault(PAYLOAD, f"`{METADATA}` must be an object", METADATA)
    fields, faults = check_reminder(params, type_name, _producer(method, is_task=is_task))
    if fields is None:
        raise WireFault(method, faults[0])
    if fault is not None:
        raise WireFault(method, fault)
    return WireReminder(fields, fields.label, metadata if isinstance(metadata, dict) else None)


def reused_id_fault(method: str, error: ReusedId) -> WireFault:
    """Return the fault of a reminder whose id belongs to another one."""
    found = WireFault(method, Fault(PAYLOAD, f"{CONFLICT}: {error.fault.message}", error.fault.key))
    found.reason = CONFLICT
    return found


def _producer(method: str, *, is_task: bool) -> Producer:
    if method == ENUM_METHOD:
        return ENUMERATED
    if is_task:
        return LABELLED
    return BRIDGE if method == REMIND else INJECT
