"""Inputs read line by line: from a pipe, or from a terminal without cursor control."""

from __future__ import annotations

import sys

from harnlite.repl.input_completeness import is_complete

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

FIRST, MORE = "harn> ", "  ... "


class Lines:
    """Reads lines until they form a complete input; prompts are written to `prompts`, unless it is None."""

    __slots__ = ("_prompts",)

    def __init__(self, prompts: TextIO | None) -> None:
        self._prompts = prompts

    def read(self) -> str:
        """Return the next input; raise EOFError at the end, KeyboardInterrupt if the user cancels the line."""
        text = self._line(FIRST)
        while not is_complete(text):
            try:
                text += "\n" + self._line(MORE)
            except EOFError:
                break
        return text

    def leave(self) -> bool:
        """Return False: only an exception can interrupt the reading of a line."""
        return False

    def _line(self, prompt: str) -> str:
        if self._prompts is not None:
            self._prompts.write(prompt)
            self._prompts.flush()
        line = sys.stdin.readline()
        if not line:
            if self._prompts is not None:
                self._prompts.write("\n")
            raise EOFError
        return line.rstrip("\r\n")
