"""The version of a folder with files whose form carries none: the store, checkpoints, memory, agent state.

The folder has the file `.harn-version.json` with `{"version": 1}`. Older folders have the same form
without that file, so the first write adds it. A higher version belongs to a harnlite that is newer than this one.
"""

from __future__ import annotations

import os

from harnlite.durable_files import LockedFolder, check_path, read_file, sweep
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.runtime.access_control import is_restricted, place_of
from harnlite.values.errors import ScriptError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.file_places import FilePlace
    from harnlite.runtime.tasks.execution import Execution

VERSION = 1
FILE = ".harn-version.json"
_STATE = "state_versions"


def check_version(run: Execution, folder: str, name: str, *, writes: bool = False) -> None:
    """Raise a runtime error if a newer harnlite wrote a folder; before the first write, record the version.

    Each run looks at a folder once, for the named builtin. If the run may access files of the folder, but not the one
    with the version, the version stays unknown. Raise OSError if the path is invalid or the version cannot be recorded.
    """
    known: dict[str, bool] = run.state(_STATE, dict)
    recorded = known.get(folder)
    if recorded or (recorded is False and not writes):
        return
    check_path(folder)
    place = _permitted(run, f"state.{'write' if writes else 'read'}", name, os.path.join(folder, FILE))
    if place is None:
        return
    if folder not in known:
        if not is_restricted(run, "fs.write"):
            sweep(folder)
        known[folder] = _is_recorded(place)
    if writes and not known[folder]:
        place.folder().make_folders()
        with LockedFolder(place.folder()) as locked:
            if not _is_recorded(place):
                locked.replace(place.name, f'{{"version": {VERSION}}}\n'.encode())
        known[folder] = True


def _permitted(run: Execution, operation: str, name: str, path: str) -> FilePlace | None:
    try:
        return place_of(run, operation, name, path)
    except ScriptError:
        return None


def _is_recorded(place: FilePlace) -> bool:
    path = place.path
    try:
        found = read_json(read_file(place).decode())
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise runtime_error(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, JsonError):
        found = None
    version = found.get("version") if isinstance(found, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise runtime_error(f"cannot read {path}: it must be a JSON object with the number `version`")
    if version > VERSION:
        folder = os.path.dirname(path)
        raise runtime_error(
            f"{folder} has version {version}, and this harnlite knows versions up to {VERSION}: update harnlite"
        )
    return True
