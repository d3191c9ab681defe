"""Builtins for circuit breakers and for calls that respect the rate limit of a provider."""

from __future__ import annotations

from harnlite.library.categories import category_of
from harnlite.library.native import native
from harnlite.llm.rate_limits import rate_limits_of
from harnlite.values.data_types import is_callable
from harnlite.values.display import display
from harnlite.values.errors import ScriptError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.runtime.tasks.execution import Execution

_THRESHOLD, _RESET_MS = 5, 30_000
_RETRIES, _BACKOFF_MS, _MAX_WAIT_MS = 5, 1000, 30_000
_TRANSIENT = frozenset({"rate_limit", "overloaded", "transient_network", "timeout"})


class _Breaker:
    """A circuit breaker, which opens when too many consecutive calls have failed."""

    __slots__ = ("failures", "opened_at", "reset_ms", "threshold")

    def __init__(self, threshold: int, reset_ms: int) -> None:
        self.threshold = threshold
        self.reset_ms = reset_ms
        self.failures = 0
        self.opened_at: float | None = None

    def state(self, now: float) -> str:
        """Return `closed`, `open` or `half_open`."""
        if self.opened_at is None:
            return "closed"
        return "half_open" if (now - self.opened_at) * 1000 >= self.reset_ms else "open"

    def fail(self, now: float) -> bool:
        """Count a failure and return whether it opens the breaker."""
        self.failures += 1
        if self.opened_at is not None or self.failures < self.threshold:
            return False
        self.opened_at = now
        return True

    def close(self) -> None:
        """Close the breaker and reset the count of failures."""
        self.failures = 0
        self.opened_at = None


def _breakers(run: Execution) -> dict[str, _Breaker]:
    return run.state("circuit_breakers", dict)


def _int(value: object, default: int) -> int:
    return value if type(value) is int else default


@native("circuit_breaker")
def circuit_breaker(
    run: Execution, name: object = "default", threshold: object = _THRESHOLD, reset_ms: object = _RESET_MS
) -> str:
    """Create a closed circuit breaker; it replaces an existing one with the same name."""
    key = display(name)
    _breakers(run)[key] = _Breaker(_int(threshold, _THRESHOLD), _int(reset_ms, _RESET_MS))
    return key


@native("circuit_check")
def circuit_check(run: Execution, name: object = "") -> str:
    """Return the state of a circuit breaker: `closed`, `open` or `half_open`."""
    breaker = _breakers(run).get(display(name))
    return breaker.state(run.clock.monotonic()) if breaker else "closed"


@native("circuit_record_failure")
def circuit_record_failure(run: Execution, name: object = "") -> bool:
    """Count a failure and return whether it opened the circuit breaker."""
    breaker = _breakers(run).get(display(name))
    return breaker.fail(run.clock.monotonic()) if breaker else False


def _close(run: Execution, name: object) -> None:
    breaker = _breakers(run).get(display(name))
    if breaker:
        breaker.close()


@native("circuit_record_success")
def circuit_record_success(run: Execution, name: object = "") -> None:
    """Close a circuit breaker after a successful call."""
    _close(run, name)


@native("circuit_reset")
def circuit_reset(run: Execution, name: object = "") -> None:
    """Close a circuit breaker and reset its count of failures."""
    _close(run, name)


def _retried(run: Execution, route: str, call: Callable[..., object], retries: int, backoff_ms: int) -> object:
    wait_ms = min(max(backoff_ms, 0), _MAX_WAIT_MS)
    remaining = max(retries, 0)
    while True:
        rate_limits_of(run).wait(run, route)
        try:
            return call()
        except ScriptError as error:
            if not remaining or category_of(error.value) not in _TRANSIENT:
                raise
        run.sleep(wait_ms / 1000)
        wait_ms = min(2 * wait_ms, _MAX_WAIT_MS)
        remaining -= 1


@native("with_rate_limit")
def with_rate_limit(run: Execution, provider: object = "", call: object = None, options: object = None) -> object:
    """Call a closure within the rate limit of a provider, and retry it after transient errors."""
    route = display(provider)
    if not route:
        raise runtime_error("with_rate_limit: provider name is required")
    if not is_callable(call):
        raise runtime_error("with_rate_limit: second argument must be a closure")
    given = options if isinstance(options, dict) else {}
    retries, backoff_ms = _int(given.get("max_retries"), _RETRIES), _int(given.get("backoff_ms"), _BACKOFF_MS)
    return _retried(run, route, call, retries, backoff_ms)
