"""HARN-LNT-017: a dict or struct contains the same key twice."""

from __future__ import annotations

from harnlite.analysis.linting.context.fix_edits import item_removal
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import Fix, Label
from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting.context.linted_file import Linting

_PLAIN = (nodes.LiteralExpr, nodes.NameExpr, nodes.ClosureExpr)


def _dict(linting: Linting, node: nodes.DictExpr | nodes.StructExpr) -> None:
    """Report repeated keys; the last entry with a key replaces the earlier ones."""
    seen: dict[str, int] = {}
    for index, entry in enumerate(node.entries):
        if not isinstance(entry, nodes.DictEntry) or not isinstance(entry.key, nodes.LiteralExpr):
            continue
        if entry.key.kind != "string":
            continue
        key = str(entry.key.value)
        if key in seen:
            _report(linting, node.entries, seen[key], entry)
        seen[key] = index


def _report(linting: Linting, entries: Sequence[nodes.Node], first: int, entry: nodes.DictEntry) -> None:
    lost = entries[first]
    value = lost.value if isinstance(lost, nodes.DictEntry) else None
    fixes = [Fix("remove the first entry", [item_removal(entries, first)])] if isinstance(value, _PLAIN) else []
    label = Label(Span(lost.start, lost.end), "this entry is replaced")
    text = linting.text(entry.key).strip('"')
    linting.report(RULE, entry.key, f"the key `{text}` appears twice", labels=[label], fixes=fixes)


RULE = Rule(
    "HARN-LNT-017",
    "duplicate-key",
    "a dict or struct contains the same key twice",
    visits={nodes.DictExpr: _dict, nodes.StructExpr: _dict},
)
