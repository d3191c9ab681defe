"""Patterns for files, as in `.gitignore`."""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@lru_cache(maxsize=256)
def compiled(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    """Return patterns in the form that can be asked."""
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)


def verdict(patterns: tuple[str, ...], path: str) -> bool | None:
    """Say whether patterns mean a path (folders end in a slash), or nothing if they say nothing about it."""
    return None if path.startswith("../") else compiled(patterns).check_file(path).include


def fits(patterns: tuple[str, ...], path: str) -> bool:
    """Say whether patterns mean a path, relative to where they are written."""
    return bool(verdict(patterns, path))
