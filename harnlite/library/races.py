"""The builtin that runs several tasks and returns the first successful result."""

from __future__ import annotations

from harnlite.library.native import native
from harnlite.runtime.concurrency.parallel import RACE, Group
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.values.data_types import EnumValue, is_callable, type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error, type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.runtime.tasks.task import Task


def _limit(cap: object) -> int:
    if cap.__class__ is dict:
        cap = cap.get("max_concurrent", 0)
        if cap is not None and cap.__class__ is not int:
            raise type_error(f"parallel_race: max_concurrent must be an int, got {type_name(cap)}")
    elif cap is not None and cap.__class__ is not int:
        got = type_name(cap)
        raise type_error(f"parallel_race: third argument must be max_concurrent int or options dict, got {got}")
    return max(cap or 0, 0)


def _outcome(task: Task) -> tuple[bool, object]:
    """Return whether a task has succeeded, with its value or the text of its error."""
    if task.error is not None:
        error, task.error = task.error, None
        return False, uncaught_text(error)
    value = task.value
    if isinstance(value, EnumValue) and value.enum == "Result":
        payload = value.fields[0] if value.fields else None
        return (True, payload) if value.variant == "Ok" else (False, display(payload))
    return True, value


@native("parallel_race")
def parallel_race(run: Execution, items: object = None, function: object = None, cap: object = None) -> object:
    """Call a function with all items concurrently and return the first successful result."""
    if items.__class__ is not list:
        raise type_error(f"parallel_race: first argument must be a list, got {type_name(items)}")
    if not is_callable(function):
        raise type_error(f"parallel_race: argument 2 must be callable, got {type_name(function)}")
    limit = _limit(cap)
    if not items:
        raise runtime_error("parallel_race: expected at least one item")
    group = Group(run, RACE)
    failures: list[str] = []
    try:
        group.start_as_others_end(function, items, limit)
        while (task := group.next_ended()) is not None:
            run.write("".join(task.output))
            succeeded, value = _outcome(task)
            if succeeded:
                return value
            failures.append(str(value))
    finally:
        group.cancel()
    raise runtime_error(f"parallel_race: all {len(items)} task(s) failed: {'; '.join(failures)}")
