"""What is installed in coding agents, whether it can work, and what the user still has to do."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from harnlite.agent_hooks.install.agent_switches import is_trusted, switched_off
from harnlite.agent_hooks.install.file_changes import UnusableFile
from harnlite.agent_hooks.install.hook_overviews import Overview, finding_text, overviews, place_of, without_event
from harnlite.agent_hooks.install.rule_checks import UnusableRules, check_rules
from harnlite.agent_hooks.log_reading import last_entry
from harnlite.diagnostics.errors import LanguageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.install.installation import Installation
    from harnlite.diagnostics.diagnostic import Diagnostic

BROKEN, MISSING, OFF = "BROKEN", "MISSING", "OFF"
PROBLEMS = (BROKEN, MISSING, OFF)
"""How the value of a row begins that tells of a problem."""


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
        rows += _call_rows(files.name, *_approval(installation, env, folder))
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
        checked = check_rules(without_event(one.words), folder)
    except UnusableRules as error:
        place = f": {finding_text(error.report)}" if error.report else ""
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


def _approval(installation: Installation, env: Mapping[str, str], folder: str) -> tuple[str, bool | None]:
    """Return what the user has to do in an agent, and whether that was done; None if the agent does not tell."""
    is_done = is_trusted(installation.files, folder, env)
    return (f"{folder} is trusted" if is_done else installation.files.approval), is_done


def _call_rows(agent: str, approval: str, is_done: bool | None) -> list[tuple[str, str]]:  # noqa: FBT001 - a fact
    """Return the last call of an agent, from the log, and what the user has to do before the agent calls."""
    last = last_entry(agent)
    if last is None:
        head = "  trust" if is_done else "  to do"
        return [*([(head, approval)] if approval else []), ("  last call", "none yet")]
    text = f"{last.get('time')}, {last.get('native')}, {last.get('ms')} ms, {last.get('outcome')}"
    rows = [("  last call", text)]
    if last.get("error"):
        rows.append(("  last error", f"{BROKEN}: {last['error']}"))
    if approval:
        rows.append(("  trust" if is_done else "  if it does not call", approval))
    return rows


def _line(finding: Diagnostic) -> int:
    return finding.source.position(finding.span.start).line
