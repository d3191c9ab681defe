"""Snapshots in JSON files, from which another process continues: of workers and of daemons.

A snapshot is an object with its type and version. Files of earlier versions of harnlite may lack the version, which
is 1 then.
"""

from __future__ import annotations

import errno
import os

from harnlite.durable_files import LockedFolder, check_path, move_aside, read_file, sweep
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import data_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

VERSION = 1
_WRITTEN = "snapshot_files"


class UnusableSnapshotError(Exception):
    """The reason why a file is not a snapshot that can be used."""


class _NewerError(UnusableSnapshotError):
    """The reason why a snapshot of a newer harnlite cannot be used, nor be replaced."""


def read_snapshot(full_path: str, kind: str) -> dict[str, Any]:
    """Return a snapshot of one kind in the form of this version. Raise UnusableSnapshotError with the reason."""
    folder, name = os.path.split(full_path)
    sweep(folder, of=name)
    try:
        return _checked(read_file(full_path), kind)
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


def write_snapshot(run: Execution, full_path: str, kind: str, fields: dict[str, object]) -> None:
    """Write a snapshot: a concurrent reader sees either the old or the new one. Raise OSError on failure.

    A file that this run did not write and that is not a snapshot of the kind is renamed, with a warning.
    """
    check_path(full_path)
    folder, name = os.path.split(os.path.realpath(full_path))
    data = data_text({"_type": kind, "version": VERSION, **fields}).encode("utf-8", "replace")
    written: set[str] = run.state(_WRITTEN, set)
    os.makedirs(folder, exist_ok=True)
    with LockedFolder(folder, of=name) as locked:
        if full_path not in written:
            _spare(run, os.path.join(folder, name), kind)
        locked.replace(name, data)
    written.add(full_path)


def _spare(run: Execution, path: str, kind: str) -> None:
    """Rename a file that would be lost, unless it is a snapshot of the kind."""
    try:
        _checked(read_file(path), kind)
    except FileNotFoundError:
        return
    except _NewerError as reason:
        raise OSError(errno.EEXIST, str(reason), path) from None
    except UnusableSnapshotError as reason:
        text = f"{path} is not replaced by a {kind.replace('_', ' ')}: {reason}; it was renamed to {move_aside(path)}"
        run.write_error(f"[harn] warning: {text}\n")
