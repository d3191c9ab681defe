"""HARN-RMD-002: what a host queues is no reminder."""

from __future__ import annotations

from harnlite.analysis.linting.context.reminder_faults import report_faults
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

_ADVICE = ("send a reminder with a `body`; what belongs to the host goes under `_meta`",)


def _finish(linting: Linting) -> None:
    report_faults(linting, RULE, _ADVICE)


RULE = Rule(
    "HARN-RMD-002",
    "reminder-payload",
    "what a host queues is no reminder",
    severity=ERROR,
    finish=_finish,
    tolerant=True,
)
