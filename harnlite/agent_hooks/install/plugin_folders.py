"""Builds the plugins of the agents that have plugins: `python -m harnlite.agent_hooks.install.plugin_folders FOLDER`.

A plugin runs on any machine: it calls the command `harnlite`, and does nothing where that is not installed.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from harnlite.agent_hooks.install.agent_files import AGENT_FILES
from harnlite.agent_hooks.install.agent_scripts import plugin_text
from harnlite.agent_hooks.install.hook_commands import handler, words_of
from harnlite.agent_hooks.install.hook_entries import in_group
from harnlite.agent_hooks.install.rule_checks import check_rules, command_options
from harnlite.agent_hooks.starter_rules import starter_rule
from harnlite.durable_files import replace_file
from harnlite.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEFAULT_RULES = ("after-compact", "context")
_START = ("harnlite",)
_NAME = "harnlite"
_DESCRIPTION = "System reminders from rules: said once, with a lifetime, and again after a compaction."
_AUTHOR = {"name": "The harnlite authors"}
_LICENSE = "Apache-2.0"
_HOW = {
    "claude-code": "Start `claude --plugin-dir {folder}`, or add the folder above as a marketplace:\n"
    "`/plugin marketplace add {above}`, then `/plugin install harnlite@harnlite`.",
    "gemini": "Run `gemini extensions install {folder}`, and restart Gemini CLI.",
    "opencode": "Copy `harnlite.js` to `.opencode/plugins/` of a project or to `~/.config/opencode/plugins/`.",
}


def build_plugins(folder: str, rules: Sequence[str] = DEFAULT_RULES) -> list[str]:
    """Write the plugins for some starter rules into a folder, and return the paths of their files."""
    options = command_options(None, rules, {}, observe=False)
    wants = check_rules(options, folder).wants
    written: list[str] = []
    for agent, build in (("claude-code", _claude_code), ("gemini", _gemini), ("opencode", _opencode)):
        events = AGENT_FILES[agent].native_events(wants.__contains__)
        texts = {**build(options, events), "README.md": _readme(agent, rules, events)}
        for name, text in texts.items():
            written.append(_write(os.path.join(folder, agent, name), text))
    plugin = {"name": _NAME, "source": "./claude-code", "description": _DESCRIPTION}
    market = {"name": _NAME, "owner": _AUTHOR, "plugins": [plugin]}
    return [*written, _write(os.path.join(folder, ".claude-plugin", "marketplace.json"), _json(market))]


def _claude_code(options: Sequence[str], events: Sequence[str]) -> dict[str, str]:
    manifest = {
        "name": _NAME,
        "version": VERSION,
        "description": _DESCRIPTION,
        "author": _AUTHOR,
        "license": _LICENSE,
        "keywords": ["hooks", "reminders"],
    }
    return {
        ".claude-plugin/plugin.json": _json(manifest),
        "hooks/hooks.json": _json({"description": _DESCRIPTION, **_hooks("claude-code", options, events)}),
    }


def _gemini(options: Sequence[str], events: Sequence[str]) -> dict[str, str]:
    manifest = {"name": _NAME, "version": VERSION, "description": _DESCRIPTION}
    return {
        "gemini-extension.json": _json(manifest),
        "hooks/hooks.json": _json(_hooks("gemini", options, events)),
    }


def _opencode(options: Sequence[str], events: Sequence[str]) -> dict[str, str]:
    package = {
        "name": "opencode-harnlite",
        "version": VERSION,
        "description": _DESCRIPTION,
        "license": _LICENSE,
        "type": "module",
        "main": "harnlite.js",
    }
    command = words_of("opencode", options, "", _START)[:-1]
    return {"package.json": _json(package), "harnlite.js": plugin_text(command, events)}


def _hooks(agent: str, options: Sequence[str], events: Sequence[str]) -> dict[str, object]:
    files = AGENT_FILES[agent]
    return {"hooks": {event: [in_group(files, event, handler(files, options, event, _START))] for event in events}}


def _readme(agent: str, rules: Sequence[str], events: Sequence[str]) -> str:
    how = _HOW[agent].format(folder=agent, above=".")
    listed = "".join(f"- `{name}`: {starter_rule(name).meaning}\n" for name in rules)
    return (
        f"# harnlite for {AGENT_FILES[agent].title}\n\n{_DESCRIPTION}\n\n"
        f"It needs the command `harnlite` on the `PATH`; without it, nothing happens.\n\n"
        f"{how}\n\nThe rules:\n\n{listed}\nThey run in a sandbox at these events: {', '.join(events)}.\n"
        f"For rules of your own: `harnlite hook install --agent {agent} --script FILE`.\n"
    )


def _json(data: Mapping[str, object]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _write(path: str, text: str) -> str:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    replace_file(path, text.encode())
    return path


if __name__ == "__main__":
    _names = tuple(filter(None, sys.argv[2].split(","))) if sys.argv[2:] else DEFAULT_RULES
    sys.stdout.write("".join(f"{path}\n" for path in build_plugins(sys.argv[1], _names)))
