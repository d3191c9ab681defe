"""Diagnostics: messages about places in a source."""

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


class Edit:
    """A span of the source and its replacement."""

    __slots__ = ("span", "text")

    def __init__(self, span: Span, text: str) -> None:
        self.span = span
        self.text = text


class Fix:
    """A change that fixes the cause of a diagnostic. A safe fix preserves the meaning of the program."""

    __slots__ = ("edits", "message", "safe")

    def __init__(self, message: str, edits: Sequence[Edit], *, safe: bool = False) -> None:
        self.message = message
        self.edits = tuple(edits)
        self.safe = safe


class Diagnostic:
    """A severity, a message and a place, with help texts and fixes.

    `rule` is the name of the lint rule; `tags` are hints for editors, `unnecessary` or `deprecated`.
    """

    __slots__ = ("code", "fixes", "help", "labels", "message", "rule", "severity", "source", "span", "tags")

    def __init__(  # noqa: PLR0913 - all details are keyword arguments
        self,
        severity: str,
        message: str,
        source: Source,
        span: Span,
        *,
        code: str | None = None,
        labels: Sequence[Label] = (),
        help: Sequence[str] = (),  # noqa: A002 - the word in the report
        rule: str | None = None,
        fixes: Sequence[Fix] = (),
        tags: Sequence[str] = (),
    ) -> None:
        self.severity = severity
        self.message = message
        self.source = source
        self.span = span
        self.code = code
        self.labels = tuple(labels)
        self.help = tuple(help)
        self.rule = rule
        self.fixes = tuple(fixes)
        self.tags = tuple(tags)

    @property
    def is_error(self) -> bool:
        """Return whether the severity is `error`."""
        return self.severity == ERROR

    def __repr__(self) -> str:
        return f"<{self.severity} {self.source.name}:{self.source.position(self.span.start)} {self.message}>"
