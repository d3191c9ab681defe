"""Discovery of skills in folders that contain a SKILL.md; the first skill with a given id wins."""

from __future__ import annotations

import os
import stat

from harnlite.agent.skills.catalog import id_of
from harnlite.formats.yaml.reading import read_yaml
from harnlite.llm.configuration import check_manifest
from harnlite.regular_files import regular_file
from harnlite.resources import PROJECT_FILE, project_above
from harnlite.runtime.access_control import kind_at, readable_place
from harnlite.runtime.environment_settings import setting
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnlite.file_places import FilePlace
    from harnlite.runtime.tasks.execution import Execution

    Entry = dict[str, Any]

FILE = "SKILL.md"
_FENCE = "---"
_KNOWN = (
    "name",
    "short",
    "description",
    "when_to_use",
    "disable_model_invocation",
    "allowed_tools",
    "paths",
    "model",
    "effort",
    "context",
    "agent",
    "hooks",
    "shell",
    "argument_hint",
    "user_invocable",
    "require_signature",
    "trusted_signers",
)
_STATE = "discovered_skills"
_BUILTIN = "load_skill"
_SYSTEM_FOLDER = "/etc/harn/skills"


def discovered(run: Execution) -> dict[str, Entry]:
    """Return the discovered skills by id; the search happens on the first call in a run.

    The search passes over folders and files that the run may not read.
    """
    return run.state(_STATE, lambda: _discover(run))


def named(run: Execution, name: str) -> Entry:
    """Return the discovered skill with that id, or the only one with that name; raise an error otherwise."""
    found = discovered(run)
    if name in found:
        return found[name]
    matching = [entry for entry in found.values() if entry["name"] == name]
    if not matching:
        raise ScriptError(f"Error [tool_rejected]: skill_not_found: skill '{name}' not found")
    if len(matching) > 1:
        raise ScriptError(
            f"Error [tool_rejected]: skill '{name}' is ambiguous; use the fully qualified id from the catalog"
        )
    return matching[0]


def _discover(run: Execution) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for folder, namespace in _folders(run):
        for entry in _skills_in(run, folder, namespace):
            found.setdefault(id_of(entry), entry)
    return found


def _folders(run: Execution) -> Iterator[tuple[str, str | None]]:
    """Yield the folders to search, in order of precedence, with the namespace of the skills in each of them."""
    given = run.context.get("skill_dirs")
    for folder in given if isinstance(given, tuple | list) else ():
        yield os.path.join(run.cwd, str(folder)), None
    for folder in (setting("SKILLS_PATH") or "").split(os.pathsep):
        if folder:
            yield os.path.join(run.cwd, folder), None
    project = _project(run)
    state = setting("STATE_DIR") or ".harn"
    yield os.path.join(project, state, "skills"), None
    for folder in _manifest_paths(project):
        yield os.path.join(project, folder), None
    home = os.path.expanduser("~")
    yield os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "harn", "skills"), None
    packages = os.path.join(project, state, "packages")
    for package in _listing(run, packages):
        yield os.path.join(packages, package, "skills"), package
    yield _SYSTEM_FOLDER, None


def _project(run: Execution) -> str:
    """Return the project folder that contains the script; without a project, the folder of the script."""
    script = run.context.get("script")
    start = os.path.dirname(os.path.abspath(script)) if isinstance(script, str) else run.cwd
    return project_above(start) or start


def _manifest_paths(project: str) -> list[str]:
    path = os.path.join(project, PROJECT_FILE)
    if not os.path.isfile(path):
        return []
    import tomllib

    try:
        with open(path, "rb", opener=regular_file) as file:
            values = tomllib.load(file)
    except (OSError, ValueError):
        return []
    check_manifest(path, values)
    section = values.get("skills")
    paths = section.get("paths") if isinstance(section, dict) else None
    return [item for item in paths if isinstance(item, str)] if isinstance(paths, list) else []


def _listing(run: Execution, folder: str) -> list[str]:
    place = readable_place(run, _BUILTIN, folder)
    try:
        return [] if place is None else sorted(place.names())
    except OSError:
        return []


def _skill_file(run: Execution, folder: str) -> FilePlace | None:
    """Return the place of the file that makes a folder a skill, or None."""
    place = readable_place(run, _BUILTIN, os.path.join(folder, FILE))
    return place if stat.S_ISREG(kind_at(place)) else None


def _skills_in(run: Execution, folder: str, namespace: str | None) -> Iterator[Entry]:
    if _skill_file(run, folder):
        yield from _read(run, folder, namespace)
        return
    for name in _listing(run, folder):
        inner = os.path.join(folder, name)
        if _skill_file(run, inner):
            yield from _read(run, inner, namespace)
        elif namespace is None:
            for below in _listing(run, inner):
                yield from _read(run, os.path.join(inner, below), name)


def _read(run: Execution, folder: str, namespace: str | None) -> Iterator[Entry]:
    """Yield the skill in a folder, if there is one; skip an invalid skill with a warning on stderr."""
    place = _skill_file(run, folder)
    if place is None:
        return
    try:
        with open(place.open(os.O_RDONLY, regular_file), encoding="utf-8") as file:
            entry = read_skill(file.read(), os.path.basename(folder))
    except (OSError, ValueError, ScriptError) as error:
        reason = error.value if isinstance(error, ScriptError) else str(error)
        run.write_error(f"[harn] warning: skipped skill {place.path}: {reason}\n")
        return
    entry["skill_dir"] = folder
    if namespace is not None:
        entry["namespace"] = namespace
    yield entry


def read_skill(text: str, default_name: str) -> Entry:
    """Return the entry for the text of a SKILL.md: the fields of the front matter, and the rest as the body."""
    head, body = _split(text.replace("\r\n", "\n"))
    fields = read_yaml(head) if head.strip() else {}
    if not isinstance(fields, dict):
        raise ValueError("the front matter is not a mapping")  # noqa: TRY004 - an error in the file, like the others
    given = {key.replace("-", "_"): value for key, value in fields.items()}
    entry: Entry = {key: given[key] for key in _KNOWN if given.get(key) is not None}
    if not isinstance(entry.get("short"), str) or not entry["short"].strip():
        raise ValueError("the front matter has no `short`")
    name = entry.get("name")
    entry["name"] = name if isinstance(name, str) and name else default_name
    entry.setdefault("description", entry["short"])
    for key in ("allowed_tools", "paths"):
        if isinstance(entry.get(key), str):
            entry[key] = [part.strip() for part in entry[key].split(",") if part.strip()]
    entry["body"] = body
    return entry


def _split(text: str) -> tuple[str, str]:
    """Split a text into the front matter between two fences and the rest."""
    if not text.startswith(_FENCE + "\n"):
        return "", text
    end = text.find(f"\n{_FENCE}\n", len(_FENCE))
    if end < 0:
        if text.endswith("\n" + _FENCE):
            return text[len(_FENCE) + 1 : -len(_FENCE)], ""
        raise ValueError("the front matter has no closing `---`")
    return text[len(_FENCE) + 1 : end + 1], text[end + len(_FENCE) + 2 :].lstrip("\n")
