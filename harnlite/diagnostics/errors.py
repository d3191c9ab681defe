"""The failures that are meant for a person."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic


class LanguageError(Exception):
    """A program that cannot be compiled, with every finding that says why."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)


class InternalError(Exception):
    """A fault of harnlite itself."""
