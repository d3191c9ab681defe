"""A text stream that removes secrets from what is written to it."""

from __future__ import annotations

import io
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

    from harnlite.store.redaction import Redactor

_BEGIN, _END, _KEY = "-----BEGIN ", "-----END ", "PRIVATE KEY-----"
_LONGEST = 1 << 20
"""A line that is longer is written in parts."""


class RedactedStream(io.TextIOBase):
    """Writes whole lines without secrets to another stream.

    `flush` also writes the beginning of a line, unless it may be the first part of a secret.
    """

    def __init__(self, stream: TextIO, redactor: Redactor) -> None:
        self._stream = stream
        self._redactor = redactor
        self._begun = ""
        self._is_in_key = False
        """Whether a private key has begun and not ended."""
        self._lock = threading.RLock()

    @property
    def encoding(self) -> str:  # type: ignore[override]  # the base class has an attribute
        """Return the encoding of the other stream."""
        return self._stream.encoding

    def writable(self) -> bool:
        """Return True."""
        return True

    def isatty(self) -> bool:
        """Return whether a terminal shows what is written."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor of the other stream."""
        return self._stream.fileno()

    def write(self, text: str, /) -> int:
        """Write the lines of a text that are complete, and keep the rest."""
        with self._lock:
            begun = self._begun + text
            end = len(begun) if len(begun) > _LONGEST else begun.rfind("\n") + 1
            self._begun = begun[end:]
            if end:
                self._put(begun[:end])
        return len(text)

    def flush(self) -> None:
        """Write what is kept, unless it may be the first part of a secret."""
        with self._lock:
            if self._begun and not self._is_in_key and not self._redactor.may_find(self._begun):
                self._put(self._begun)
                self._begun = ""
            self._stream.flush()

    def finish(self) -> None:
        """Write everything that is kept."""
        with self._lock:
            begun, self._begun = self._begun, ""
            if begun:
                self._put(begun)
            self._stream.flush()

    def _put(self, text: str) -> None:
        if self._is_in_key:
            _, found, rest = text.partition(_END)
            if not found:
                return
            self._is_in_key = False
            text = rest.partition("-----\n")[2]
        begin = text.rfind(_BEGIN)
        self._is_in_key = begin >= 0 and _KEY in text[begin:] and _END not in text[begin:]
        shown = self._redactor.text(text)
        if text.endswith("\n") and not shown.endswith("\n"):
            shown += "\n"
        self._stream.write(shown)
