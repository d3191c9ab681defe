"""What is configured: the keys of the configuration file, and the environment variables that harnlite reads."""

from __future__ import annotations

import os
from types import MappingProxyType

from harnlite.analysis.linting.context.configuration import SECTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.analysis.linting.configuration_files import ProjectFile

PREFIXES = ("HARNLITE_", "HARN_")
"""Each variable is read with the first prefix, then with the second; CACHE and FORMAT have only the first."""

ONE_PREFIX = frozenset({"CACHE", "FORMAT"})

VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "AGENT_TOOL_FORMAT": "how models are told of tools: native or text",
        "CACHE": "the folder of the code cache, or off",
        "DEFAULT_PROVIDER": "the provider of calls that name none",
        "DEFAULT_SHELL": "the shell that runs commands",
        "FORMAT": "the format of reports",
        "HOOK_TIMEOUT_MS": "how long a hook or reminder provider may take, 0 for ever",
        "LLM": "off: no model may be called; scripted: likewise, and calls that name no provider go to the mock",
        "LLM_CALLS_DISABLED": "1: no model may be called",
        "LLM_MODEL": "the model of calls that name none",
        "LLM_PROVIDER": "the provider of calls that name none, before the configuration",
        "LLM_STREAM": "off: replies come as a whole",
        "LLM_TIMEOUT": "how many seconds a model may take",
        "MEMORY_ROOT": "where memories are kept",
        "PROVIDERS_CONFIG": "a file with providers and models",
        "REPL_HISTORY": "the file of what was typed into the interactive session, or off",
        "RUN_DIR": "where runs keep their files",
        "SKILLS_PATH": "folders with skills",
        "STATE_DIR": "where the state of a project is kept",
        "STRUCTURAL_EXPERIMENT": "the experiment that model calls take part in",
        "UPDATE_SNAPSHOTS": "1: snapshots are written again",
        "WORKER_STATE_DIR": "where workers keep their state",
        "WORKTREE_DIR": "where worktrees are made",
    }
)
_DEFAULT = "default"
_OVERRIDES = {"lint.format": "HARNLITE_FORMAT"}
"""The keys that a variable overrides."""
_SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")


def configured_rows(project: ProjectFile | None) -> list[tuple[str, object, str]]:
    """Return each key that a configuration file may set, the value that counts, and where it comes from."""
    rows: list[tuple[str, object, str]] = []
    for section, keys in SECTIONS.items():
        said = project.section(section) if project is not None else {}
        for key, (_kind, default) in keys.items():
            name = f"{section}.{key}"
            variable = _OVERRIDES.get(name, "")
            if os.environ.get(variable):
                rows.append((name, os.environ[variable], variable))
            elif project is not None and key in said:
                rows.append((name, said[key], project.path))
            else:
                rows.append((name, list(default) if isinstance(default, tuple) else default, _DEFAULT))
    return rows


def environment_rows() -> list[tuple[str, str | None, str]]:
    """Return each variable, the value it has, if any, and what it is for; others with our prefixes are shown too."""
    rows = [_row(name, meaning) for name, meaning in VARIABLES.items()]
    known = {prefix + name for name in VARIABLES for prefix in PREFIXES}
    rows += [
        (name, _shown(name, os.environ[name]), "")
        for name in sorted(os.environ)
        if name.startswith(PREFIXES) and name not in known
    ]
    return rows


def _row(name: str, meaning: str) -> tuple[str, str | None, str]:
    for prefix in PREFIXES[:1] if name in ONE_PREFIX else PREFIXES:
        if prefix + name in os.environ:
            return prefix + name, _shown(name, os.environ[prefix + name]), meaning
    return PREFIXES[0] + name, None, meaning


def _shown(name: str, value: str) -> str:
    return "(set)" if any(word in name.upper() for word in _SECRET) else value
