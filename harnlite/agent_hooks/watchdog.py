"""A child process that does the work of a hook, and a time limit for it.

Whatever happens to the child (a crash, a loop in C, exhausted memory), the parent still answers the agent.
"""

from __future__ import annotations

import _signal as signals  # type: ignore[import-not-found]  # the public module `signal` loads `enum`
import marshal
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

START_SECONDS = 2.0
"""The time for loading the program and for waiting until the session is unlocked."""
RUN_SECONDS = 2.0
"""The time for the rules."""
SPARE_SECONDS = 6.0
"""The additional time after which the system ends a child whose parent was killed and cannot end it."""
MEMORY_BYTES = 4_000_000_000
"""The addresses that the child may use, most of which is never memory."""
_LOCKED, _DONE = b"L", b"D"
_LENGTH_BYTES = 8
_CHUNK = 1 << 16
_KILL = 9


class ChildFailed(Exception):
    """Raised if the child was too slow or has ended without an answer."""


def supervised(work: Callable[[Callable[[], None]], dict[str, Any]]) -> dict[str, Any]:
    """Do some work in a child process and return its result; raise ChildFailed if there is none in time.

    The work calls the function that it is given when it holds the lock of the session. A function under the key
    `after` of the result is called in the child when the answer is sent. Without `fork`, this process does the work.
    """
    if not hasattr(os, "fork"):
        result = work(lambda: None)
        result.pop("after", None)
        return result
    data = _answer_of_child(work)
    found: dict[str, Any] = marshal.loads(data)  # noqa: S302 - written by our own child
    return found


def _answer_of_child(work: Callable[[Callable[[], None]], dict[str, Any]]) -> bytes:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _work(work, writing)
    os.close(writing)
    try:
        return _awaited(reading, child)
    finally:
        os.close(reading)


def _work(work: Callable[[Callable[[], None]], dict[str, Any]], writing: int) -> None:
    """Do the work in the child and write its result; never return."""
    try:
        os.setpgid(0, 0)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        _limit_memory()
        _limit_time()
        result = work(lambda: _write(writing, _LOCKED))
        after = result.pop("after", None)
        data = marshal.dumps(result)
        _write(writing, _DONE + len(data).to_bytes(_LENGTH_BYTES, "big") + data)
        os.close(writing)
        if callable(after):
            after()
    finally:
        os._exit(0)


def _limit_memory() -> None:
    try:
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, most))
    except (ImportError, OSError, ValueError):
        return


def _limit_time() -> None:
    """Let the system end this process some time after its parent would have done so."""
    try:
        signals.signal(signals.SIGALRM, signals.SIG_DFL)
        signals.alarm(int(START_SECONDS + RUN_SECONDS + SPARE_SECONDS))
    except (AttributeError, ValueError):
        return


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _awaited(reading: int, child: int) -> bytes:
    """Return the result of the child; kill it if it is late."""
    import select

    data, is_locked = b"", False
    end = time.monotonic() + START_SECONDS
    poll = select.poll()
    poll.register(reading, select.POLLIN | select.POLLHUP)
    while True:
        left = end - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            _kill(child)
            phase = "the rules took longer than" if is_locked else "the session was not available within"
            raise ChildFailed(f"{phase} {RUN_SECONDS if is_locked else START_SECONDS:g} s")
        part = os.read(reading, _CHUNK)
        if not part:
            raise ChildFailed(f"the process of the rules ended without an answer{_ending(child)}")
        data += part
        if not is_locked and data[:1] == _LOCKED:
            is_locked, data = True, data[1:]
            end = time.monotonic() + RUN_SECONDS
        head = 1 + _LENGTH_BYTES
        if data[:1] == _DONE and len(data) >= head:
            size = int.from_bytes(data[1:head], "big")
            if len(data) >= head + size:
                return data[head : head + size]


def _kill(child: int) -> None:
    """Kill the child and what it has started; the group may not exist yet."""
    for kill in (os.killpg, os.kill):
        try:
            kill(child, _KILL)
        except OSError:
            continue
    _ending(child)


def _ending(child: int) -> str:
    try:
        _, status = os.waitpid(child, 0)
    except OSError:
        return ""
    return f" (signal {os.WTERMSIG(status)})" if os.WIFSIGNALED(status) else ""
