"""The log of hooks: one line of JSON for each call, in a file that is rotated once."""

from __future__ import annotations

import os
import time

from harnlite.agent_hooks.calls.json_text import written
from harnlite.agent_hooks.state_folder import log_file, make_private

MOST_BYTES = 1_000_000
OLD = ".1"
_LONGEST = 2_000
_MODE = 0o600


def append(fields: dict[str, object]) -> None:
    """Append a line to the log. A line that cannot be written is lost: an agent must not notice it."""
    try:
        _append(fields)
    except (OSError, ValueError, TypeError):
        return


def _append(fields: dict[str, object]) -> None:
    path = log_file()
    line = written({"time": time_text(time.time()), **fields}) + "\n"
    try:
        file = _opened(path)
    except FileNotFoundError:
        make_private(os.path.dirname(path))
        file = _opened(path)
    try:
        os.write(file, line.encode())
        facts = os.fstat(file)
    finally:
        os.close(file)
    # Another process may have rotated the log since it was opened.
    if facts.st_size >= MOST_BYTES and os.path.samestat(facts, os.stat(path)):
        os.replace(path, path + OLD)


def _opened(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), _MODE)


def time_text(seconds: float) -> str:
    """Return a time as text in UTC with milliseconds."""
    whole = int(seconds)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int((seconds - whole) * 1000):03d}Z"


def one_line(text: str) -> str:
    """Return a text as one line of limited length, without what is or looks like a secret."""
    from harnlite.known_keys import environment_keys
    from harnlite.store.redaction import Redactor

    return " ".join(Redactor(environment_keys()).text(text).split())[:_LONGEST]
