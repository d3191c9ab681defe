"""Snapshot files, which store the expected texts of values, with one section for each name."""

from __future__ import annotations

import os

from harnlite.durable_files import LockedFolder, read_file
from harnlite.formats.json.writing import json_text
from harnlite.resources import SUFFIX
from harnlite.runtime.environment_settings import setting
from harnlite.values.data_types import LazyDict
from harnlite.values.display import display
from harnlite.values.errors import thrown
from harnlite.values.interrupts import poll_here
from harnlite.values.size_limits import join_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.file_places import FilePlace
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

_HEAD, _INDENT = "=== ", "  "
_FOLDER, _ENDING = "__snapshots__", ".snap"


def snapshot_path(run: Execution) -> str:
    """Return the path of the snapshot file of the running script."""
    script = str(run.context.get("script") or os.path.join(run.cwd, "script.harn"))
    folder, name = os.path.split(os.path.join(run.cwd, script))
    return os.path.join(folder, _FOLDER, name.removesuffix(SUFFIX) + SUFFIX + _ENDING)


def snapshot_text(value: object) -> str:
    """Return the snapshot text of a value: a string unchanged, any other value as JSON with one entry per line."""
    if isinstance(value, str):
        return value
    return _pretty(value, "", {})


def _pretty(value: object, indent: str, texts: dict[tuple[int, int], str]) -> str:
    """Return a value as JSON with sorted keys and one entry per line; a value that occurs often is written once."""
    inner = indent + _INDENT
    if isinstance(value, LazyDict):
        value = value.plain()
    if not isinstance(value, (dict, list)) or not value:
        return json_text(value)
    place = id(value), len(indent)
    if place not in texts:
        poll_here()
        if isinstance(value, dict):
            rows = [f"{json_text(key)}: {_pretty(value[key], inner, texts)}" for key in sorted(value)]
        else:
            rows = [_pretty(item, inner, texts) for item in value]
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        body = join_texts([inner + row for row in rows], ",\n")
        texts[place] = f"{opening}\n{body}\n{indent}{closing}"
    return texts[place]


def read_snapshots(place: FilePlace) -> dict[str, str]:
    """Return the texts of a snapshot file by name, or an empty dict if the file does not exist."""
    path = place.path
    try:
        lines = read_file(place).decode("utf-8", "surrogatepass").split("\n")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _failure("read", path, str(error.strerror)) from None
    except UnicodeError:
        raise _failure("read", path, "it is not UTF-8") from None
    found: dict[str, list[str]] = {}
    rows: list[str] | None = None
    for number, line in enumerate(lines, 1):
        if line.startswith(_HEAD):
            rows = found[line.removeprefix(_HEAD)] = []
        elif line and (rows is None or not line.startswith(_INDENT)):
            raise _failure("read", path, f"line {number} is neither a name nor indented")
        elif line and rows is not None:
            rows.append(line.removeprefix(_INDENT))
    return {name: "\n".join(kept) for name, kept in found.items()}


def _failure(action: str, path: str, reason: str) -> ScriptError:
    return thrown(f"assert_snapshot: cannot {action} {path}: {reason}")


def keep_snapshot(place: FilePlace, title: str, text: str) -> None:
    """Write one snapshot to a file; snapshots that other processes write at the same time are kept."""
    folder = place.folder()
    try:
        folder.make_folders()
        with LockedFolder(folder) as locked:
            locked.replace(place.name, _text_of({**read_snapshots(place), title: text}))
    except OSError as error:
        raise _failure("write", place.path, str(error.strerror)) from None


def _text_of(texts: dict[str, str]) -> bytes:
    """Return the text of a snapshot file, with its sections sorted by name."""
    sections = [
        _HEAD + name + "\n" + "".join(f"{_INDENT}{line}\n" for line in texts[name].split("\n"))
        for name in sorted(texts)
    ]
    return "\n".join(sections).encode("utf-8", "surrogatepass")


def check_snapshot(run: Execution, name: object, value: object, permit: Callable[[str, str], FilePlace]) -> None:
    """Compare a value with its snapshot; write a missing one, and a different one if the run updates snapshots.

    `permit` is called with `read` or `write` and the path before a file is accessed, and returns its place; it throws
    if this is not allowed.
    """
    title, text = " ".join(display(name).split()), snapshot_text(value)
    path = snapshot_path(run)
    texts = read_snapshots(permit("read", path))
    known = texts.get(title)
    if known == text:
        return
    if not (run.context.get("update_snapshots") or setting("UPDATE_SNAPSHOTS")):
        if known is not None:
            raise thrown(f"snapshot mismatch: {title}\n{_difference(known, text)}")
        if os.environ.get("CI"):
            reason = f"not found in {path}; new snapshots are not written when CI is set"
            raise thrown(f"snapshot mismatch: {title}\n{reason}")
    keep_snapshot(permit("write", path), title, text)


def _difference(known: str, text: str) -> str:
    from difflib import unified_diff

    return "\n".join(unified_diff(known.split("\n"), text.split("\n"), "snapshot", "actual", lineterm=""))
