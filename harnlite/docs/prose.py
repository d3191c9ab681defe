"""Text laid out for the width of the terminal."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap

WIDEST = 100
_AS_IT_IS = re.compile(r"[ \t]|[-*|#>:]|\d+\. |```")
"""The start of a line that is not joined with others."""


def for_terminal(text: str) -> str:
    """Return a text, with its paragraphs rewrapped if stdout is a terminal."""
    if not sys.stdout.isatty():
        return text
    return laid_out(text, min(shutil.get_terminal_size().columns, WIDEST))


def laid_out(text: str, width: int) -> str:
    """Return a text whose paragraphs fit a width; code, lists, tables and headings keep their lines."""
    shown: list[str] = []
    paragraph: list[str] = []
    in_code = False
    for line in [*text.split("\n"), ""]:
        if not in_code and line and not _AS_IT_IS.match(line):
            paragraph.append(line)
            continue
        if paragraph:
            filled = textwrap.fill(" ".join(paragraph), width, break_long_words=False, break_on_hyphens=False)
            shown.append(filled)
            paragraph = []
        in_code ^= line.startswith("```")
        shown.append(line)
    return "\n".join(shown[:-1])
