"""Snippets for a prompt without placeholders: their text, and the position of the first placeholder."""

from __future__ import annotations

import re

_PLACE = re.compile(r"\$(\d)|\$\{(\d):([^}]*)\}")


class Snippet:
    """A snippet as plain text; its first placeholder ends `after` characters before its end."""

    __slots__ = ("after", "size", "text")

    def __init__(self, body: str, indent: str) -> None:
        parts: list[str] = []
        end = place = size = 0
        for found in _PLACE.finditer(body):
            parts.append(body[end : found.start()])
            end = found.end()
            inner = found[3] or ""
            if (found[1] or found[2]) == "1":
                place, size = len(parts), len(inner)
            parts.append(inner)
        parts.append(body[end:])
        parts = [part.replace("\n", f"\n{indent}") for part in parts]
        self.text = "".join(parts)
        self.after = len("".join(parts[place + 1 :])) if place else 0
        self.size = size
