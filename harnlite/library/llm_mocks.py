"""Builtins for the mock model, which answers from a queue that the script fills."""

from __future__ import annotations

from harnlite.library.argument_types import expect_dict
from harnlite.library.native import native
from harnlite.llm.mock import mocks_of
from harnlite.llm.mock_entries import MockEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution


@native("llm_mock")
def llm_mock(run: Execution, config: object = None) -> None:
    """Queue an answer or an error for a later model call."""
    mocks_of(run).add(MockEntry(expect_dict("llm_mock", "config", config)))


@native("llm_mock_calls")
def llm_mock_calls(run: Execution) -> list[dict[str, object]]:
    """Return the calls that the mock has received in the current scope."""
    return mocks_of(run).calls()


@native("llm_mock_clear")
def llm_mock_clear(run: Execution) -> None:
    """Remove all queued answers, recorded calls and scopes."""
    mocks_of(run).clear()


@native("llm_mock_push_scope")
def llm_mock_push_scope(run: Execution) -> None:
    """Open a scope without queued answers and recorded calls."""
    mocks_of(run).push_scope()


@native("llm_mock_pop_scope")
def llm_mock_pop_scope(run: Execution) -> None:
    """Close the current scope and restore the answers and calls of the one before."""
    mocks_of(run).pop_scope()
