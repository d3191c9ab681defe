"""What builtins ask before they touch the world."""

from __future__ import annotations

from harnlite.library.working_folders import resolve
from harnlite.runtime.access_control import check_place, require
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

__all__ = ["permitted_place", "require"]


def permitted_place(run: Execution, action: str, name: str, path: object) -> str:
    """Return the resolved path if the builtin of that name may read, write or delete it."""
    require(run, f"fs.{action}", name)
    place = resolve(run, display(path))
    check_place(run, action, name, place)
    return place
