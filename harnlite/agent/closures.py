"""Calls of the closures that a script has registered with the runtime."""

from __future__ import annotations

from harnlite.runtime.deadlines import Deadline
from harnlite.runtime.settings import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.runtime.execution import Execution

TIMEOUT_MS = 30_000


def call_guarded(run: Execution, closure: Callable[..., object], *args: object) -> object:
    """Call a hook or the closure of a reminder provider, which has to be done by a deadline."""
    timeout = run.state("hook_timeout", _timeout_ms)
    if not timeout:
        return closure(*args)
    with Deadline(run, timeout):
        return closure(*args)


def _timeout_ms() -> int:
    """Return HARN_HOOK_TIMEOUT_MS; 0 is no deadline, and what is no number is not heard."""
    text = (setting("HOOK_TIMEOUT_MS") or "").strip()
    return int(text) if text.isascii() and text.isdecimal() else TIMEOUT_MS
