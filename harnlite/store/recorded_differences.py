"""The differences between a recorded request and the present one, as lines for a person."""

from __future__ import annotations

from itertools import takewhile

from harnlite.formats.json.writing import data_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_AROUND = 40
"""How many characters are shown before and after the place where two texts begin to differ."""
_LONGEST = 120
_ABSENT = object()


def differences(recorded: object, now: object) -> list[str]:
    """Return two lines for each place in which two JSON values differ, under the path of the place."""
    return [
        f"  {path or 'the request'}\n    recorded: {before}\n    now:      {after}"
        for path, before, after in _walk("", recorded, now)
    ]


def _walk(path: str, recorded: object, now: object) -> Iterator[tuple[str, str, str]]:
    if isinstance(recorded, dict) and isinstance(now, dict):
        for key in [*recorded, *(key for key in now if key not in recorded)]:
            below = f"{path}.{key}" if path else str(key)
            yield from _walk(below, recorded.get(key, _ABSENT), now.get(key, _ABSENT))
    elif isinstance(recorded, list) and isinstance(now, list):
        for index in range(max(len(recorded), len(now))):
            before = recorded[index] if index < len(recorded) else _ABSENT
            after = now[index] if index < len(now) else _ABSENT
            yield from _walk(f"{path}[{index}]", before, after)
    elif (
        recorded is _ABSENT or now is _ABSENT or recorded != now or isinstance(recorded, bool) != isinstance(now, bool)
    ):
        yield path, *_shown(recorded, now)


def _shown(recorded: object, now: object) -> tuple[str, str]:
    if isinstance(recorded, str) and isinstance(now, str):
        equal = sum(1 for _ in takewhile(lambda signs: signs[0] == signs[1], zip(recorded, now, strict=False)))
        start = max(0, equal - _AROUND)
        return _excerpt(recorded, start), _excerpt(now, start)
    return _text(recorded), _text(now)


def _excerpt(text: str, start: int) -> str:
    end = start + _LONGEST
    return ("…" if start else "") + data_text(text[start:end]) + ("…" if end < len(text) else "")


def _text(value: object) -> str:
    if value is _ABSENT:
        return "(nothing)"
    text = data_text(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
