"""A replay: a recorded session, the rules, and what they say in it, as text, JSON and HTML."""

from __future__ import annotations

import os

from harnlite.agent_hooks.replay.comparison import Comparison
from harnlite.agent_hooks.replay.player import Player
from harnlite.agent_hooks.replay.replay_tables import compared, summary, table
from harnlite.store.timeline import Timeline
from harnlite.store.timeline_html import page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent_hooks.replay.recorded_sessions import RecordedSession
    from harnlite.agent_hooks.replay.rows import Row
    from harnlite.agent_hooks.replay.steps import Step
    from harnlite.agent_hooks.rule_sets import RuleSet
    from harnlite.store.event_log import LogRecord

_NOBODY = "claude-code"


class Replay:
    """Plays a recorded session once. Raises RulesFailed if the rules do not run."""

    def __init__(
        self, session: RecordedSession, rules: RuleSet, other: RuleSet | None = None, folder: str | None = None
    ) -> None:
        agent = session.agent or _NOBODY  # an empty file has no calls, but the rules are checked
        self._session = session
        self._sets = [rules] if other is None else [rules, other]
        self._players = [Player(one, agent, folder) for one in self._sets]
        self._comparison = None if other is None else Comparison(*self._players)
        self.rows: list[Row] = []

    def run(self) -> None:
        """Play the session."""
        play: Callable[[Step], list[Row]]
        play = self._players[0].play if self._comparison is None else self._comparison.play
        for step in self._session.steps():
            self.rows += play(step)
        for player in self._players:
            player.close()

    @property
    def is_empty(self) -> bool:
        """Return whether the agent would not have called any hook."""
        return not any(player.totals.calls for player in self._players)

    @property
    def has_errors(self) -> bool:
        """Return whether the rules have failed at a call."""
        return any(player.totals.failures for player in self._players)

    @property
    def _names(self) -> list[str]:
        return [", ".join([*one.names, *([os.path.basename(one.script)] if one.script else [])]) for one in self._sets]

    def text(self, *, color: bool = False, width: int | None = None) -> str:
        """Return the table and the sums."""
        parts = [table(self.rows, color=color, width=width)]
        if self._comparison is None:
            parts.append(summary(self._players[0].totals))
        else:
            parts += [f"{side}: {summary(player.totals)}" for side, player in zip("AB", self._players, strict=True)]
            parts.append(compared(self._comparison, (self._names[0], self._names[1])))
        return "\n".join(["".join(parts[:1]), "".join(parts[1:])])

    def fields(self, file: str) -> dict[str, object]:
        """Return the JSON form."""
        found: dict[str, object] = {
            "file": file,
            "agent": self._session.agent or None,
            "lines": self._session.lines,
            "damaged": self._session.damaged,
            "rows": [row.fields() for row in self.rows],
        }
        if self._comparison is None:
            return {**found, "rules": self._names[0], "totals": self._players[0].totals.fields()}
        sides = {
            side: {"rules": name, "totals": player.totals.fields()}
            for side, name, player in zip("ab", self._names, self._players, strict=True)
        }
        return {**found, **sides, **self._comparison.fields()}

    def page(self, title: str) -> str:
        """Return the timeline of the reminders as an HTML page."""
        if self._comparison is None:
            return page(Timeline(self._players[0].lives.records), title)
        records: list[LogRecord] = []
        for side, name, player in zip("AB", self._names, self._players, strict=True):
            records += [_of_side(record, f"{side} ({name})") for record in player.lives.records]
        return page(Timeline(records), title)


def _of_side(record: LogRecord, side: str) -> LogRecord:
    payload = record["payload"]
    return {**record, "payload": {**payload, "session_id": f"{side}: {payload['session_id']}"}}
