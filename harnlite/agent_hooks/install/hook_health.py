"""What is installed in coding agents, whether it can work, and what the user still has to do."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from harnlite.agent_hooks.hook_options import HookOptions, UsageError, read_options
from harnlite.agent_hooks.install.agent_switches import switched_off
from harnlite.agent_hooks.install.file_changes import UnusableFile
from harnlite.agent_hooks.install.rule_checks import UnusableRules, check_rules
from harnlite.agent_hooks.log_reading import last_entry
from harnlite.diagnostics.errors import LanguageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harnlite.agent_hooks.install.installation import Installation, InstalledHook

BROKEN, MISSING, OFF = "BROKEN", "MISSING", "OFF"
PROBLEMS = (BROKEN, MISSING, OFF)
"""How the value of a row begins that tells of a problem."""
_HOOK = "hook"


class Overview:
    """The hooks of one agent in one scope, in one file, with the same options."""

    __slots__ = ("agent", "events", "options", "path", "scope", "words")

    def __init__(self, agent: str, scope: str, hook: InstalledHook) -> None:
        self.agent = agent
        self.scope = scope
        self.path = hook.path
        self.words = hook.words
        self.events = [hook.event]
        self.options = options_in(hook.words)

    def data(self) -> dict[str, Any]:
        """Return the overview as JSON-like data."""
        options = self.options
        return {
            "agent": self.agent,
            "scope": self.scope,
            "path": self.path,
            "script": options.script if options is not None else None,
            "rules": list(options.rules) if options is not None else [],
            "observe": options is not None and options.observe,
            "options": _without_event(self.words),
            "events": self.events,
            "command": self.words,
        }

    def rules_text(self) -> str:
        """Return the rules as text."""
        options = self.options
        if options is None:
            return "(a command that harnlite does not understand)"
        parts = [options.script] if options.script else []
        parts += [f"rules {', '.join(options.rules)}"] if options.rules else []
        return " and ".join(parts) + (" (observed only)" if options.observe else "")


def overviews(installation: Installation) -> list[Overview]:
    """Return what is installed. Raise UnusableFile or LanguageError if the configuration cannot be read."""
    found: dict[tuple[str, ...], Overview] = {}
    for hook in installation.hooks():
        key = (hook.path, *(hook.words[:-1] if hook.words[-1:] == [hook.event] else hook.words))
        if key in found:
            found[key].events.append(hook.event)
        else:
            found[key] = Overview(installation.files.name, installation.scope, hook)
    return list(found.values())


def options_in(words: Sequence[str]) -> HookOptions | None:
    """Return the options in the words of a command, or None."""
    if _HOOK not in words:
        return None
    try:
        return read_options(words[words.index(_HOOK) + 1 :])
    except UsageError:
        return None


def rows_of(installation: Installation, env: Mapping[str, str], folder: str) -> list[tuple[str, str]]:
    """Return the state of what is installed for an agent in a scope; nothing is installed if there are no rows."""
    files = installation.files
    head = f"{files.name} ({installation.scope})"
    try:
        found = overviews(installation)
    except UnusableFile as error:
        return [(head, f"{BROKEN}: {error}")]
    except LanguageError as error:
        return [(head, f"{BROKEN}: {place_of(error)}")]
    rows: list[tuple[str, str]] = []
    for one in found:
        rows.append((head, one.path))
        rows.append(("  events", ", ".join(one.events)))
        rows.append(("  rules", one.rules_text()))
        rows += _command_rows(one)
        rows += _rule_rows(one, installation, folder)
    if found:
        rows += [("  switch", f"{OFF}: {text}") for text in switched_off(files, folder, env)]
        rows += _call_rows(files.name, files.approval)
    return rows


def _command_rows(one: Overview) -> list[tuple[str, str]]:
    """Return whether the interpreter and the file of the command exist."""
    if not one.words:
        return [("  command", f"{BROKEN}: it is not the command that harnlite has written; install again")]
    program = one.words[0]
    start = next((word for word in one.words if word.endswith("start.py")), "")
    if not os.path.isfile(program) or not os.access(program, os.X_OK):
        return [("  interpreter", f"{MISSING}: {program}; install again")]
    if not os.path.isfile(start):
        return [("  interpreter", f"{MISSING}: {start}; install again")]
    other = "" if program == sys.executable else ", not the one of this command"
    return [("  interpreter", f"{program}{other}")]


def _rule_rows(one: Overview, installation: Installation, folder: str) -> list[tuple[str, str]]:
    """Return whether the rules can run, and whether the registered events are those that they want."""
    if one.options is None:
        return []
    try:
        checked = check_rules(_without_event(one.words), folder)
    except UnusableRules as error:
        place = f": {_finding(error.report)}" if error.report else ""
        return [("  script", f"{BROKEN}: {error}{place}")]
    except ValueError as error:
        return [("  script", f"{BROKEN}: {error}")]
    rows = [("  script", "compiles and runs")]
    events = installation.files.native_events(checked.wants.__contains__)
    missing = [event for event in events if event not in one.events]
    if missing:
        rows.append(("  missing events", f"{MISSING}: the rules want {', '.join(missing)}; install again"))
    rows += [("  capabilities", f"{finding.message} (line {_line(finding)})") for finding in checked.lacks]
    rows += [("  capabilities", note) for note in checked.notes]
    return rows


def _call_rows(agent: str, approval: str) -> list[tuple[str, str]]:
    """Return the last call of an agent, from the log, and what the user has to do before the agent calls."""
    last = last_entry(agent)
    if last is None:
        return [*([("  to do", approval)] if approval else []), ("  last call", "none yet")]
    text = f"{last.get('time')}, {last.get('native')}, {last.get('ms')} ms, {last.get('outcome')}"
    rows = [("  last call", text)]
    if last.get("error"):
        rows.append(("  last error", f"{BROKEN}: {last['error']}"))
    return [*rows, *([("  if it does not call", approval)] if approval else [])]


def _without_event(words: Sequence[str]) -> list[str]:
    """Return the options that name the rules and what they may do."""
    if _HOOK not in words:
        return []
    rest = list(words[words.index(_HOOK) + 1 :])
    kept: list[str] = []
    while rest:
        word = rest.pop(0)
        if word == "--agent":
            rest = rest[1:]
        elif word in {"--sandbox", "--observe"} or "=" in word:
            kept.append(word)
        elif word.startswith("--"):
            kept += [word, *rest[:1]]
            rest = rest[1:]
    return kept


def place_of(error: LanguageError) -> str:
    """Return an error in a configuration as one line with its place."""
    return _finding(error.diagnostics) if error.diagnostics else str(error)


def _finding(report: Sequence[Any]) -> str:
    finding = next((one for one in report if one.is_error), report[0])
    place = finding.source.position(finding.span.start)
    return f"{finding.source.name}:{place.line}:{place.column}: {finding.message}"


def _line(finding: Any) -> int:  # noqa: ANN401 - a finding
    line: int = finding.source.position(finding.span.start).line
    return line
