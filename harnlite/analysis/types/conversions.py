"""Advice on how to convert a value of the wrong type, where the conversion is obvious."""

from __future__ import annotations

from harnlite.analysis.types.annotations import expand
from harnlite.analysis.types.assignability import fits, without_nil
from harnlite.analysis.types.representation import BOOL, DURATION, FLOAT, INT, NEVER, STRING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.types.representation import Type

_MAY_BE_NIL = "it may be nil: check first (`if x != nil { … }`), or give a default (`x ?? …`)"
_PRINTABLE = (INT, FLOAT, BOOL, DURATION)


def suggested_conversion(expected: Type | None, actual: Type | None) -> list[str]:
    """Return help lines about the conversion of a value to the expected type, if there is an obvious one."""
    rest = without_nil(actual)
    if rest is not actual and rest is not NEVER and fits(expected, rest):
        return [_MAY_BE_NIL]
    wanted, given = expand(expected), expand(actual)
    if wanted is STRING and given in _PRINTABLE:
        return ["convert it with to_string(value)"]
    if wanted is INT and given in (FLOAT, STRING):
        return ["convert it with to_int(value)"]
    return ["convert it with to_float(value)"] if wanted is FLOAT and given is STRING else []
