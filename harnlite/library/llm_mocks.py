"""Scripted answers in the place of a model."""

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
    """Queue an answer, or a failure, for a model call to come."""
    mocks_of(run).add(MockEntry(expect_dict("llm_mock", "config", config)))


@native("llm_mock_calls")
def llm_mock_calls(run: Execution) -> list[dict[str, object]]:
    """Return what the mock was sent in the current scope."""
    return mocks_of(run).calls()


@native("llm_mock_clear")
def llm_mock_clear(run: Execution) -> None:
    """Forget all scripted answers, calls and scopes."""
    mocks_of(run).clear()


@native("llm_mock_push_scope")
def llm_mock_push_scope(run: Execution) -> None:
    """Put scripted answers and calls aside and begin without any."""
    mocks_of(run).push_scope()


@native("llm_mock_pop_scope")
def llm_mock_pop_scope(run: Execution) -> None:
    """Go back to the answers and calls that were put aside."""
    mocks_of(run).pop_scope()
