"""What to do about a value of the wrong type, where that is obvious."""

from __future__ import annotations

from harnlite.analysis.types.annotations import expand
from harnlite.analysis.types.assignability import fits, without_nil
from harnlite.analysis.types.representation import BOOL, DURATION, FLOAT, INT, NEVER, STRING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.types.representation import Type

_MAY_BE_NIL = "it may be nil: ask first (`if x != nil { … }`), or say what stands for nil (`x ?? …`)"
_PRINTABLE = (INT, FLOAT, BOOL, DURATION)


def mend(expected: Type | None, actual: Type | None) -> list[str]:
    """Return how a value of one type can be made to stand where another is wanted, or nothing."""
    rest = without_nil(actual)
    if rest is not actual and rest is not NEVER and fits(expected, rest):
        return [_MAY_BE_NIL]
    wanted, given = expand(expected), expand(actual)
    if wanted is STRING and given in _PRINTABLE:
        return ["make it text with to_string(value)"]
    if wanted is INT and given in (FLOAT, STRING):
        return ["make it an int with to_int(value)"]
    return ["make it a float with to_float(value)"] if wanted is FLOAT and given is STRING else []
