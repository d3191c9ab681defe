"""HARN-RMD-006: a reminder provider returns a value that is not a reminder."""

from __future__ import annotations

from harnlite.analysis.linting.context.reminder_faults import report_faults
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

_ADVICE = ("return nil, a reminder with a non-empty `body`, {reminder: {…}}, or a list of these",)


def _finish(linting: Linting) -> None:
    report_faults(linting, RULE, _ADVICE)


RULE = Rule(
    "HARN-RMD-006",
    "reminder-provider-result",
    "a reminder provider returns a value that is not a reminder",
    severity=ERROR,
    finish=_finish,
    tolerant=True,
)
