"""Suggestions in the directives of a template that is a literal: its variables, their keys, and filters."""

from __future__ import annotations

from harnlite.editor.names.filters import FILTERS
from harnlite.editor.suggestions.suggestion import KEY, Kind, Suggestion
from harnlite.template_language.filters import ARGUMENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.analysis.editing.template_places import TemplatePlace


def template_names(place: TemplatePlace) -> Iterator[Suggestion]:
    """Yield what can be written at a place in a directive."""
    if place.is_in_filter:
        for name, meaning in FILTERS.items():
            needs_argument = ARGUMENTS[name][0] > 0
            insert = f"{name}: " if needs_argument else None
            yield Suggestion(name, Kind.Function, KEY, detail="filter", doc=meaning, insert=insert)
        return
    for name, variable in place.known().items():
        if name.isidentifier():
            yield Suggestion(name, Kind.Variable, KEY, detail=variable.type)
