"""The table `hook` in the configuration of the project that contains the rules."""

from __future__ import annotations

import os

from harnlite.regular_files import regular_file
from harnlite.resources import PROJECT_FILE, project_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.rule_sets import RuleSet

TABLE = "hook"


def settings_for(rules: RuleSet, cwd: str | None) -> dict[str, object]:
    """Return the settings for some rules: those of the project of the script, or else of the agent's folder."""
    start = os.path.dirname(rules.script) if rules.script is not None else cwd
    folder = project_above(start) if start else None
    if folder is None:
        return {}
    try:
        with open(os.path.join(folder, PROJECT_FILE), "rb", opener=regular_file) as file:
            text = file.read()
    except OSError:
        return {}
    if b"[hook]" not in text:
        return {}
    import tomllib

    try:
        found = tomllib.loads(text.decode()).get(TABLE)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
