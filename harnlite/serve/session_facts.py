"""The title and the `_meta` of a session: how changes are merged into what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

LONGEST_TITLE, LONGEST_AUTOMATIC_TITLE = 500, 80
OWN_KEY = "harn"


def automatic_title(text: str) -> str | None:
    """Return the title for the first prompt of a session: its first line, with spaces collapsed."""
    lines = text.strip().splitlines()
    title = " ".join(lines[0].split()) if lines else ""
    if len(title) > LONGEST_AUTOMATIC_TITLE:
        title = title[: LONGEST_AUTOMATIC_TITLE - 1] + "…"
    return title or None


def changed_facts(
    given: dict[str, Any], title: str | None, meta: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the part of an update that changes anything, and the changed fields of the stored row."""
    changes: dict[str, Any] = {}
    stored: dict[str, Any] = {}
    if "title" in given:
        new = given["title"]
        new = new[:LONGEST_TITLE] if isinstance(new, str) else None
        if (new is not None or given["title"] is None) and new != title:
            changes["title"] = stored["title"] = new
    if "_meta" in given:
        change = given["_meta"]
        if isinstance(change, dict):
            change = {key: value for key, value in change.items() if key != OWN_KEY}
            merged = merged_meta(meta, change)
            if not is_same_json(merged, meta):
                changes["_meta"], stored["meta"] = change, merged
        elif change is None and meta:
            changes["_meta"], stored["meta"] = None, {}
    return changes, stored


def is_same_json(one: object, other: object) -> bool:
    """Return whether two JSON values are the same; unlike in Python, `true` and `1` are not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same_json, one, other))
    return one.__class__ is other.__class__ and one == other


def merged_meta(stored: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """Merge a change into an object: objects merge, null removes a key, all else replaces."""
    merged = dict(stored)
    for key, value in change.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            known = merged.get(key)
            merged[key] = merged_meta(known if isinstance(known, dict) else {}, value)
        else:
            merged[key] = value
    return merged
