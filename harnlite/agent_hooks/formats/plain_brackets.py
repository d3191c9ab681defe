"""Texts for agents that turn angle brackets into entities before the model reads them."""

from __future__ import annotations

_SIGNS = (
    ("<=>", "⇔"),
    ("<=", "≤"),
    (">=", "≥"),
    ("->", "→"),
    ("=>", "⇒"),
    ("<-", "←"),
    ("<", "\u2039"),
    (">", "\u203a"),
)
"""The last two are single angle quotation marks."""


def without_brackets(text: str) -> str:
    """Return the text with signs that look like angle brackets and mean the same: arrows, comparisons, quotes."""
    if "<" in text or ">" in text:
        for sign, replacement in _SIGNS:
            text = text.replace(sign, replacement)
    return text
