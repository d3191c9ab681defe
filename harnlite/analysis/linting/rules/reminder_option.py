"""HARN-RMD-001: a reminder or a selector has an unknown key or a wrong value."""

from __future__ import annotations

from harnlite.analysis.linting.context.reminder_faults import report_faults
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting


def _finish(linting: Linting) -> None:
    report_faults(linting, RULE)


RULE = Rule(
    "HARN-RMD-001",
    "reminder-option",
    "a reminder or a selector has an unknown key or a wrong value",
    severity=ERROR,
    finish=_finish,
    tolerant=True,
)
