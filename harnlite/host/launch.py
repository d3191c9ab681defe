"""The execution of a compiled program, which connects the compiler, the runtime and the library."""

from __future__ import annotations

import os

from harnlite.host.run_limits import RESERVE, enforce
from harnlite.library import Natives
from harnlite.resources import PROJECT_FILE, project_above
from harnlite.runtime.modules import Modules
from harnlite.values.catching import REFUSED_MEMORY, release_frames, script_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.diagnostics.source import Source
    from harnlite.runtime.modules import Program
    from harnlite.runtime.tasks.execution import Execution


def _start(
    run: Execution,
    modules: Modules,
    program: Program,
    params: dict[str, object],
    after: Callable[[Execution], object] | None,
    *,
    has_project: bool,
) -> object:
    """Run a program after installing the hooks of its project; return its value, or that of `after`."""
    enforce(run)
    if has_project:
        _install_hooks(run, program)
    value = modules.start(program, params)
    return value if after is None else after(run)


def _install_hooks(run: Execution, program: Program) -> None:
    """Install the hooks of the project of a program, if it has a project file."""
    folder = project_above(os.path.dirname(os.path.abspath(program.source.path)) if program.source.path else run.cwd)
    if folder is not None:
        from harnlite.agent.reminder_providers.manifest_hooks import install_hooks

        install_hooks(run, os.path.join(folder, PROJECT_FILE))


def execute(
    program: Program,
    run: Execution,
    params: dict[str, object],
    compile_source: Callable[[Source], Program],
    after: Callable[[Execution], object] | None = None,
    *,
    has_project: bool = True,
) -> object:
    """Run a program and return its value; an error that it does not catch is raised as a ScriptError.

    Without `has_project`, the program certainly has no project file, whose hooks would have to be installed.
    `after` is called when the program has come to its end, while its tasks still run; then its value is returned.
    """
    modules = run.context["modules"] = Modules(run, compile_source, Natives())

    def main() -> object:
        try:
            return _start(run, modules, program, params, after, has_project=has_project)
        except REFUSED_MEMORY as error:
            # Before the run ends: CPython does not leave a `finally` of a long function while memory is exhausted.
            RESERVE.memory = b""
            release_frames(error)
            raise

    try:
        with RESERVE:
            return run.enter(main)
    except Exception as error:
        found = script_error(error)
        if found is None or found is error:
            raise
        raise found.with_traceback(error.__traceback__) from None
