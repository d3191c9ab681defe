"""The exceptions that are reported to the user."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic


class LanguageError(Exception):
    """A program cannot be compiled. `diagnostics` contains all findings."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)


class InternalError(Exception):
    """A bug in harnlite."""
