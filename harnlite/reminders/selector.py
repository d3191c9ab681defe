"""Selectors of pending reminders."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.reminders.spec import ReminderSpec


class Selector:
    """A selector matches the pending reminders that have all given values."""

    __slots__ = ("dedupe_key", "id", "tag")

    def __init__(
        self,
        id: str | None = None,  # noqa: A002 - as the option is called
        tag: str | None = None,
        dedupe_key: str | None = None,
    ) -> None:
        self.id = id
        self.tag = tag
        self.dedupe_key = dedupe_key

    def matches(self, spec: ReminderSpec) -> bool:
        """Return whether a reminder has all given values."""
        return (
            (self.id is None or spec.id == self.id)
            and (self.dedupe_key is None or spec.dedupe_key == self.dedupe_key)
            and (self.tag is None or self.tag in spec.tags)
        )
