"""Two sets of rules in the same recorded session: what only one of them says, and what both say."""

from __future__ import annotations

from dataclasses import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.replay.player import Player
    from harnlite.agent_hooks.replay.rows import Row
    from harnlite.agent_hooks.replay.steps import Step

FIRST, SECOND, BOTH = "A", "B", "both"
SIDES = (FIRST, SECOND, BOTH)


class Comparison:
    """Asks two sets of rules what they say to each call. What they say at the same call is one row of both."""

    def __init__(self, first: Player, second: Player) -> None:
        self._first = first
        self._second = second
        self.counts = dict.fromkeys(SIDES, 0)
        """The number of rows by the side that they belong to."""
        self.tokens = dict.fromkeys(SIDES, 0)

    def play(self, step: Step) -> list[Row]:
        """Return what the rules say to a call."""
        others = self._second.play(step)
        found = []
        for row in self._first.play(step):
            twin = next((other for other in others if row.is_like(other)), None)
            if twin is not None:
                others.remove(twin)
            found.append(replace(row, side=FIRST if twin is None else BOTH))
        found += [replace(row, side=SECOND) for row in others]
        for row in found:
            self.counts[row.side] += 1
            self.tokens[row.side] += row.tokens
        return found

    def fields(self) -> dict[str, object]:
        """Return the JSON form of the counts."""
        return {
            name: {"rows": self.counts[side], "tokens": self.tokens[side]}
            for name, side in (("only_a", FIRST), ("only_b", SECOND), ("both", BOTH))
        }
