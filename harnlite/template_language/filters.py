"""The names of the filters, and how many arguments each takes."""

from __future__ import annotations

ARGUMENTS: dict[str, tuple[int, int]] = {
    "upper": (0, 0),
    "lower": (0, 0),
    "trim": (0, 0),
    "capitalize": (0, 0),
    "title": (0, 0),
    "length": (0, 0),
    "first": (0, 0),
    "last": (0, 0),
    "reverse": (0, 0),
    "lines": (0, 0),
    "escape_md": (0, 0),
    "join": (1, 1),
    "default": (1, 1),
    "json": (0, 1),
    "indent": (1, 2),
    "replace": (2, 2),
}
"""The smallest and the largest number of arguments of each filter."""
