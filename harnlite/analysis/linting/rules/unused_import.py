"""HARN-LNT-002: a name is imported but not used."""

from __future__ import annotations

from harnlite.analysis.linting.context.fix_edits import item_removal, statement_removal
from harnlite.analysis.linting.context.rule import Rule
from harnlite.analysis.linting.context.variable_reads import uses_of
from harnlite.analysis.linting.rules.undefined_name import missing_imports
from harnlite.diagnostics.diagnostic import Edit, Fix
from harnlite.diagnostics.source import Span
from harnlite.resources import STD
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting.context.linted_file import Linting


def _type_names(linting: Linting) -> set[str]:
    """Return the names in the type annotations of this file, collected during the walk."""
    return linting.note("names of types", set)


def _type(linting: Linting, node: nodes.NamedType) -> None:
    _type_names(linting).add(node.name)


def _import(linting: Linting, node: nodes.ImportDecl) -> None:
    linting.note("imports", list[nodes.ImportDecl]).append(node)


def _finish(linting: Linting) -> None:
    for node in linting.note("imports", list[nodes.ImportDecl]):
        if node.names is not None and not node.is_pub:
            _judge(linting, node, node.names)


def _judge(linting: Linting, node: nodes.ImportDecl, names: Sequence[nodes.Ident]) -> None:
    unused = [index for index, name in enumerate(names) if _is_unused(linting, name)]
    for position, index in enumerate(unused):
        name = names[index]
        if len(unused) == len(names):
            fixes = [_whole(linting, node)] if not position else []
        else:
            fixes = [Fix(f"remove `{name.text}`", [_one(names, unused, index)], safe=True)]
        linting.report(
            RULE, name, f"`{name.text}` is imported but not used", fixes=fixes, tags=("unnecessary",)
        )  # fmt: skip


def _is_unused(linting: Linting, name: nodes.Ident) -> bool:
    binding = linting.resolution.bindings.get(name)
    if binding is None or binding.kind != "import" or name.text in _type_names(linting):
        return False
    if name in missing_imports(linting):
        return False
    return not uses_of(linting).is_read(binding)


def _one(names: Sequence[nodes.Ident], unused: Sequence[int], index: int) -> Edit:
    """Return the edit that removes one of several names, with the comma next to a name that stays."""
    if any(later not in unused for later in range(index + 1, len(names))):
        return item_removal(names, index)
    return Edit(Span(names[index - 1].end, names[index].end), "")


def _whole(linting: Linting, node: nodes.ImportDecl) -> Fix:
    """Return the fix that removes an import; it is safe only for std modules, which have no effects when loaded."""
    edits = [statement_removal(linting.source, node)]
    return Fix("remove the import", edits, safe=node.path.startswith(STD))


RULE = Rule(
    "HARN-LNT-002",
    "unused-import",
    "a name is imported but not used",
    visits={nodes.NamedType: _type, nodes.ImportDecl: _import},
    finish=_finish,
)
