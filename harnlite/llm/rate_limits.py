"""How many requests a minute each provider takes."""

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
    """Per run: the limit of each provider, and when its requests of the last minute began."""

    __slots__ = ("_began", "_configured", "_limits")

    def __init__(self, configured: Callable[[str], object]) -> None:
        self._configured = configured
        self._limits: dict[str, int] = {}
        self._began: dict[str, list[float]] = {}

    def limit(self, route: str) -> int | None:
        """Return the requests a minute of a provider, or nothing if there is no limit."""
        if route not in self._limits:
            self._limits[route] = self._given(route)
        return self._limits[route] or None

    def _given(self, route: str) -> int:
        """Return the limit that the environment or a configuration file sets, 0 if none does."""
        text = (setting(_environment_name(route)) or "").strip()
        if text.isascii() and text.isdigit():
            return int(text)
        configured = self._configured(route)
        return max(configured, 0) if isinstance(configured, int) else 0

    def set_limit(self, route: str, per_minute: int) -> None:
        """Set the requests a minute of a provider; 0 and less is no limit."""
        self._limits[route] = max(per_minute, 0)
        self._began.pop(route, None)

    def wait(self, run: Execution, route: str) -> None:
        """Wait until one more request fits into the last minute, and count it."""
        while (limit := self.limit(route)) is not None:
            now = run.clock.monotonic()
            began = [start for start in self._began.get(route, ()) if now - start < _WINDOW_SECONDS]
            self._began[route] = began
            if len(began) < limit:
                began.append(now)
                return
            run.sleep(began[-limit] + _WINDOW_SECONDS - now)


def rate_limits_of(run: Execution) -> RateLimits:
    """Return the limits of a run."""

    def configured(route: str) -> object:
        return configuration_of(run).endpoints.get(route, {}).get("rpm")

    return run.state("rate_limits", lambda: RateLimits(configured))
