"""Resolve one name of a file: only the statements that mention it are visited."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from operator import attrgetter

from harnlite.analysis.names.resolver import Resolver
from harnlite.analysis.names.scopes import has_const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.names.scopes import Resolution
    from harnlite.syntax import nodes

_START = attrgetter("start")


class _OneNameResolver(Resolver):
    """A walk over the statements of a file that contain a word, since no other can bind, read or assign that name."""

    def __init__(self, module: nodes.Module, text: str, name: str, only: nodes.Stmt) -> None:
        super().__init__(module, let_is_mutable=has_const(module, text), only=only)
        self.places = [found.start() for found in re.finditer(rf"{re.escape(name)}\b", text)]

    def statements(self, statements: Sequence[nodes.Stmt]) -> None:
        """Visit the statements that contain the word."""
        if not statements:
            return
        first = bisect_left(self.places, statements[0].start)
        last = bisect_right(self.places, statements[-1].end, first)
        indices = dict.fromkeys(bisect_right(statements, place, key=_START) - 1 for place in self.places[first:last])
        super().statements([statements[index] for index in indices])


def resolve_one(module: nodes.Module, text: str, name: str, only: nodes.Stmt) -> Resolution:
    """Return the bindings of one name in a top-level statement; those of other names may be missing."""
    return _OneNameResolver(module, text, name, only).run(module)
