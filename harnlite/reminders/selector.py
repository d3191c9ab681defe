"""Which of the pending reminders are meant."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.reminders.spec import ReminderSpec


class Selector:
    """Which pending reminders are meant: those that have everything that is named."""

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
        """Say whether a reminder is meant."""
        return (
            (self.id is None or spec.id == self.id)
            and (self.dedupe_key is None or spec.dedupe_key == self.dedupe_key)
            and (self.tag is None or self.tag in spec.tags)
        )
