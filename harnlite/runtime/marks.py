"""Keys of the state of runs, and functions marked `@persona` or `@step`, whose steps a watcher may intercept."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

    Function = Callable[..., Any]

PERSONA_FACT = "agent_name"
SHARED_KEY = "shared"
"""The key of a run's state for its shared cells, maps and mailboxes."""
WATCHER = "step_watcher"
"""The key of a run's state for the callable that runs steps: `(function, step name, function name, arguments)`."""


def marked(run: Execution, function: Function, title: str, persona: str | None, step: str | None) -> Function:
    """Return a wrapper whose calls run as a persona, as a step, or as both."""
    inner = function if step is None else _step(run, function, title, step)
    outer = inner if persona is None else _persona(run, inner, persona)
    outer.__name__, outer.__qualname__ = function.__name__, function.__qualname__
    # Calls of a tool with named arguments read the defaults from here.
    outer.__defaults__ = function.__defaults__
    outer.__dict__["__wrapped__"] = function
    return outer


def _persona(run: Execution, function: Function, name: str) -> Function:
    def call(*args: object) -> object:
        task = run.task
        before = task.facts
        task.facts = {**before, PERSONA_FACT: name}
        try:
            return function(*args)
        finally:
            task.facts = before

    return call


def _step(run: Execution, function: Function, title: str, name: str) -> Function:
    def call(*args: object) -> object:
        watcher = run.peek(WATCHER)
        if watcher is None:
            return function(*args)
        return watcher(function, name, title, args)

    return call
