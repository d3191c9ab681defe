"""The documentation of a function, with its options as a list."""

from __future__ import annotations

import re

from harnlite.options.expected import expected_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.options.expected import Expected

_LISTED = 12
"""The longest list of options to describe; of a longer one, only the names are shown."""
_OPTION_SENTENCE = re.compile(r"\s*\b(?:Options?|Fields|Selector):\s(?:[^.(]|\([^()]*\)|\.(?!\s|\Z))*(?:\.|\Z)")


def with_options(function: str, params: Sequence[str], doc: str) -> str:
    """Return the documentation of a function; a sentence that enumerates options is replaced by a list of them."""
    prose, mark, errors = doc.partition("Errors: ")
    lists = []
    for index, param in enumerate(params):
        accepted = expected_at(function, index)
        is_documented = _OPTION_SENTENCE.search(prose) is not None or f"`{param}`:" in prose
        if 0 < len(accepted.keys) <= _LISTED and (_OPTION_SENTENCE.search(prose) or not is_documented):
            prose = _OPTION_SENTENCE.sub("", prose)
            lists.append(f"`{param}`:\n\n{_rows(accepted)}")
        elif not is_documented:
            lists.append(f"`{param}`: {', '.join(f'`{key}`' for key in accepted.keys)}.")
    parts = (prose.strip(), *lists, f"{mark}{errors}".strip())
    return "\n\n".join(part for part in parts if part)


def _rows(accepted: Expected) -> str:
    return "\n".join(f"- `{key}` ({option.type}): {option.text}" for key, option in accepted.keys.items())
