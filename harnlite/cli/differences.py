"""Unified diffs in colour."""

from __future__ import annotations

_COLORS = {"+": "32", "-": "31", "@": "36"}


def painted(difference: str) -> str:
    """Return a unified diff with the escape codes of colours."""
    lines = difference.splitlines()
    return "".join(f"\x1b[{_COLORS[line[0]]}m{line}\x1b[0m\n" if line[:1] in _COLORS else f"{line}\n" for line in lines)
