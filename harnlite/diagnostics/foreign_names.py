"""Names that other languages have, and what Harn has instead."""

FOREIGN_NAMES = {
    "None": "nil",
    "null": "nil",
    "undefined": "nil",
    "True": "true",
    "TRUE": "true",
    "False": "false",
    "FALSE": "false",
}
"""The literals of other languages."""
FOREIGN_WORDS = {
    "pass": "an empty block needs no statement: `{ }`",
    "this": "methods receive `self` as their first parameter",
    "console": "`println(…)` writes a line",
    "Math": "import what you need from `std/math`",
    "JSON": "`json_stringify` and `json_parse` write and read JSON",
}
"""Other words, with the text that says what to write."""


def foreign_note(name: str) -> str | None:
    """Return the help text for a name from another language, or None."""
    literal = FOREIGN_NAMES.get(name)
    return f"write `{literal}`" if literal else FOREIGN_WORDS.get(name)
