"""Wrapping of prose to the width of the terminal."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap

WIDEST = 100
_UNWRAPPED = re.compile(r"[ \t]|[-*|#>:]|\d+\. |```")
"""Matches the start of a line that is not joined with others."""


def for_terminal(text: str) -> str:
    """Return a text; if stdout is a terminal, its paragraphs are rewrapped."""
    if not sys.stdout.isatty():
        return text
    return laid_out(text, min(shutil.get_terminal_size().columns, WIDEST))


def laid_out(text: str, width: int) -> str:
    """Wrap the paragraphs of a text to a width; code, lists, tables and headings keep their lines."""
    shown: list[str] = []
    paragraph: list[str] = []
    in_code = False
    for line in [*text.split("\n"), ""]:
        if not in_code and line and not _UNWRAPPED.match(line):
            paragraph.append(line)
            continue
        if paragraph:
            filled = textwrap.fill(" ".join(paragraph), width, break_long_words=False, break_on_hyphens=False)
            shown.append(filled)
            paragraph = []
        in_code ^= line.startswith("```")
        shown.append(line)
    return "\n".join(shown[:-1])
