"""Find the options and strings that are expected at a cursor, from the brackets around it."""

from __future__ import annotations

from harnlite.options.expected import ANYTHING, REMINDER, expected_at, expected_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.editing.completion_places import Frame
    from harnlite.options.expected import Expected


def expected(frames: Sequence[Frame]) -> Expected:
    """Return the value expected at the current position in the innermost bracket."""
    frame = frames[-1]
    if frame.sign == "(":
        return expected_at(frame.callee, frame.index)
    if frame.sign == "[":
        return expected(frames[:-1]).items or ANYTHING
    if frame.is_dict:
        found = expected_keys(frames).keys.get(frame.key)
        return found or (REMINDER if frame.key == "reminder" else ANYTHING)
    return ANYTHING


def expected_keys(frames: Sequence[Frame]) -> Expected:
    """Return the options that are allowed in the dict that is the innermost bracket."""
    if len(frames) == 1:
        return ANYTHING
    found = expected(frames[:-1])
    if not found.keys and frames[-2].key == "reminder":
        return REMINDER
    return found if found.keys else _given_back(frames)


def _given_back(frames: Sequence[Frame]) -> Expected:
    """Return the keys of a dict that a closure returns, alone or in a list, to the builtin that calls it."""
    outermost = frames[-2] if frames[-2].sign == "[" else frames[-1]
    index = next((index for index in range(len(frames) - 2, 0, -1) if frames[index].arrow), 0)
    if outermost.before not in {"return", "->"} or not index:
        return ANYTHING
    around = frames[index - 1]
    if around.sign == "(":
        return expected_result(around.callee, "")
    return expected_result(frames[index - 2].callee, around.key) if index > 1 else ANYTHING
