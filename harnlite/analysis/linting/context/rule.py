"""What a lint rule is: a code, what it says in general, and the nodes it wants to see."""

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
    """One rule: which nodes it looks at while the tree is walked, and what it says at the end.

    `default` says whether it is on unless somebody asks; `tolerant` whether it can judge a file that does not parse.
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
