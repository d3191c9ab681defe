"""One thing said about one place in a source."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.diagnostics.source import Source, Span

ERROR = "error"
WARNING = "warning"


class Label:
    """A second place that explains a diagnostic."""

    __slots__ = ("message", "source", "span")

    def __init__(self, span: Span, message: str, source: Source | None = None) -> None:
        self.span = span
        self.message = message
        self.source = source


class Diagnostic:
    """A severity, a message, a place, and what to do about it."""

    __slots__ = ("code", "help", "labels", "message", "severity", "source", "span")

    def __init__(
        self,
        severity: str,
        message: str,
        source: Source,
        span: Span,
        *,
        code: str | None = None,
        labels: Sequence[Label] = (),
        help: Sequence[str] = (),  # noqa: A002 - the word people read in the report
    ) -> None:
        self.severity = severity
        self.message = message
        self.source = source
        self.span = span
        self.code = code
        self.labels = tuple(labels)
        self.help = tuple(help)

    @property
    def is_error(self) -> bool:
        """Say whether this ends a run."""
        return self.severity == ERROR

    def __repr__(self) -> str:
        return f"<{self.severity} {self.source.name}:{self.source.position(self.span.start)} {self.message}>"
