"""The rate limits of providers, in requests per minute."""

from __future__ import annotations

from harnlite.llm.configuration import configuration_of
from harnlite.runtime.environment_settings import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.runtime.tasks.execution import Execution

_WINDOW_SECONDS = 60.0


def _environment_name(route: str) -> str:
    return "RATE_LIMIT_" + "".join(char if char.isalnum() else "_" for char in route).upper()


class RateLimits:
    """The limit of each provider in a run, and the start times of its requests in the last minute."""

    __slots__ = ("_began", "_configured", "_limits")

    def __init__(self, configured: Callable[[str], object]) -> None:
        self._configured = configured
        self._limits: dict[str, int] = {}
        self._began: dict[str, list[float]] = {}

    def limit(self, route: str) -> int | None:
        """Return the limit of a provider in requests per minute, or None if it has none."""
        if route not in self._limits:
            self._limits[route] = self._given(route)
        return self._limits[route] or None

    def _given(self, route: str) -> int:
        """Return the limit from the environment or the configuration, or 0 if there is none."""
        text = (setting(_environment_name(route)) or "").strip()
        if text.isascii() and text.isdigit():
            return int(text)
        configured = self._configured(route)
        return max(configured, 0) if isinstance(configured, int) else 0

    def set_limit(self, route: str, per_minute: int) -> None:
        """Set the limit of a provider in requests per minute; 0 or less means no limit."""
        self._limits[route] = max(per_minute, 0)
        self._began.pop(route, None)

    def wait(self, run: Execution, route: str) -> None:
        """Wait until the limit permits another request, and count it."""
        if self._limits.get(route) == 0:
            return
        while (limit := self.limit(route)) is not None:
            now = run.clock.monotonic()
            began = [start for start in self._began.get(route, ()) if now - start < _WINDOW_SECONDS]
            self._began[route] = began
            if len(began) < limit:
                began.append(now)
                return
            run.sleep(began[-limit] + _WINDOW_SECONDS - now)


def rate_limits_of(run: Execution) -> RateLimits:
    """Return the rate limits of a run."""

    def configured(route: str) -> object:
        return configuration_of(run).endpoints.get(route, {}).get("rpm")

    return run.state("rate_limits", lambda: RateLimits(configured))
