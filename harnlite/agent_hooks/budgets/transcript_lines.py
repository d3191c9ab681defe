"""The lines of transcripts as objects."""

from __future__ import annotations

from harnlite.agent_hooks.calls.json_text import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def objects_of(lines: Iterator[bytes], signs: tuple[bytes, ...]) -> Iterator[dict[str, object]]:
    """Yield the objects of the lines that contain one of the signs; torn and damaged lines are passed over."""
    for line in lines:
        if any(sign in line for sign in signs):
            try:
                value = parsed(line.decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value
