"""Builtins for registries of skills, the skill catalog, and rendering and loading skills."""

from __future__ import annotations

from harnlite.agent.loop.features.loop_skills import check_signature
from harnlite.agent.skills import catalog
from harnlite.agent.skills.discovery import discovered, named
from harnlite.library.argument_types import expect, expect_dict, expect_list, int_argument, mismatch, text_argument
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.skills.catalog import Entry
    from harnlite.runtime.tasks.execution import Execution


def _entries(function: str, registry: object) -> list[Entry]:
    expect(function, "registry", registry, "dict")
    return catalog.entries_of(function, registry)


@native("skill_registry")
def skill_registry() -> dict[str, object]:
    """Return a registry without skills."""
    return catalog.registry()


@native("skill_define")
def skill_define(registry: object = None, name: object = None, config: object = None) -> dict[str, object]:
    """Return the registry with a skill added."""
    expect("skill_define", "registry", registry, "dict")
    title = text_argument("skill_define", "name", name)
    given = expect_dict("skill_define", "config", config)
    entries = catalog.entries_of("skill_define", registry)
    return catalog.registry(catalog.define(entries, title, given))


@native("skill_list")
def skill_list(registry: object = None) -> list[object]:
    """Return the skills of a registry without their closures."""
    return [catalog.without_closures(entry) for entry in _entries("skill_list", registry)]


@native("skill_find")
def skill_find(registry: object = None, name: object = None) -> Entry | None:
    """Return the skill with a name, or nil."""
    entries = _entries("skill_find", registry)
    expect("skill_find", "name", name, "string")
    return next((entry for entry in entries if entry.get("name") == name), None)


@native("skill_select")
def skill_select(registry: object = None, names: object = None) -> dict[str, object]:
    """Return a registry with only the skills that have these names."""
    entries = _entries("skill_select", registry)
    wanted = [name for name in expect_list("skill_select", "names", names) if isinstance(name, str)]
    return catalog.registry([entry for entry in entries if entry.get("name") in wanted])


@native("skill_remove")
def skill_remove(registry: object = None, name: object = None) -> dict[str, object]:
    """Return the registry without the skill that has this name."""
    entries = _entries("skill_remove", registry)
    expect("skill_remove", "name", name, "string")
    return catalog.registry([entry for entry in entries if entry.get("name") != name])


@native("skill_count")
def skill_count(registry: object = None) -> int:
    """Return the number of skills in a registry."""
    return len(_entries("skill_count", registry))


@native("skill_describe")
def skill_describe(registry: object = None) -> str:
    """Return a readable list of the skills of a registry."""
    return catalog.describe(_entries("skill_describe", registry))


@native("skills_catalog_entries")
def skills_catalog_entries(registry: object = None) -> list[object]:
    """Return the catalog entries that describe skills to a model before they are loaded."""
    return [*catalog.catalog(_entries("skills_catalog_entries", registry))]


@native("render_always_on_catalog")
def render_always_on_catalog(entries: object = None, budget: object = catalog.BUDGET) -> str:
    """Return the catalog of skills as a section of a system prompt."""
    function = "render_always_on_catalog"
    if entries.__class__ is not dict and entries.__class__ is not list:
        raise mismatch(function, "entries", entries, "dict", "list")
    limit = int_argument(function, "budget", budget, catalog.BUDGET)
    if entries.__class__ is dict:
        rows = catalog.catalog(catalog.entries_of(function, entries))
    else:
        rows = [entry for entry in entries if isinstance(entry, dict)]
    return catalog.catalog_text(rows, limit)


@native("skill_render")
def skill_render(run: Execution, entry: object = None, args: object = None) -> str:
    """Return the body of a skill with its placeholders filled in."""
    if entry.__class__ is not dict and entry.__class__ is not str:
        raise mismatch("skill_render", "entry", entry, "dict", "string")
    return catalog.render(run, entry, args)


@native("__host_skills")
def host_skills(run: Execution) -> dict[str, object]:
    """Return the registry of the discovered skills, which is empty if the run may not read any."""
    return catalog.registry(list(discovered(run).values()))


@native("load_skill")
def load_skill(run: Execution, name: object = None) -> str:
    """Return the rendered body of a skill that was discovered at start-up."""
    require(run, "fs.read", "load_skill")
    expect("load_skill", "name", name, "dict", "string", optional=True)
    given = name if isinstance(name, dict) else {"name": name}
    wanted = given.get("name")
    if not isinstance(wanted, str) or not wanted.strip():
        raise thrown("load_skill: requires a non-empty skill name")
    if not discovered(run):
        raise thrown("load_skill: no skill registry is bound to this scope. Start the VM with discovered skills first.")
    entry = named(run, wanted)
    check_signature(entry, given.get("require_signature"))
    return catalog.render(run, entry, given.get("arguments"))
