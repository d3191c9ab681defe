"""Builtins that call operations of the host, and mocks that replace these operations."""

from __future__ import annotations

from harnlite.agent.tools.host_requests import HostMock, call_host, host_mocks_of
from harnlite.library.argument_types import dict_argument, text_argument
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

_CONFIG_KEYS = ("result", "params", "error")


@native("host_call")
def host_call(run: Execution, operation: object = None, params: object = None) -> object:
    """Call an operation of the host and return its result."""
    require(run, "host.call", "host_call")
    return call_host(run, text_argument("host_call", "operation", operation), {} if params is None else params)


@native("host_mock")
def host_mock(
    run: Execution, capability: object = None, operation: object = None, result: object = None, params: object = None
) -> None:
    """Register a mock that answers an operation of the host."""
    names = tuple("" if name is None else display(name) for name in (capability, operation))
    if not all(name.strip() for name in names):
        raise thrown("host_mock: capability and operation are required")
    given, error = dict_argument("host_mock", "params", params), None
    if isinstance(result, dict) and any(key in result for key in _CONFIG_KEYS):
        config: dict[str, Any] = result
        result, error = config.get("result"), config.get("error")
        given = dict_argument("host_mock", "params", config.get("params") or given)
    host_mocks_of(run).add(HostMock((names[0], names[1]), result, given, error))


@native("host_mock_calls")
def host_mock_calls(run: Execution) -> list[dict[str, object]]:
    """Return the calls that mocks have answered in the current scope."""
    return list(host_mocks_of(run).calls)


@native("host_mock_clear")
def host_mock_clear(run: Execution) -> None:
    """Remove the mocks and the recorded calls of the current scope."""
    host_mocks_of(run).clear()


@native("host_mock_push_scope")
def host_mock_push_scope(run: Execution) -> None:
    """Open a scope without mocks and recorded calls."""
    host_mocks_of(run).push_scope()


@native("host_mock_pop_scope")
def host_mock_pop_scope(run: Execution) -> None:
    """Close the current scope and restore the mocks and calls of the one before."""
    host_mocks_of(run).pop_scope()
