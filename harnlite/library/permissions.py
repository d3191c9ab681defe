"""Permission checks for builtins that reach outside the process."""

from __future__ import annotations

from harnlite.library.working_folders import resolve
from harnlite.runtime.access_control import place_of, require
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.file_places import FilePlace
    from harnlite.runtime.tasks.execution import Execution

__all__ = ["permitted_place", "require"]


def permitted_place(run: Execution, action: str, name: str, path: object, *, is_entry: bool = False) -> FilePlace:
    """Return the place of a path if the named builtin may read, write or delete it; otherwise throw."""
    return place_of(run, f"fs.{action}", name, resolve(run, display(path)), is_entry=is_entry)
