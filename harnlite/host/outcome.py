"""The outcome of a run."""

from __future__ import annotations

from harnlite.values.data_types import EnumValue
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.host.failure_report import Failure

PROVIDER_ERROR = "provider_error"
OK, FAILED, NOT_COMPILED, INTERRUPTED = 0, 1, 3, 130
_HIGHEST_STATUS = 255


class Outcome:
    """The value of a run, or what stopped it; `message` is the text that an `Err` result prints on stderr."""

    __slots__ = ("failure", "findings", "interrupted", "is_cut_short", "message", "status", "value")

    def __init__(
        self,
        status: int,
        value: object = None,
        *,
        message: str | None = None,
        failure: Failure | None = None,
        findings: Sequence[Diagnostic] = (),
        interrupted: bool = False,
    ) -> None:
        self.status = status
        self.value = value
        self.message = message
        self.failure = failure
        self.findings = tuple(findings)
        self.interrupted = interrupted
        self.is_cut_short = False
        """Whether the cleanup was stopped because it took too long."""

    @property
    def error(self) -> str | None:
        """Return a short description of what stopped the run, or None if it completed."""
        if self.failure is not None:
            return self.failure.text
        errors = [finding.message for finding in self.findings if finding.is_error]
        if errors:
            return errors[0]
        return "interrupted" if self.interrupted else None


def finished(value: object) -> Outcome:
    """Return the outcome of a run that completed with this value."""
    if value.__class__ is int:
        return Outcome(max(0, min(_HIGHEST_STATUS, value)), value)
    if value.__class__ is EnumValue and (value.enum, value.variant) == ("Result", "Err"):
        return Outcome(FAILED, value, message=(display(value.fields[0]) if value.fields else "") or "error")
    return Outcome(FAILED if is_failed_loop(value) else OK, value)


def is_failed_loop(value: object) -> bool:
    """Return whether a value is the result of an agent loop that ended because a model call failed."""
    return isinstance(value, dict) and value.get("status") == PROVIDER_ERROR and "stop_reason" in value
