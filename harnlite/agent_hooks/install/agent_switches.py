"""The settings of coding agents that switch hooks off, and the folders that their users trust."""

from __future__ import annotations

import os
import sys
import tomllib
from typing import TYPE_CHECKING, Any

from harnlite.agent_hooks.install.agent_files import PROJECT, USER
from harnlite.agent_hooks.install.file_changes import UnusableFile, read_text, without_mark
from harnlite.agent_hooks.install.json_text import parse_json
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harnlite.agent_hooks.install.agent_files import AgentFiles

_MANAGED = {
    "darwin": "/Library/Application Support/ClaudeCode/managed-settings.json",
    "win32": "C:\\Program Files\\ClaudeCode\\managed-settings.json",
}
_MANAGED_ELSEWHERE = "/etc/claude-code/managed-settings.json"
_SETTINGS, _LOCAL, _TOML = "settings.json", "settings.local.json", "config.toml"
_NAME = "harnlite"
_TRUSTED, _TRUSTS_PARENT = "TRUST_FOLDER", "TRUST_PARENT"


def switched_off(files: AgentFiles, folder: str, env: Mapping[str, str]) -> list[str]:
    """Return a sentence for each setting because of which an agent does not run the hooks of harnlite."""
    found: list[str] = []
    for path, settings in _settings(files, folder, env):
        if settings.get("disableAllHooks") is True:
            found.append(f"`disableAllHooks` is set in {path}")
        if settings.get("allowManagedHooksOnly") is True:
            found.append(f"`allowManagedHooksOnly` is set in {path}")
        features = _object(settings.get("features"))
        found += [
            f"`[features] {key} = false` in {path}" for key in ("hooks", "codex_hooks") if features.get(key) is False
        ]
        table = _object(settings.get("hooksConfig"))
        if table.get("enabled") is False:
            found.append(f"`hooksConfig.enabled` is false in {path}")
        disabled = table.get("disabled")
        if isinstance(disabled, list) and _NAME in disabled:
            found.append(f"`hooksConfig.disabled` names {_NAME} in {path}")
    return found


def is_trusted(files: AgentFiles, folder: str, env: Mapping[str, str]) -> bool | None:
    """Return whether the user has trusted a folder in an agent, or None if the agent does not tell."""
    if files.name == "claude-code":
        base = env.get(files.home) or os.path.expanduser("~")
        projects = _object(_json_at(os.path.join(base, ".claude.json")).get("projects"))
        return any(_object(projects.get(one)).get("hasTrustDialogAccepted") is True for one in _above(folder))
    if files.name == "gemini":
        path = os.path.join(os.path.dirname(files.path(USER, folder, env)), "trustedFolders.json")
        levels = _json_at(path)
        trusted = {one for one, level in levels.items() if level == _TRUSTED}
        trusted |= {os.path.dirname(one) for one, level in levels.items() if level == _TRUSTS_PARENT}
        return any(one in trusted for one in _above(folder))
    return None


def _above(folder: str) -> list[str]:
    """Return a folder and all those above it."""
    found = [os.path.realpath(folder)]
    while os.path.dirname(found[-1]) != found[-1]:
        found.append(os.path.dirname(found[-1]))
    return found


def _json_at(path: str) -> dict[str, Any]:
    """Return the object in a JSON file; an empty one if it cannot be read."""
    try:
        text = without_mark(read_text(path) or "")[1]
        return _object(parse_json(Source(text, path), has_comments=True).value if text.strip() else {})
    except (UnusableFile, LanguageError):
        return {}


def _settings(files: AgentFiles, folder: str, env: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the settings of an agent that can be read, with their paths."""
    names = {"codex": (_TOML,)}.get(files.name, (_SETTINGS, _LOCAL))
    paths = [
        os.path.join(os.path.dirname(files.path(scope, folder, env)), name)
        for scope in (USER, PROJECT)
        for name in names
    ]
    if files.name == "claude-code":
        paths.append(_MANAGED.get(sys.platform, _MANAGED_ELSEWHERE))
    for path in dict.fromkeys(paths):
        if not path.endswith(_TOML):
            yield path, _json_at(path)
            continue
        try:
            yield path, tomllib.loads(without_mark(read_text(path) or "")[1])
        except (UnusableFile, ValueError):
            continue


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
