"""The one place where builtins that touch the world ask whether they may.

What a run may do stands in its context: `capabilities`, a frozenset of names such as `fs.read`, and
`workspace_roots`, a tuple of folders outside of which there are no files. Where an entry is missing nothing is barred.
"""

from __future__ import annotations

import os

from harnlite.library.places import resolve
from harnlite.runtime.display import display
from harnlite.runtime.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.execution import Execution


def require(run: Execution, capability: str, name: str) -> None:
    """Raise the categorised error if the run was started without this capability."""
    granted = run.context.get("capabilities")
    if isinstance(granted, frozenset) and capability not in granted:
        raise ScriptError(f"Error [tool_rejected]: Tool '{name}' is not permitted.")


def permitted_place(run: Execution, action: str, name: str, path: object) -> str:
    """Return the resolved path if the builtin of that name may read, write or delete it."""
    require(run, f"fs.{action}", name)
    place = resolve(run, display(path))
    roots = run.context.get("workspace_roots")
    if isinstance(roots, tuple) and not any(_is_inside(place, root) for root in roots):
        reason = f"attempted to {action} '{place}' outside workspace_roots [{', '.join(roots)}]"
        raise ScriptError(f"Error [tool_rejected]: sandbox violation: builtin '{name}' {reason}")
    return place


def _is_inside(place: str, root: str) -> bool:
    if "\0" in place:
        return False
    real, top = os.path.realpath(place), os.path.realpath(root)
    return real == top or real.startswith(top.rstrip(os.sep) + os.sep)
