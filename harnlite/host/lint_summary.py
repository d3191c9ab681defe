"""Summaries of findings in numbers."""

from __future__ import annotations

from collections import Counter

from harnlite.diagnostics.render_json import dumps
from harnlite.diagnostics.renderers import JSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic


def statistics(found: Sequence[Diagnostic], style: str) -> str:
    """Return the number of findings for each code, the most frequent first."""
    counted = Counter((one.code or one.severity, one.rule or "") for one in found)
    rows = sorted(counted.items(), key=lambda row: (-row[1], row[0]))
    if style == JSON:
        return dumps([{"code": code, "rule": rule, "count": count} for (code, rule), count in rows])
    width = max((len(str(count)) for _, count in rows), default=0)
    return "".join(f"{count:>{width}}  {code} {rule}".rstrip() + "\n" for (code, rule), count in rows)


def summary(found: Sequence[Diagnostic], applied: int) -> str:
    """Return one line about findings and fixes, or an empty string if there are none."""
    errors = sum(one.is_error for one in found)
    parts = [f"applied {_count(applied, 'fix', 'fixes')}"] if applied else []
    if found:
        kinds = ", ".join(
            _count(number, kind, f"{kind}s")
            for number, kind in ((errors, "error"), (len(found) - errors, "warning"))
            if number
        )
        parts.append(f"found {kinds}")
        safe = sum(any(fix.safe for fix in one.fixes) for one in found)
        if safe:
            parts.append(f"{safe} can be fixed with --fix")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}.\n" if text else ""


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
