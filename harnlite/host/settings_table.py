"""The settings of harnlite: the keys of the configuration file and the environment variables."""

from __future__ import annotations

import os
from types import MappingProxyType

from harnlite.analysis.linting.context.configuration import SECTIONS
from harnlite.capabilities.limit_table import MEMORY, TABLE
from harnlite.runtime.environment_settings import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.analysis.linting.configuration_files import ProjectFile

PREFIXES = ("HARNLITE_", "HARN_")
"""Each variable is looked up with the first prefix, then with the second, except for CACHE, FORMAT and HOOK."""

ONE_PREFIX = frozenset({"CACHE", "FORMAT", "HOOK"})

VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "AGENT_TOOL_FORMAT": "the format in which tools are described to models: native or text",
        "CACHE": "the folder of the code cache, or off",
        "DEFAULT_PROVIDER": "the provider for calls that do not specify one",
        "DEFAULT_SHELL": "the shell that runs commands",
        "FORMAT": "the format of reports",
        "HOOK": "set for what a hook of a coding agent starts, so that hooks in it do nothing",
        "HOOK_TIMEOUT_MS": "the time limit of a hook or reminder provider in milliseconds, 0 for none",
        "LIMITS": "limits of scripts, as NAME=N,NAME=N",
        "LLM": "off: no model may be called; scripted: the same, but calls that do not specify a provider use the mock",
        "LLM_CALLS_DISABLED": "1: no model may be called",
        "LLM_MODEL": "the model for calls that do not specify one",
        "LLM_PROVIDER": "the provider for calls that do not specify one; overrides the configuration",
        "LLM_STREAM": "0 or false: replies are not streamed",
        "LLM_TIMEOUT": "the time limit of a model call in seconds",
        "MAX_MEMORY": "the limit on the memory of a run, for example 512MB",
        "MEMORY_ROOT": "the folder for memories",
        "PROVIDERS_CONFIG": "a file that configures providers and models",
        "REPL_HISTORY": "the history file of the interactive session, or off",
        "RUN_DIR": "the folder for the files of runs",
        "SKILLS_PATH": "folders with skills",
        "STATE_DIR": "the folder for the state of a project, and of hooks in coding agents",
        "STRUCTURAL_EXPERIMENT": "the structural experiment that is applied to model calls",
        "UPDATE_SNAPSHOTS": "1: snapshots are rewritten",
        "WORKER_STATE_DIR": "the folder for the state of workers",
        "WORKTREE_DIR": "the folder for worktrees",
    }
)
FOREIGN_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "ANTHROPIC_BASE_URL": "the address of anthropic, without a version",
        "AZURE_OPENAI_ENDPOINT": "the address of a resource of Azure, as .../openai/v1 or without it",
        "GEMINI_BASE_URL": "the address of gemini, without a version; GOOGLE_GEMINI_BASE_URL is the same",
        "LOCAL_LLM_BASE_URL": "the address of a server that is compatible with OpenAI",
        "LOCAL_LLM_MODEL": "the model of that server",
        "OLLAMA_HOST": "the address of ollama, also as host:port",
        "OPENAI_API_VERSION": "the version of the API that azure_openai is asked for",
        "OPENAI_BASE_URL": "the address of openai, with /v1; other providers have X_BASE_URL",
    }
)
"""Variables without our prefixes that select where models are called; those of keys are in the table of providers."""
_DEFAULT = "default"
_OVERRIDES = {"lint.format": "HARNLITE_FORMAT"}
"""The variables that override configuration keys."""
_SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")


def configured_rows(project: ProjectFile | None) -> list[tuple[str, object, str]]:
    """Return each key that a configuration file may set, with its effective value and the origin of that value."""
    rows: list[tuple[str, object, str]] = []
    for section, keys in SECTIONS.items():
        section_values = project.section(section) if project is not None else {}
        for key, (_kind, default) in keys.items():
            name = f"{section}.{key}"
            variable = _OVERRIDES.get(name, "")
            if os.environ.get(variable):
                rows.append((name, os.environ[variable], variable))
            elif project is not None and key in section_values:
                rows.append((name, section_values[key], project.path))
            else:
                rows.append((name, list(default) if isinstance(default, tuple) else default, _DEFAULT))
    return [*rows, *_limit_rows(project)]


def _limit_rows(project: ProjectFile | None) -> list[tuple[str, object, str]]:
    """Return each limit of scripts; a variable that is not valid sets none."""
    set_here = project.values.get("limits", {}) if project is not None else {}
    variables: dict[str, tuple[object, str]] = {}
    for variable, prefix in (("LIMITS", ""), ("MAX_MEMORY", f"{MEMORY}=")):
        for part in filter(None, (setting(variable) or "").split(",")):
            name, _, value = (prefix + part).partition("=")
            variables[name.strip()] = value.strip(), PREFIXES[0] + variable
    rows: list[tuple[str, object, str]] = []
    for name, default, _, _ in TABLE:
        row: tuple[object, str] = default, _DEFAULT
        if name in variables:
            row = variables[name]
        elif name in set_here and project is not None:
            row = set_here[name], project.path
        rows.append((f"limits.{name}", *row))
    return rows


def environment_rows() -> list[tuple[str, str | None, str]]:
    """Return the name, value and meaning of each known variable, and other variables with our prefixes."""
    rows = [_row(name, meaning) for name, meaning in VARIABLES.items()]
    known = {prefix + name for name in VARIABLES for prefix in PREFIXES}
    rows += [
        (name, _shown(name, os.environ[name]), "")
        for name in sorted(os.environ)
        if name.startswith(PREFIXES) and name not in known
    ]
    return rows


def address_rows() -> list[tuple[str, str | None, str]]:
    """Return the name, value and meaning of each variable without our prefixes that selects where models are called."""
    return [(name, _address(os.environ.get(name)), meaning) for name, meaning in FOREIGN_VARIABLES.items()]


def _address(value: str | None) -> str | None:
    """Return an address for people; one with a user and password is not shown."""
    return value if value is None or "@" not in value else "(set)"


def _row(name: str, meaning: str) -> tuple[str, str | None, str]:
    for prefix in PREFIXES[:1] if name in ONE_PREFIX else PREFIXES:
        if prefix + name in os.environ:
            return prefix + name, _shown(name, os.environ[prefix + name]), meaning
    return PREFIXES[0] + name, None, meaning


def _shown(name: str, value: str) -> str:
    return "(set)" if any(word in name.upper() for word in _SECRET) else value
