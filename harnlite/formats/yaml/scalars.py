"""The types of plain YAML scalars, as defined by the core schema of YAML 1.2."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

NULL: Final = re.compile(r"(?:~|null|Null|NULL|)\Z")
BOOL: Final = re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z")
INT: Final = re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z")
FLOAT: Final = re.compile(
    r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
)
_BASES = {"0o": 8, "0x": 16}
_LONGEST = 255
_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1


def is_string(text: str) -> bool:
    """Return whether a plain scalar is a string."""
    return not any(kind.match(text) for kind in (NULL, BOOL, INT, FLOAT))


def int_of(text: str) -> int | float:
    """Return the int of a scalar, or a float if the int does not fit in 64 bits."""
    base = _BASES.get(text[:2], 10)
    digits = text[2:] if base != 10 else text  # noqa: PLR2004 - decimal
    sign, digits = digits[:1].strip("0123456789abcdefABCDEF"), digits.lstrip("+-").lstrip("0") or "0"
    if len(digits) > _LONGEST:
        return float(sign + (digits if base == 10 else "inf"))  # noqa: PLR2004 - decimal
    value = int(sign + digits, base)
    return value if _MIN_INT <= value <= _MAX_INT else float(value)


def float_of(text: str) -> float:
    """Return the float of a scalar."""
    return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
