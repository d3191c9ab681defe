"""HARN-RMD-004: a reminder that a compaction may drop never expires before that."""

from __future__ import annotations

from harnlite.analysis.linting.context.constant_values import Known, literal_dicts
from harnlite.analysis.linting.context.reminder_sites import lacks
from harnlite.analysis.linting.context.rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting
    from harnlite.syntax.nodes import Node

_KEY = "preserve_on_compact"


def _finish(linting: Linting) -> None:
    if _KEY not in linting.source.text:
        return
    reported: set[Node] = set()
    for found in literal_dicts(linting):
        preserved = found.get(_KEY)
        if "body" not in found.entries or not isinstance(preserved, Known) or preserved.value is not False:
            continue
        place = found.node_of(_KEY)
        if lacks(found, "ttl_turns") and place not in reported:
            reported.add(place)
            linting.report(
                RULE,
                place,
                "this reminder may be dropped by a compaction, and until then it never expires",
                help=("give it a finite `ttl_turns`, or write `preserve_on_compact: true`",),
            )


RULE = Rule(
    "HARN-RMD-004",
    "reminder-infinite-discardable",
    "a reminder that a compaction may drop has no `ttl_turns`",
    finish=_finish,
    tolerant=True,
)
