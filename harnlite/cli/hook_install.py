"""`harnlite hook install`: lets a coding agent start harnlite."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from harnlite.agent_hooks.install.agent_files import PROJECT
from harnlite.cli import exit_codes
from harnlite.cli.hook_options import (
    agent_option,
    color_option,
    fail,
    fail_with,
    has_confirmed,
    installations,
    scope_option,
    show,
    write_findings,
)
from harnlite.cli.shared_options import script_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.agent_hooks.install.file_changes import FileChange
    from harnlite.agent_hooks.install.installation import Installation
    from harnlite.agent_hooks.install.rule_checks import CheckedRules


@click.command()
@agent_option(required=True)
@scope_option("user")
@click.option("--script", metavar="FILE", type=click.Path(), help="The program that registers the rules.")
@click.option("--rules", multiple=True, metavar="NAME[,NAME]", help="Starter rules, for example after-compact,context.")
@click.option("--observe", is_flag=True, help="Log what would be said, and say nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before files are changed.")
@script_options
@color_option
def command(
    agent: str,
    scope: str,
    script: str | None,
    rules: tuple[str, ...],
    observe: bool,  # noqa: FBT001 - a flag
    yes: bool,  # noqa: FBT001 - a flag
    color: str,
    **engine: Any,  # noqa: ANN401 - the options of scripts
) -> None:
    """Let a coding agent start harnlite at its events.

    The differences in the configuration of the agent are shown first. Everything else in it stays as it is. An agent
    has one set of rules in each scope: installing again replaces it. What the rules may do is part of the command;
    starter rules without a script run in a sandbox with what they need.
    """
    from harnlite.agent_hooks.install.file_changes import UnusableFile, apply_all
    from harnlite.agent_hooks.install.rule_checks import command_options
    from harnlite.diagnostics.errors import LanguageError

    names = [name.strip() for text in rules for name in text.split(",") if name.strip()]
    if script is None and not names:
        raise click.UsageError("name the rules: --script FILE, or --rules NAME[,NAME]")
    [installation] = installations(agent, scope)
    try:
        _check_engine(engine)
        options = command_options(script, names, engine, observe=observe)
        checked = _checked(options, color)
        events = installation.files.native_events(checked.wants.__contains__)
        changes = [change for change in installation.install(options, events) if change.is_needed]
        if not changes:
            sys.stdout.write(f"nothing to change: {installation.files.title} already starts these rules\n")
            return
        show(changes, color)
        _tell_lacks(checked, color)
        _ask(changes, yes=yes)
        apply_all(changes, installation.records)
    except (UnusableFile, ValueError) as error:
        fail(str(error))
    except LanguageError as error:
        fail_with(error.diagnostics, color)
    _tell(installation, events)


def _check_engine(engine: dict[str, Any]) -> None:
    """Raise ValueError if an option of scripts is not valid."""
    from harnlite.host.engine import Engine
    from harnlite.host.script_limits import engine_settings

    Engine(**engine_settings(engine))


def _checked(options: Sequence[str], color: str) -> CheckedRules:
    """Return what the rules want, or report why they cannot be installed and exit."""
    from harnlite.agent_hooks.install.rule_checks import UnusableRules, check_rules
    from harnlite.resources import working_folder

    try:
        return check_rules(options, working_folder())
    except UnusableRules as error:
        write_findings(error.report, color)
        sys.stderr.write(f"error: {error}\n")
        sys.exit(exit_codes.NOT_COMPILED if error.report else exit_codes.FAILED)


def _tell_lacks(checked: CheckedRules, color: str) -> None:
    """Report which calls of the rules the options deny."""
    if checked.lacks:
        write_findings(checked.lacks, color)
    for note in checked.notes:
        sys.stderr.write(f"warning: {note}\n")
    if checked.lacks or checked.notes:
        sys.stderr.write("warning: the rules ask for more than the options allow; such calls will fail\n")


def _ask(changes: Sequence[FileChange], *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        fail("nothing was changed: there is no terminal to ask on; use --yes to write the configuration")
    files = ", ".join(change.path for change in changes)
    if not has_confirmed(f"Change {files}?"):
        fail("nothing was changed", exit_codes.FAILED)


def _tell(installation: Installation, events: Sequence[str]) -> None:
    """Say what was installed, and what the user still has to do."""
    files = installation.files
    sys.stdout.write(f"installed for {files.title}: {', '.join(events)}\n")
    if installation.scope == PROJECT:
        sys.stdout.write("note: the commands contain paths of this machine; on another one they do nothing\n")
    if files.approval:
        sys.stdout.write(f"next: {files.approval}\n")
    sys.stdout.write(f"check: harnlite hook doctor --agent {files.name}\n")
