"""The sizes of context windows that follow from the name of a model."""

from __future__ import annotations

_CLAUDE = ("claude", "opus", "sonnet", "haiku")
_USUAL, _LONG = 200_000, 1_000_000
GEMINI_WINDOW = 1_048_576


def claude_window(model: str, used: int = 0) -> int:
    """Return the window of a Claude model, or 0 for another model; a use beyond the usual window proves a long one."""
    model = model.lower()
    if model and not any(name in model for name in _CLAUDE):
        return 0
    return _LONG if used > _USUAL or "[1m]" in model else _USUAL


def gemini_window(model: str) -> int:
    """Return the window of a Gemini model, or 0 for another model."""
    return GEMINI_WINDOW if not model or "gemini" in model.lower() else 0
