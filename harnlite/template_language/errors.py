"""The error of a template, with its position."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Place: TypeAlias = tuple[int, int]
    """The line and the column of the `{{` of a directive, both counted from 1, in characters."""


class TemplateError(Exception):
    """An error in a template, found by the parser or while rendering. The name of the file is not known here."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.place = place
        self.message = message
