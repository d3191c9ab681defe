"""Snapshots in JSON files, from which another process continues: of workers and of daemons.

A snapshot is an object with its type and version. Files of earlier versions of harnlite may lack the version, which
is 1 then.
"""

from __future__ import annotations

import errno

from harnlite.durable_files import LockedFolder, check_path, move_aside, read_file, sweep
from harnlite.file_places import as_place
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import data_text
from harnlite.runtime.access_control import is_restricted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.file_places import FilePlace
    from harnlite.runtime.tasks.execution import Execution

VERSION = 1
_WRITTEN = "snapshot_files"


class UnusableSnapshotError(Exception):
    """The reason why a file is not a snapshot that can be used."""


class _NewerError(UnusableSnapshotError):
    """The reason why a snapshot of a newer harnlite cannot be used, nor be replaced."""


def read_snapshot(run: Execution, path: str | FilePlace, kind: str) -> dict[str, Any]:
    """Return a snapshot of one kind in the form of this version. Raise UnusableSnapshotError with the reason."""
    place = as_place(path)
    if not is_restricted(run, "fs.write"):
        sweep(place.folder(), of=place.name)
    try:
        return _checked(read_file(place), kind)
    except OSError as error:
        raise UnusableSnapshotError(str(error.strerror)) from None


def _checked(data: bytes, kind: str) -> dict[str, Any]:
    try:
        found = read_json(data.decode())
    except (ValueError, JsonError):
        raise UnusableSnapshotError("it is not JSON") from None
    version = found.get("version", VERSION) if isinstance(found, dict) else None
    if not isinstance(found, dict) or found.get("_type") != kind or version.__class__ is not int or version < 1:
        raise UnusableSnapshotError(f"it is not a {kind.replace('_', ' ')}")
    if version > VERSION:
        raise _NewerError(
            f"it has version {version}, and this harnlite knows versions up to {VERSION}: update harnlite"
        )
    return {**found, "version": VERSION}


def write_snapshot(run: Execution, path: str | FilePlace, kind: str, fields: dict[str, object]) -> None:
    """Write a snapshot: a concurrent reader sees either the old or the new one. Raise OSError on failure.

    A file that this run did not write and that is not a snapshot of the kind is renamed, with a warning.
    """
    place = as_place(path)
    check_path(place.path)
    target = place.resolved()
    data = data_text({"_type": kind, "version": VERSION, **fields}).encode("utf-8", "replace")
    written: set[str] = run.state(_WRITTEN, set)
    target.folder().make_folders()
    with LockedFolder(target.folder(), of=target.name) as locked:
        if target.path not in written:
            _spare(run, target, kind)
        locked.replace(target.name, data)
    written.add(target.path)


def _spare(run: Execution, place: FilePlace, kind: str) -> None:
    """Rename a file that would be lost, unless it is a snapshot of the kind."""
    try:
        _checked(read_file(place), kind)
    except FileNotFoundError:
        return
    except _NewerError as reason:
        raise OSError(errno.EEXIST, str(reason), place.path) from None
    except UnusableSnapshotError as reason:
        text = f"{place.path} is not replaced by a {kind.replace('_', ' ')}: {reason}; it was renamed to"
        run.write_error(f"[harn] warning: {text} {move_aside(place)}\n")
