"""The table `hook` in the configuration of the project that contains the rules."""

from __future__ import annotations

import os

from harnlite.regular_files import regular_file
from harnlite.resources import PROJECT_FILE, project_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.rule_sets import RuleSet

TABLE = "hook"
_HEADER = b"[hook]"


def settings_file(rules: RuleSet, cwd: str | None) -> str | None:
    """Return the configuration of the project that contains the script, or else the agent's folder, or None."""
    start = os.path.dirname(rules.script) if rules.script is not None else cwd
    folder = project_above(start) if start else None
    return None if folder is None else os.path.join(folder, PROJECT_FILE)


def settings_for(rules: RuleSet, cwd: str | None) -> dict[str, object]:
    """Return the settings for some rules; raise ValueError if the configuration is not valid."""
    path = settings_file(rules, cwd)
    if path is None:
        return {}
    try:
        with open(path, "rb", opener=regular_file) as file:
            text = file.read()
    except FileNotFoundError:
        return {}
    if _HEADER not in text:
        return {}
    import tomllib

    from harnlite.options.manifest import manifest_fault

    values = tomllib.loads(text.decode())
    table = {TABLE: values[TABLE]} if TABLE in values else {}
    fault = manifest_fault(table)
    if fault is not None:
        raise ValueError(f"{path}: {fault.message}")
    found = table.get(TABLE)
    return found if isinstance(found, dict) else {}
