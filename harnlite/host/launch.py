"""Puts a program and an execution together: the one place where the compiler, the runtime and the library meet."""

from __future__ import annotations

from harnlite.library import Natives
from harnlite.runtime.modules import Modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.diagnostics.source import Source
    from harnlite.runtime.execution import Execution
    from harnlite.runtime.modules import Program


def execute(
    program: Program,
    run: Execution,
    params: dict[str, object],
    compile_source: Callable[[Source], Program],
) -> object:
    """Run a program to its end and return its value; what it does not catch is raised as a ScriptError."""
    modules = run.context["modules"] = Modules(run, compile_source, Natives())
    try:
        return run.enter(lambda: modules.start(program, params))
    except Exception as error:
        from harnlite.runtime.catching import script_error

        found = script_error(error)
        if found is None or found is error:
            raise
        raise found.with_traceback(error.__traceback__) from None
