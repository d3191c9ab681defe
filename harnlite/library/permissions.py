"""Permission checks for builtins that reach outside the process."""

from __future__ import annotations

from harnlite.library.working_folders import resolve
from harnlite.runtime.access_control import check_place, require
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

__all__ = ["permitted_place", "require"]


def permitted_place(run: Execution, action: str, name: str, path: object) -> str:
    """Resolve a path and return it if the named builtin may read, write or delete it; otherwise throw."""
    require(run, f"fs.{action}", name)
    place = resolve(run, display(path))
    check_place(run, action, name, place)
    return place
