"""Ids and names that become a part of a path. They come from scripts, models and files, and may try to escape."""

from __future__ import annotations

import os

_SEPARATORS = frozenset("/\\\0")


def is_path_part(value: object) -> bool:
    """Return whether a value is the name of one file or folder: joined to a folder, it stays inside it."""
    if not isinstance(value, str) or value in {"", ".", ".."} or not _SEPARATORS.isdisjoint(value):
        return False
    return not os.path.splitdrive(value)[0] and value == _without_surrogates(value)


def path_parts(path: str) -> list[str] | None:
    """Return the components of a relative path, or None if one of them is not the name of a file or folder."""
    if os.path.isabs(path):
        return None
    parts = [part for part in path.split("/") if part not in {"", "."}]
    return parts if all(map(is_path_part, parts)) else None


def as_path_part(text: str, ending: str) -> str:
    """Return a text with an ending as the name of one file: `_` stands for what a name cannot contain."""
    name = "".join("_" if char in _SEPARATORS else char for char in _without_surrogates(text)) + ending
    return name if is_path_part(name) else name.replace(":", "_")


def _without_surrogates(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
