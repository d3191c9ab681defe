"""The depth of JSON texts, found without reading their values."""

from __future__ import annotations

import itertools
import re

from harnlite.values.interrupts import BUILTINS, poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

MAX_DEPTH: Final = 128
STORED_DEPTH: Final = 512
_BLOCK: Final = 65_536
_NOT_MARKS: Final = bytes(set(range(256)) - set(b'"[]{},'))
_STRINGS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NOT_STRUCTURE: Final = bytes(set(range(256)) - set(b'"[]{}'))
_ESCAPED_QUOTE: Final = re.compile(rb'\\"')
_QUOTES: Final = tuple(b'"' * count for count in (64, 16, 4, 2))
_LISTS: Final = b"[]" * 8
_CHAIN_DEPTH: Final = 8
_CHAIN: Final = b"[" * _CHAIN_DEPTH + b"]" * _CHAIN_DEPTH
_SQUARE: Final = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_STEPS: Final = bytes(1 if byte in b"[{" else 255 if byte in b"]}" else 0 for byte in range(256))


def marks_of(data: bytes) -> bytes:
    """Return the quotes, brackets and commas of a text."""
    return data.translate(None, _NOT_MARKS)


def is_shallow(data: bytes, marks: bytes) -> bool:
    """Return whether the brackets outside strings, of whatever kind, are balanced and within the limit of the depth.

    The second argument is what `marks_of` returns.
    """
    if b"\\" in data and _ESCAPED_QUOTE.search(data):
        plain = data.replace(b"\\\\", b"").replace(b'\\"', b"")
        brackets = plain.translate(None, _NOT_STRUCTURE)
    else:
        brackets = marks.translate(None, b",")
    for quotes in _QUOTES:
        brackets = brackets.replace(quotes, b"")
    if b'"' in brackets:
        brackets = _STRINGS.sub(_nothing, data).translate(None, _NO_BRACKETS)
    brackets = brackets.translate(_SQUARE)
    return _are_nested(*_without_chains(brackets)) or _are_nested(brackets, MAX_DEPTH - 1)


def _without_chains(brackets: bytes) -> tuple[bytes, int]:
    """Remove chains of brackets; return the rest, and the depth that it may have."""
    depth = MAX_DEPTH - 1
    for _ in range(depth // _CHAIN_DEPTH):
        shorter = brackets.replace(_CHAIN, b"")
        if len(shorter) * 8 > len(brackets) * 7:
            break
        brackets, depth = shorter, depth - _CHAIN_DEPTH
    return brackets, depth


def _are_nested(brackets: bytes, depth: int) -> bool:
    """Return whether brackets are balanced and at most so deep."""
    for _ in range(depth):
        if BUILTINS["_hintr"]:
            poll_here()
        size = len(brackets)
        brackets = brackets.replace(_LISTS, b"").replace(b"[]", b"")
        if not brackets:
            return True
        if len(brackets) == size:
            break
    return not brackets


def _nothing(_string: re.Match[bytes]) -> bytes:
    if BUILTINS["_hintr"]:
        poll_here()
    return b""


def depth_of(data: bytes) -> int:
    """Estimate the depth from the brackets, including those in strings, before any recursion."""
    brackets = memoryview(data.translate(_STEPS, _NO_BRACKETS)).cast("b")
    depth = deepest = 0
    for start in range(0, len(brackets), _BLOCK):
        poll_here()
        depths = [*itertools.accumulate(brackets[start : start + _BLOCK], initial=depth), deepest]
        deepest = max(depths)
        if deepest > STORED_DEPTH:
            break
        depth = depths[-2]
    return deepest
