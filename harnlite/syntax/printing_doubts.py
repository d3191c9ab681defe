"""The constructs that the grammar allows but the tree builders may report, recognized while they are formatted.

The formatter builds no tree of a text in which none of these occurs. A doubt costs only time: then the text is parsed
to a tree, which decides. So each function here may doubt a valid construct, but never accepts an invalid one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from harnlite.syntax.builder_declarations import DESCRIPTION
from harnlite.syntax.printing_documents import flat_of
from harnlite.syntax.tokens import KEYWORDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.syntax.tokens import Token

_STRING = r'"(?:[^"\\$\n]|\$\{\w+\})*"(?!")'
_INSIDE = rf'(?:[^\[\]":/]|{_STRING}|\[(?:[^\[\]":/]|{_STRING})*\])*'
_TARGET = re.compile(rf"([^\W\d]\w*)(?:\.\w+|\[{_INSIDE}\])*")
_LITERAL = re.compile(r'-?[0-9]+(?:\.[0-9]+)?|"[^"\\$\n]*"|true|false|nil|_')
_NAME = re.compile(r"[^\W\d]\w*")
_OPTIONAL = re.compile(r"\w+(?:: [^=\"/]*)? = ")
_PLAIN_KEY = re.compile(r'[^\W\d]|"[^"\\$]*"|\.\.\.')
_BEFORE_VALUE = ("=", "(", ",", ":", "[", "|", "&", "?", "return")


def doubts(text: str) -> dict[str, Callable[..., bool]]:
    """Return the functions, by the names of callbacks, which get the same arguments as these, for a text."""

    def anonymous_fn(word: Token, *_rest: object) -> bool:
        line = text[text.rfind("\n", 0, word.start) + 1 : word.start]
        return not line.rstrip().endswith(_BEFORE_VALUE)

    return {**_DOUBTS, "anonymous_fn": anonymous_fn}


def _always(*_arguments: object) -> bool:
    return True


def _target(target: Any, *_rest: object) -> bool:  # noqa: ANN401 - a piece
    text = flat_of(target)
    found = _TARGET.fullmatch(text) if text is not None else None
    return found is None or found[1] in KEYWORDS


def _closure(_left: Token, params: Any, *_rest: object) -> bool:  # noqa: ANN401 - pieces and commas
    return any(_parameter(piece) for piece in params[::2]) if params else False


def _parameter(piece: Any) -> bool:  # noqa: ANN401 - a piece
    """Doubt a parameter of a closure that is not just a name."""
    return piece.__class__ is not str or _NAME.fullmatch(piece) is None or piece in KEYWORDS


def _params(*parts: Any) -> bool:  # noqa: ANN401 - pieces and commas
    """Doubt a parameter after an optional one that may be required, and a rest parameter that is not the last."""
    pieces = [part for part in parts[::2] if part is not None]
    has_default = False
    for piece in pieces:
        text = flat_of(piece)
        if text is None:
            return True
        if text.startswith("..."):
            return piece is not pieces[-1]
        if _OPTIONAL.match(text) is not None:
            has_default = True
        elif has_default or "=" in text:
            return True
    return False


def _mark(mark: Token, *_rest: object) -> bool:
    return mark.text not in ("in", "out")


def _pattern(value: Any, *_rest: object) -> bool:  # noqa: ANN401 - a piece
    text = flat_of(value)
    return text is None or "..." in text


def _entry(_key: object, _colon: Token | None, value: Any) -> bool:  # noqa: ANN401 - a piece
    return value is not None and _pattern(value)


def _alternatives(*parts: Any) -> bool:  # noqa: ANN401 - pieces and bars
    return not all(piece.__class__ is str and _LITERAL.fullmatch(piece) for piece in parts[::2])


def _argument(*parts: Any) -> bool:  # noqa: ANN401 - pieces and a colon
    value = parts[-1]
    if value.__class__ is not str:
        return True
    return _LITERAL.fullmatch(value) is None and (_NAME.fullmatch(value) is None or value in KEYWORDS)


def _tool_text(word: Token, _value: object) -> bool:
    return word.text != DESCRIPTION


def _struct(_name: Token, _left: Token, entries: Any, _right: Token) -> bool:  # noqa: ANN401 - pieces and separators
    return not all(_has_plain_key(piece) for piece in entries[::2]) if entries else False


def _has_plain_key(piece: Any) -> bool:  # noqa: ANN401 - a piece
    text = flat_of(piece)
    return text is not None and _PLAIN_KEY.match(text) is not None


_DOUBTS: dict[str, Callable[..., bool]] = {
    "assign_stmt": _target,
    "closure": _closure,
    "params": _params,
    "parallel": lambda *parts: parts[-1] is not None,
    "options": _always,
    "parallel_param": lambda name, *_rest: name.text in KEYWORDS,
    "select_stmt": _always,
    "variant_type_param": _mark,
    "expr_pattern": _pattern,
    "pattern_entry": _entry,
    "or_pattern": _alternatives,
    "attribute_value": _argument,
    "attribute_entry": _argument,
    "tool_text": _tool_text,
    "struct": _struct,
}
