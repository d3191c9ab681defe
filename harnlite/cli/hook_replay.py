"""`harnlite hook replay`: shows what rules would have told the model in a recorded session."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from harnlite.cli import exit_codes
from harnlite.cli.report_files import write_report
from harnlite.cli.run_request import COLORS, STDIN
from harnlite.cli.server_options import SCRIPT_OPTIONS
from harnlite.cli.shared_options import script_options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from harnlite.agent_hooks.replay.replay_runs import Replay
    from harnlite.agent_hooks.rule_sets import RuleSet

_AGENTS = ("claude-code", "codex", "gemini", "qwen", "codebuddy", "tabnine")

_SECONDS = 30.0
"""The time for one call, in which nobody waits here; agents wait a few seconds."""


@click.command("replay")
@click.argument("file", type=click.Path())
@click.option("--agent", type=click.Choice(_AGENTS), help="The agent that has recorded FILE; default: as FILE shows.")
@click.option("--script", type=click.Path(), metavar="FILE", help="The script with the rules.")
@click.option("--rules", multiple=True, metavar="NAME[,NAME]", help="Starter rules, for example after-compact,context.")
@click.option("--compare", metavar="FILE|NAME[,NAME]", help="Another script, or other starter rules, to compare with.")
@click.option("--folder", type=click.Path(), help="The project folder to use instead of the recorded one.")
@click.option("--format", "style", type=click.Choice(("text", "json")), default="text", help="Output format.")
@click.option("--html", metavar="FILE", help="Also write a timeline as an HTML page; '-' means standard output.")
@click.option("--color", type=click.Choice(COLORS), default="auto", help="When to use colour in the table.")
@click.option("--debug", is_flag=True, help="Show Python tracebacks for internal errors.")
@script_options
@click.pass_context
def command(context: click.Context, /, file: str, **options: Any) -> None:  # noqa: ANN401 - the options above
    """Show what rules would have told the model in the recorded session FILE, and when.

    FILE is a transcript of Claude Code (~/.claude/projects/…/ID.jsonl), a rollout of Codex CLI
    (~/.codex/sessions/…/rollout-….jsonl), or a chat of Gemini CLI or Qwen Code; '-' means standard input. No model is
    called, and nothing is stored. The rules run as in the agent: those that look at files see the files of today.
    """
    from harnlite.agent_hooks.replay.recorded_sessions import RecordedSession, UnknownRecording
    from harnlite.agent_hooks.replay.replay_runs import Replay
    from harnlite.agent_hooks.rule_scripts import RulesFailed

    rules = _rules(context, options["script"], options["rules"], options)
    other = None if options["compare"] is None else _other_rules(context, options["compare"], options)
    try:
        with _opened(file) as stream:
            session = RecordedSession(stream, options["agent"], None if file == STDIN else file)
            replay = Replay(session, rules, other, options["folder"])
            replay.run()
    except OSError as error:
        raise click.UsageError(f"cannot read {file!r}: {error.strerror}") from None
    except UnknownRecording as error:
        raise click.UsageError(f"cannot replay {file!r}: {error}; --agent names the agent", context) from None
    except RulesFailed as failure:
        sys.stderr.write(f"error: {failure}\n")
        context.exit(exit_codes.NOT_COMPILED if failure.is_broken else exit_codes.FAILED)
    if session.damaged:
        lines = "line" if session.damaged == 1 else "lines"
        sys.stderr.write(f"{file}: skipped {session.damaged} {lines} that cannot be read\n")
    _show(replay, file, options)
    context.exit(exit_codes.FAILED if replay.has_errors else exit_codes.OK)


def _opened(file: str) -> BinaryIO:
    return sys.stdin.buffer if file == STDIN else open(file, "rb")


def _rules(context: click.Context, script: str | None, listed: Sequence[str], options: dict[str, Any]) -> RuleSet:
    """Return the rules; starter rules without a script run in a sandbox with what they need, as if installed."""
    from harnlite.agent_hooks.rule_sets import RuleSet
    from harnlite.agent_hooks.starter_rules import allowed_to

    names = [name.strip() for text in listed for name in text.split(",") if name.strip()]
    flags = {name: options[name] for name in SCRIPT_OPTIONS if options[name]}
    if script is None and not names:
        raise click.UsageError("name the rules with --script FILE or --rules NAME", context)
    if script is not None and not os.path.isfile(script):
        raise click.UsageError(f"cannot read {script!r}: it is not a file", context)
    try:
        if names and (script is None or "sandbox" in flags):
            flags |= {"sandbox": True, "allow": (*options["allow"], *allowed_to(names))}
    except ValueError as error:
        raise click.UsageError(str(error), context) from None
    return RuleSet(script, names, {**flags, "deadline": _SECONDS})


def _other_rules(context: click.Context, given: str, options: dict[str, Any]) -> RuleSet:
    is_script = given.endswith(".harn") or os.path.exists(given)
    return _rules(context, given, (), options) if is_script else _rules(context, None, [given], options)


def _show(replay: Replay, file: str, options: dict[str, Any]) -> None:
    from harnlite.cli.terminal import wants_color, width_of

    html, style = options["html"], options["style"]
    if html is not None:
        page = replay.page(f"Reminders in {os.path.basename(file)}")
        if html == STDIN:
            sys.stdout.write(page)
            return
        write_report(html, page)
    if style == "json":
        from harnlite.diagnostics.render_json import dumps

        sys.stdout.write(dumps(replay.fields(file)) + "\n")
        return
    sys.stdout.write(replay.text(color=wants_color(options["color"], sys.stdout), width=width_of(sys.stdout)))
