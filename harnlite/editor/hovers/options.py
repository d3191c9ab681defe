"""What is written about a builtin, with its options in a list."""

from __future__ import annotations

import re

from harnlite.options.expected import expected_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.options.expected import Expected

_LISTED = 12
"""More options than these are only named: a page of them is for the documentation."""
_TOLD = re.compile(r"\s*\b(?:Options?|Fields|Selector):\s(?:[^.(]|\([^()]*\)|\.(?!\s|\Z))*(?:\.|\Z)")


def with_options(function: str, params: Sequence[str], doc: str) -> str:
    """Return the documentation of a function; what it says about options in a row stands in a list below."""
    prose, mark, errors = doc.partition("Errors: ")
    lists = []
    for index, param in enumerate(params):
        said = expected_at(function, index)
        is_told = _TOLD.search(prose) is not None or f"`{param}`:" in prose
        if 0 < len(said.keys) <= _LISTED and (_TOLD.search(prose) or not is_told):
            prose = _TOLD.sub("", prose)
            lists.append(f"`{param}`:\n\n{_rows(said)}")
        elif not is_told:
            lists.append(f"`{param}`: {', '.join(f'`{key}`' for key in said.keys)}.")
    parts = (prose.strip(), *lists, f"{mark}{errors}".strip())
    return "\n\n".join(part for part in parts if part)


def _rows(said: Expected) -> str:
    return "\n".join(f"- `{key}` ({option.type}): {option.text}" for key, option in said.keys.items())
