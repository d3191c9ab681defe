"""The class of lint rules: a code, a summary, and visitors for the nodes that the rule inspects."""

from __future__ import annotations

from harnlite.diagnostics.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from harnlite.analysis.linting.context.linted_file import Linting
    from harnlite.syntax.nodes import Node

    Visit: TypeAlias = Callable[[Linting, Any], None]


class Rule:
    """One rule: the visitors that are called during the walk, and the function that is called at the end.

    `default` is true if the rule is on without configuration; `tolerant` if it can run on a file with syntax errors.
    """

    __slots__ = ("code", "default", "finish", "name", "severity", "summary", "tolerant", "visits")

    def __init__(
        self,
        code: str,
        name: str,
        summary: str,
        *,
        severity: str = WARNING,
        visits: Mapping[type[Node], Visit] | None = None,
        finish: Callable[[Linting], None] | None = None,
        default: bool = True,
        tolerant: bool = False,
    ) -> None:
        self.code = code
        self.name = name
        self.summary = summary
        self.severity = severity
        self.visits = visits or {}
        self.finish = finish
        self.default = default
        self.tolerant = tolerant

    def __repr__(self) -> str:
        return f"<{self.code} {self.name}>"
