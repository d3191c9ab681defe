"""The rows of the table of a replay: what the rules have told or decided at one call."""

from __future__ import annotations

from dataclasses import dataclass

from harnlite.runtime.tasks.clock import iso_time

SAID, DENIED, CONTINUED, CHANGED, PRINTED, FAILED = "said", "denied", "continued", "changed", "printed", "error"
"""What a row reports: a reminder, a refusal, a stop that is undone, other arguments, output of the script, an error."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    time: float | None
    turn: int
    actor: str
    """The sub-agent, or an empty text for the main conversation."""
    event: str
    """The agent's name of the event."""
    tool: str
    what: str
    key: str
    """The key of the reminder, or the name of what has made it."""
    text: str
    tokens: int
    """The approximate number of tokens that the model reads."""
    side: str = ""
    """Of a comparison: whose row it is."""

    def fields(self) -> dict[str, object]:
        """Return the JSON form."""
        found: dict[str, object] = {
            "time": None if self.time is None else iso_time(self.time),
            "turn": self.turn,
            "actor": self.actor or None,
            "event": self.event,
            "tool": self.tool or None,
            "what": self.what,
            "key": self.key or None,
            "text": self.text,
            "tokens": self.tokens,
        }
        return {"rules": self.side, **found} if self.side else found

    def is_like(self, other: Row) -> bool:
        """Return whether the other row tells the model the same at the same call."""
        return (self.what, self.text) == (other.what, other.text)


class Totals:
    """The sums of a replay."""

    __slots__ = ("calls", "rows", "tokens", "turns", "unseen")

    def __init__(self) -> None:
        self.calls = 0
        """The number of calls of hooks that the agent would have made."""
        self.turns = 0
        self.tokens = 0
        self.unseen = 0
        """The number of reminders that were made and that no event has shown."""
        self.rows: dict[str, int] = {}
        """The number of rows by what they report."""

    @property
    def failures(self) -> int:
        """Return the number of calls at which the rules have failed."""
        return self.rows.get(FAILED, 0)

    def add(self, row: Row) -> None:
        """Count a row."""
        self.rows[row.what] = self.rows.get(row.what, 0) + 1
        self.tokens += row.tokens

    def fields(self) -> dict[str, object]:
        """Return the JSON form."""
        names = {SAID: "reminders", DENIED: "denials", CONTINUED: "continuations", CHANGED: "changes", FAILED: "errors"}
        counts = {label: self.rows.get(what, 0) for what, label in names.items()}
        return {"calls": self.calls, "turns": self.turns, **counts, "tokens": self.tokens, "never_shown": self.unseen}
