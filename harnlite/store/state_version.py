"""The version of a folder with files whose form carries none: the store, checkpoints, memory, agent state.

The folder has the file `.harn-version.json` with `{"version": 1}`. Older folders have the same form
without that file, so the first write adds it. A higher version belongs to a harnlite that is newer than this one.
"""

from __future__ import annotations

import os

from harnlite.durable_files import LockedFolder, check_path, read_file, sweep
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

VERSION = 1
FILE = ".harn-version.json"
_STATE = "state_versions"


def check_version(run: Execution, folder: str, *, writes: bool = False) -> None:
    """Raise a runtime error if a newer harnlite wrote a folder; before the first write, record the version.

    Each run looks at a folder once. Raise OSError if the path is invalid or the version cannot be recorded.
    """
    known: dict[str, bool] = run.state(_STATE, dict)
    if folder not in known:
        check_path(folder)
        sweep(folder)
        known[folder] = _is_recorded(os.path.join(folder, FILE))
    if writes and not known[folder]:
        os.makedirs(folder, exist_ok=True)
        with LockedFolder(folder) as locked:
            if not _is_recorded(os.path.join(folder, FILE)):
                locked.replace(FILE, f'{{"version": {VERSION}}}\n'.encode())
        known[folder] = True


def _is_recorded(path: str) -> bool:
    try:
        found = read_json(read_file(path).decode())
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
