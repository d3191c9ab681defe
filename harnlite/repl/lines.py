"""Inputs read line by line: from a pipe, or from a terminal that can do no more than print."""

from __future__ import annotations

import sys

from harnlite.repl.input_completeness import is_complete

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

FIRST, MORE = "harn> ", "  ... "


class Lines:
    """Reads lines until they are a whole input; `prompts` is where prompts go, if they go anywhere."""

    __slots__ = ("_prompts",)

    def __init__(self, prompts: TextIO | None) -> None:
        self._prompts = prompts

    def read(self) -> str:
        """Return the next input; EOFError at the end, KeyboardInterrupt if the person gives the line up."""
        text = self._line(FIRST)
        while not is_complete(text):
            try:
                text += "\n" + self._line(MORE)
            except EOFError:
                break
        return text

    def leave(self) -> bool:
        """Say that nothing but an exception ends the reading of a line."""
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
