"""Suggestions for import paths: modules of the standard library, and files relative to the importing file."""

from __future__ import annotations

import os

from harnlite.editor.suggestions.suggestion import KEY, LOCAL, Kind, Suggestion
from harnlite.resources import STD, SUFFIX, std_modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.editor.suggestions.glimpse import Glimpse


def paths_at(glimpse: Glimpse) -> Iterator[Suggestion]:
    """Yield the paths that continue a partially typed one."""
    typed = glimpse.place.word
    for path in std_modules():
        yield Suggestion(path, Kind.Module, LOCAL, detail="standard library", data={"module": path})
    if typed.startswith(STD):
        return
    steps = typed.rpartition("/")[0]
    folder = os.path.join(os.path.dirname(os.path.abspath(glimpse.document.path)), steps)
    prefix = f"{steps}/" if "/" in typed else ""
    try:
        with os.scandir(folder) as entries:
            found = sorted((entry.name, entry.is_dir()) for entry in entries if not entry.name.startswith("."))
    except OSError:
        return
    for name, is_folder in found:
        if is_folder:
            yield Suggestion(f"{prefix}{name}/", Kind.Folder, LOCAL, detail="folder")
        elif name.endswith(SUFFIX) and os.path.join(folder, name) != glimpse.document.path:
            yield Suggestion(prefix + name.removesuffix(SUFFIX), Kind.File, KEY, detail=name)
    if not steps or steps.endswith(".."):
        yield Suggestion(f"{prefix}../", Kind.Folder, LOCAL, detail="folder")
