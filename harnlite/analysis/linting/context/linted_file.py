"""The linted file: the data that the rules read, and the findings that they report."""

from __future__ import annotations

from harnlite.analysis.linting.context.configuration import DEFAULTS
from harnlite.analysis.linting.context.constant_values import literal_of
from harnlite.analysis.names.resolver import resolve
from harnlite.diagnostics.diagnostic import Diagnostic
from harnlite.diagnostics.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from harnlite.analysis.builtins.declarations import Declarations
    from harnlite.analysis.files.imports import ImportResolver
    from harnlite.analysis.linting.context.configuration import LintConfig
    from harnlite.analysis.linting.context.constant_values import Known, Unknown
    from harnlite.analysis.linting.context.rule import Rule
    from harnlite.analysis.names.scopes import Resolution
    from harnlite.diagnostics.diagnostic import Fix, Label
    from harnlite.diagnostics.source import Source
    from harnlite.syntax import nodes
    from harnlite.syntax.nodes import Node

    T = TypeVar("T")


class Linting:
    """One run of the linter over one file: the data that the rules read, and the findings that they report.

    `checks` are the findings of the static checker, whether they are selected or not.
    """

    __slots__ = (
        "_all_nodes",
        "_notes",
        "_parents",
        "_resolution",
        "checks",
        "config",
        "declarations",
        "found",
        "imports",
        "module",
        "partial",
        "source",
    )

    def __init__(
        self,
        source: Source,
        module: nodes.Module,
        *,
        declarations: Declarations,
        config: LintConfig = DEFAULTS,
        imports: ImportResolver | None = None,
        partial: bool = False,
        checks: Sequence[Diagnostic] = (),
    ) -> None:
        self.source = source
        self.module = module
        self.declarations = declarations
        self.config = config
        self.imports = imports
        self.partial = partial
        self.checks = checks
        self.found: list[Diagnostic] = []
        self._all_nodes: list[Node] = []
        self._parents: dict[Node, Node] = {}
        self._resolution: Resolution | None = None
        self._notes: dict[object, object] = {}

    @property
    def resolution(self) -> Resolution:
        """Return the resolved names of the file."""
        if self._resolution is None:
            self._resolution = resolve(self.module, self.source.text)
        return self._resolution

    def release(self) -> None:
        """Break the cycles of the resolved names after the last rule has run."""
        if self._resolution is not None:
            self._resolution.release()

    @property
    def all_nodes(self) -> Sequence[Node]:
        """Return every node of the file, parents first, children in the order of their fields."""
        if not self._all_nodes:
            self._survey()
        return self._all_nodes

    @property
    def parents(self) -> Mapping[Node, Node]:
        """Return the node directly above each node."""
        if not self._all_nodes:
            self._survey()
        return self._parents

    def _survey(self) -> None:
        """Walk over the file once to fill `all_nodes` and `parents`."""
        seen, parents = self._all_nodes, self._parents
        pending: list[Node] = [self.module]
        while pending:
            node = pending.pop()
            seen.append(node)
            if node.branches:
                below = node.children()
                for child in below:
                    parents[child] = node
                below.reverse()
                pending += below

    def text(self, where: Node | Span) -> str:
        """Return the text of a node or span."""
        return self.source.text[where.start : where.end]

    def literal(self, node: nodes.Expr) -> Known | Unknown:
        """Return the constant value of an expression, or UNKNOWN."""
        return literal_of(self, node)

    def note(self, key: object, make: Callable[[], T]) -> T:
        """Return the value stored under a key for this run; create it on first use."""
        try:
            return self._notes[key]  # type: ignore[return-value]  # each key has the type of its `make`
        except KeyError:
            found = self._notes[key] = make()
            return found

    def report(
        self,
        rule: Rule,
        where: Node | Span,
        message: str,
        *,
        severity: str | None = None,
        help: Sequence[str] = (),  # noqa: A002 - the word used in reports
        labels: Sequence[Label] = (),
        fixes: Sequence[Fix] = (),
        tags: Sequence[str] = (),
    ) -> None:
        """Report a finding of a rule at a node or span."""
        self.found.append(
            Diagnostic(
                severity or rule.severity,
                message,
                self.source,
                Span(where.start, where.end),
                code=rule.code,
                rule=rule.name,
                help=help,
                labels=labels,
                fixes=fixes,
                tags=tags,
            )
        )
