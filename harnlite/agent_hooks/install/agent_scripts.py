"""The files that are programs: the scripts of Cline, one for each event, and the plugin of opencode."""

from __future__ import annotations

import json
import os
import re
import shlex
from typing import TYPE_CHECKING

from harnlite.agent_hooks.install.hook_commands import has_mark, split_line, words_of
from harnlite.durable_files import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harnlite.agent_hooks.install.agent_files import AgentFiles

SUFFIX = ".sh"
PLUGIN = "opencode_plugin.js"
_NOTE = "# Written by `harnlite hook install`; `harnlite hook remove` deletes it."
_EMPTY = '{"cancel":false}'
_COMMAND, _EVENTS = '["harnlite", "hook", "--agent", "opencode"]', "[]"
_COMMAND_LINE = re.compile(r"^const COMMAND = (\[.*\]);$", re.MULTILINE)
_EVENTS_LINE = re.compile(r"^const EVENTS = (\[.*\]);$", re.MULTILINE)


def script_text(files: AgentFiles, options: Sequence[str], event: str) -> str:
    """Return the script for an event of Cline. It gives the empty answer if harnlite is gone."""
    line = shlex.join(words_of(files.name, options, event))
    return f"#!/bin/sh\n{_NOTE}\n{line} || echo '{_EMPTY}'\n"


def script_words(text: str) -> list[str]:
    """Return the words of the command in a script."""
    line = next((line for line in text.splitlines() if has_mark(line) and not line.startswith("#")), "")
    return split_line(line.removesuffix(f" || echo '{_EMPTY}'"))


def plugin_text(command: Sequence[str], events: Iterable[str]) -> str:
    """Return the plugin of opencode for a command, to which the name of the event is added, and some events."""
    text = read_file(os.path.join(os.path.dirname(__file__), PLUGIN)).decode()
    for name, old, new in (("COMMAND", _COMMAND, list(command)), ("EVENTS", _EVENTS, list(events))):
        text = text.replace(f"const {name} = {old};", f"const {name} = {json.dumps(new, ensure_ascii=False)};", 1)
    return text


def plugin_words(text: str) -> list[str]:
    """Return the words of the command in a plugin."""
    return _list_in(_COMMAND_LINE, text)


def plugin_events(text: str) -> list[str]:
    """Return the events that a plugin reports."""
    return _list_in(_EVENTS_LINE, text)


def _list_in(pattern: re.Pattern[str], text: str) -> list[str]:
    found = pattern.search(text)
    try:
        words = json.loads(found[1]) if found is not None else []
    except ValueError:
        return []
    return [str(word) for word in words]
