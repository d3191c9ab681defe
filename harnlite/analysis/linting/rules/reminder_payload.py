"""HARN-RMD-002: a payload from a host is not a valid reminder."""

from __future__ import annotations

from harnlite.analysis.linting.context.reminder_faults import report_faults
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

_ADVICE = ("send a reminder with a `body`; put fields of the host under `_meta`",)


def _finish(linting: Linting) -> None:
    report_faults(linting, RULE, _ADVICE)


RULE = Rule(
    "HARN-RMD-002",
    "reminder-payload",
    "a payload from a host is not a valid reminder",
    severity=ERROR,
    finish=_finish,
    tolerant=True,
)
