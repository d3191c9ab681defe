"""The records of the reminders in the prompts of a session, of which most prompts show the same ones."""

from __future__ import annotations

from harnlite.reminders.lifecycle import KIND_PREFIX
from harnlite.reminders.rendering import same_start
from harnlite.store.event_log import RepeatedRecords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.reminders.spec import ReminderSpec

    Fired = list[tuple[ReminderSpec, str]]

_FIRED = KIND_PREFIX + "fired"


class FiredRecords:
    """The `fired` records of the latest prompt, in groups.

    Reminders are added at the end, so a prompt shares its first reminders with the one before it. The groups of these
    are the same objects as before, and only the rest is new. Each group is at least twice as long as the next one, so
    there are few of them.
    """

    __slots__ = ("_fired", "_groups")

    def __init__(self) -> None:
        self._fired: Fired = []
        self._groups: list[RepeatedRecords] = []

    def groups(self, fired: Fired) -> Sequence[RepeatedRecords]:
        """Return the records of the reminders in a prompt, each with its role, in groups."""
        if fired is not self._fired:
            self._groups = self._regrouped(fired)
            self._fired = fired
        return self._groups

    def in_one(self, fired: Fired) -> RepeatedRecords:
        """Return the same records in one group."""
        return _joined(self.groups(fired))

    def _regrouped(self, fired: Fired) -> list[RepeatedRecords]:
        same = same_start(self._fired, fired)
        groups: list[RepeatedRecords] = []
        count = 0
        for group in self._groups:
            if count == same:
                break
            kept = group.parts[: same - count]
            groups.append(group if len(kept) == len(group.parts) else RepeatedRecords(_FIRED, kept))
            count += len(kept)
        if same < len(fired):
            groups.append(RepeatedRecords(_FIRED, [_part(spec, role) for spec, role in fired[same:]]))
        while len(groups) > 1 and len(groups[-2].parts) < 2 * len(groups[-1].parts):
            groups[-2:] = [_joined(groups[-2:])]
        return groups


def _part(spec: ReminderSpec, role: str) -> dict[str, object]:
    return {"reminder_id": spec.id, "rendered_role": role}


def _joined(groups: Sequence[RepeatedRecords]) -> RepeatedRecords:
    return groups[0] if len(groups) == 1 else RepeatedRecords(_FIRED, [part for one in groups for part in one.parts])
