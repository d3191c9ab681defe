"""HARN-RMD-008: a closure for an event of workers returns a reminder."""

from __future__ import annotations

from harnlite.analysis.linting.context.reminder_faults import report_faults
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

_ADVICE = ("register it for an event of a session, a tool, a step or a persona",)


def _finish(linting: Linting) -> None:
    report_faults(linting, RULE, _ADVICE)


RULE = Rule(
    "HARN-RMD-008",
    "reminder-worker-event",
    "a closure for an event of workers returns a reminder",
    severity=ERROR,
    finish=_finish,
    tolerant=True,
)
