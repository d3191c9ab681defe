"""HARN-RMD-005: `propagate` is not one of its three values."""

from __future__ import annotations

from harnlite.analysis.linting.context.reminder_faults import report_faults
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

_ADVICE = ('write "all", "session" or "none"',)


def _finish(linting: Linting) -> None:
    report_faults(linting, RULE, _ADVICE)


RULE = Rule(
    "HARN-RMD-005",
    "reminder-propagation",
    "`propagate` is not one of its three values",
    severity=ERROR,
    finish=_finish,
    tolerant=True,
)
