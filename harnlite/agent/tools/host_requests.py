"""Requests of a script to the host, and the mocks that answer instead of the host."""

from __future__ import annotations

from harnlite.agent.tools.long_running import cancel
from harnlite.values.equality import equal
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution


CANCEL_HANDLE = "cancel_handle"


class HostMock:
    """A result or an error for the calls of an operation with matching params."""

    __slots__ = ("_error", "_params", "_result", "name")

    def __init__(self, name: tuple[str, str], result: object, params: dict[str, Any], error: object) -> None:
        self.name = name
        self._result = result
        self._params = params
        self._error = error

    def fits(self, name: tuple[str, str], params: object) -> bool:
        """Return whether the mock answers a call; params that the mock does not name may have any value."""
        return name == self.name and is_part(self._params, params)

    def answer(self) -> object:
        """Return the result of the mock, or throw its error."""
        if self._error is not None:
            raise thrown(self._error)
        return self._result


def is_part(wanted: dict[str, Any], params: object) -> bool:
    """Return whether the params of a call contain all these entries."""
    if not wanted:
        return True
    if not isinstance(params, dict):
        return False
    return all(key in params and equal(params[key], value) for key, value in wanted.items())


class HostMocks:
    """The mocks of a run and the calls that they answered, in nested scopes; the innermost scope is active."""

    __slots__ = ("_mocks", "_outer", "calls")

    def __init__(self) -> None:
        self._mocks: list[HostMock] = []
        self._outer: list[tuple[list[HostMock], list[dict[str, object]]]] = []
        self.calls: list[dict[str, object]] = []

    def add(self, mock: HostMock) -> None:
        """Register a mock; it takes precedence over older ones."""
        self._mocks.append(mock)

    def find(self, name: tuple[str, str], params: object) -> HostMock | None:
        """Return the newest mock that answers a call, or None."""
        return next((mock for mock in reversed(self._mocks) if mock.fits(name, params)), None)

    def clear(self) -> None:
        """Remove the mocks and the calls of this scope."""
        self._mocks = []
        self.calls = []

    def push_scope(self) -> None:
        """Save the mocks and the calls, and start an empty scope."""
        self._outer.append((self._mocks, self.calls))
        self.clear()

    def pop_scope(self) -> None:
        """Restore the mocks and the calls of the enclosing scope."""
        if not self._outer:
            raise thrown("host_mock_pop_scope: no scope to pop")
        self._mocks, self.calls = self._outer.pop()


def host_mocks_of(run: Execution) -> HostMocks:
    """Return the host mocks of a run."""
    return run.state("host_mocks", HostMocks)


def call_host(run: Execution, operation: str, params: object) -> object:
    """Return the answer of a mock, or else of the connected host, to `capability.operation`."""
    capability, _, action = operation.partition(".")
    mocks = host_mocks_of(run)
    mock = mocks.find((capability, action), params)
    if mock is not None:
        mocks.calls.append({"capability": capability, "operation": action, "params": params})
        return mock.answer()
    if CANCEL_HANDLE in (capability, action):
        return {"cancelled": cancel(run, params.get("handle_id") if isinstance(params, dict) else params)}
    ask = getattr(run.context.get("bridge"), "call_operation", None)
    if ask is None:
        raise thrown(f"host_call: unsupported operation {operation}")
    return ask(run, capability, action, params)
