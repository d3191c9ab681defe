"""The creation of the first files of a project, which never overwrites existing files."""

from __future__ import annotations

import os
import re

from harnlite.durable_files import LockedFolder
from harnlite.llm.routes import ANSWERS_FILE as _ANSWERS
from harnlite.resources import SUFFIX, folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPLATES = ("pipeline", "hook", "provider", "agent")
_SHARED, _NAME_PLACEHOLDER, _RUN_PLACEHOLDER = "project", "PROJECT", "RUN\n"
_NAME = re.compile(r"[A-Za-z][\w-]*")
_RENAMED = {"gitignore": ".gitignore"}
_RUN = "harnlite run               # run main.harn, the entry in harn.toml\n"
_RUN_SCRIPTED = f"""harnlite run --llm-mock {_ANSWERS}  # run main.harn without a model: the answers are in this file
harnlite run                           # run main.harn with a model: set HARNLITE_LLM_PROVIDER and its API key
"""


def is_project_name(name: str) -> bool:
    """Return whether a project can have this name."""
    return _NAME.fullmatch(name) is not None


def write_project(target: str, name: str, template: str) -> list[tuple[str, bool]]:
    """Write the missing files of a project; return each file and whether it was written.

    A folder that already contains programs does not receive others, because they would not fit together.
    """
    os.makedirs(target, exist_ok=True)
    has_programs = any(file.endswith(SUFFIX) for file in os.listdir(target))
    made: list[tuple[str, bool]] = []
    for file, text in _files(name, template):
        if has_programs and not _is_project_file(file):
            continue
        made.append((file, _write_new(os.path.join(target, file), text)))
    return made


def _is_project_file(file: str) -> bool:
    return not file.endswith(SUFFIX) and file != _ANSWERS


def _files(name: str, template: str) -> Iterator[tuple[str, str]]:
    """Yield the files of a project with their texts."""
    own = dict(_texts(template))
    run = _RUN_SCRIPTED if _ANSWERS in own else _RUN
    for file, text in _texts(_SHARED):
        yield _RENAMED.get(file, file), text.replace(_RUN_PLACEHOLDER, run).replace(_NAME_PLACEHOLDER, name)
    yield from own.items()


def _texts(template: str) -> Iterator[tuple[str, str]]:
    place = os.path.join(folder("templates"), template)
    for file in sorted(os.listdir(place)):
        with open(os.path.join(place, file), encoding="utf-8") as stream:
            yield file, stream.read()


def _write_new(path: str, text: str) -> bool:
    """Write a file with all of its text unless it exists, and return whether it was written."""
    folder, name = os.path.split(path)
    with LockedFolder(folder) as locked:
        if os.path.lexists(path):
            return False
        locked.replace(name, text.encode())
    return True
