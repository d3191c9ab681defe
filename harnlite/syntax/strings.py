"""The values of string literals: escapes, and the layout of triple-quoted strings."""

from __future__ import annotations

import re

from harnlite.syntax.tokens import Interpolation, Piece

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", '"': '"', "$": "$"}
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|(.))", re.DOTALL)
_LAST_SCALAR = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


def _replacement(found: re.Match[str]) -> str:
    digits, letter = found.groups()
    if digits is None:
        return ESCAPES.get(letter, found[0])
    scalar = int(digits, 16)
    return found[0] if scalar > _LAST_SCALAR or scalar in _SURROGATES else chr(scalar)


def unescape(text: str) -> str:
    """Return the text of a one-line string with its escapes replaced; an unknown escape keeps its backslash."""
    return _ESCAPE.sub(_replacement, text) if "\\" in text else text


def lay_out(parts: list[Piece | Interpolation]) -> None:
    """Remove the layout of a triple-quoted string: the outer line ends and the common indent.

    An interpolation belongs to the line on which it starts, even if it spans several lines.
    """
    for part in parts:
        if part.__class__ is Piece:
            part.value = part.value.replace("\r\n", "\n")
    first = parts[0]
    if first.__class__ is Piece and first.value.startswith("\n"):
        first.value = first.value[1:]
    lines = [piece.value.split("\n") if piece.__class__ is Piece else None for piece in parts]
    indent = _common_indent(lines)
    for index, piece_lines in enumerate(lines):
        if piece_lines is None:
            continue
        followed = index + 1 < len(lines)
        for number, line in enumerate(piece_lines):
            if number == 0 and index > 0:
                continue
            is_last = number == len(piece_lines) - 1
            if line.strip() or (is_last and followed):
                piece_lines[number] = line[len(indent) :]
            else:
                piece_lines[number] = ""
        part = parts[index]
        if part.__class__ is Piece:
            part.value = "\n".join(piece_lines)
    last = parts[-1]
    if last.__class__ is Piece and last.value.endswith("\n"):
        last.value = last.value[:-1]


def _common_indent(lines: list[list[str] | None]) -> str:
    """Return the common indent of all non-empty lines."""
    indents = []
    for index, piece_lines in enumerate(lines):
        if piece_lines is None:
            continue
        followed = index + 1 < len(lines)
        for number, line in enumerate(piece_lines):
            begins_line = number > 0 or index == 0
            ends_piece = number == len(piece_lines) - 1
            content = line.lstrip(" \t\r")
            if begins_line and (content or (ends_piece and followed)):
                indents.append(line[: len(line) - len(content)])
    if not indents:
        return ""
    shortest = min(indents, key=len)
    while not all(indent.startswith(shortest) for indent in indents):
        shortest = shortest[:-1]
    return shortest
