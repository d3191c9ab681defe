"""Fixes that import a name from the std module that exports it."""

from __future__ import annotations

import re

from harnlite.analysis.files.std_names import std_homes
from harnlite.analysis.linting.context.fix_edits import insertion
from harnlite.diagnostics.diagnostic import Fix
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnlite.diagnostics.diagnostic import Diagnostic, Edit
    from harnlite.diagnostics.source import Source

_TARGET = r"call target `(\w+)` is not defined or imported$"
_HEAD = r"\ufeff?(?:#![^\n]*\n)?"


def import_fixes(source: Source, module: nodes.Module, name: str) -> list[Fix]:
    """Return a fix for each std module that exports a name; it is safe if there is only one."""
    homes = std_homes(name)
    return [
        Fix(f'import `{name}` from "{path}"', [_import(source.text, module, path, name)], safe=len(homes) == 1)
        for path in homes
    ]


def add_import_fixes(source: Source, module: nodes.Module, checks: Iterable[Diagnostic]) -> None:
    """Add fixes to the findings of the checker about functions that a std module exports."""
    for found in checks:
        target = re.match(_TARGET, found.message)
        if target is not None:
            found.fixes = tuple(import_fixes(source, module, target[1]))


def _import(text: str, module: nodes.Module, path: str, name: str) -> Edit:
    imports = [node for node in module.statements if isinstance(node, nodes.ImportDecl)]
    for node in imports:
        if node.path == path and node.names and not node.is_pub:
            return insertion(node.names[-1].end, f", {name}")
    written = f'import {{ {name} }} from "{path}"\n'
    if imports:
        return insertion(imports[0].start, written)
    head = re.match(_HEAD, text)
    return insertion(0 if head is None else head.end(), written if text[:1] == "\n" else f"{written}\n")
