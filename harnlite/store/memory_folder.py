"""The folder of the memory of a project."""

from __future__ import annotations

import os

from harnlite.resources import project_above
from harnlite.runtime.environment_settings import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.runtime.tasks.execution import Execution

_FOLDER = os.path.join(".harn", "memory")


def memory_root(run: Execution, options: Mapping[str, object]) -> str:
    """Return the folder of the memory from the options, the environment or the project, in this order."""
    given = options.get("root")
    chosen = given if isinstance(given, str) and given else setting("MEMORY_ROOT")
    if chosen:
        return os.path.join(run.cwd, chosen)
    script = run.context.get("script")
    base = os.path.dirname(os.path.abspath(script)) if isinstance(script, str) else run.cwd
    return os.path.join(project_above(base) or base, _FOLDER)
