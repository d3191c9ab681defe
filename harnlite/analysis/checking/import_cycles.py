"""Find imports that form a cycle."""

from __future__ import annotations

import os

from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.checking.checker import Checker
    from harnlite.analysis.files.imports import ImportResolver


def check_cycles(c: Checker, statements: Sequence[nodes.Stmt], resolve: ImportResolver) -> None:
    """Warn about imports that lead to a cycle, whether or not this file is part of it."""
    start = c.source.path
    if start is None:
        return
    folder = os.path.dirname(start)
    done: set[str] = set()
    for statement in statements:
        if isinstance(statement, nodes.ImportDecl):
            cycle = _cycle([start], statement, resolve, done)
            if cycle is not None:
                names = " -> ".join(os.path.relpath(path, folder) for path in cycle)
                c.warning(f"import cycle: {names}", statement.path_start, statement.end)


def _cycle(way: list[str], node: nodes.ImportDecl, resolve: ImportResolver, done: set[str]) -> list[str] | None:
    """Return the files of the first cycle that an import leads to; `done` holds files that lead to no cycle."""
    target = resolve(way[-1], node.path)
    if target is None or target.source.path is None:
        return None
    path = target.source.path
    if path in way:
        return [*way[way.index(path) :], path]
    if path in done:
        return None
    done.add(path)
    for statement in target.module.statements:
        if isinstance(statement, nodes.ImportDecl):
            cycle = _cycle([*way, path], statement, resolve, done)
            if cycle is not None:
                return cycle
    return None
