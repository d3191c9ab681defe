"""HARN-RMD-008: a closure for a worker event returns a reminder."""

from __future__ import annotations

from harnlite.analysis.linting.context.reminder_faults import report_faults
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

_ADVICE = ("register it for a session, tool, step or persona event",)


def _finish(linting: Linting) -> None:
    report_faults(linting, RULE, _ADVICE)


RULE = Rule(
    "HARN-RMD-008",
    "reminder-worker-event",
    "a closure for a worker event returns a reminder",
    severity=ERROR,
    finish=_finish,
    tolerant=True,
)
