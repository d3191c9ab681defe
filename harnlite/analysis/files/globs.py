"""File patterns with the syntax of `.gitignore`."""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@lru_cache(maxsize=256)
def compiled(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    """Return the compiled form of patterns."""
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)


def verdict(patterns: tuple[str, ...], path: str) -> bool | None:
    """Return whether patterns include or negate a path (folders end in a slash), or None if none of them matches."""
    return None if path.startswith("../") else compiled(patterns).check_file(path).include


def fits(patterns: tuple[str, ...], path: str) -> bool:
    """Return whether patterns match a path, which is relative to the folder of the patterns."""
    return bool(verdict(patterns, path))
