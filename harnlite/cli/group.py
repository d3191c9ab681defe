"""The commands, which are loaded on demand."""

from __future__ import annotations

from importlib import import_module

import click

from harnlite.version import VERSION

COMMANDS = {
    "a2a": "Serve other agents with the Agent2Agent protocol over HTTP.",
    "acp": "Serve an editor or another client of the Agent Client Protocol over standard input and output.",
    "builtins": "List the builtins, or show NAME.",
    "cache": "Show or clear the code cache.",
    "check": "Report errors and warnings in FILEs.",
    "compile": "Show the syntax tree or the generated code of FILE.",
    "completion": "Print the completion script for SHELL.",
    "config": "Show the effective configuration in FOLDER.",
    "doctor": "Show the state of this installation.",
    "explain": "Explain CODEs, which are codes or names of rules.",
    "fmt": "Format PATHs, by default the current folder.",
    "hook": "Run rules inside coding agents.",
    "init": "Turn the current folder into a project.",
    "lint": "Find mistakes in PATHs, by default the current folder.",
    "lsp": "Run the language server.",
    "models": "List the providers that are configured, and their models with limits, prices and capabilities.",
    "new": "Create the folder NAME with a new project.",
    "render": "Show the first request to a model that FILE would make, without sending it.",
    "repl": "Start an interactive session; FILE is run first.",
    "run": "Run the program in FILE.",
    "schema": "Print the JSON Schema NAME, or list all schemas.",
    "test": "Run the tests in PATHs.",
    "timeline": "Show a timeline of the reminders in the event log EVENTS.",
}
"""The commands with the first sentences of their help texts, which the list of commands shows without loading them."""


class LazyGroup(click.Group):
    """A group that loads a command from a module when it is used; subclasses are other groups of the same kind."""

    table = COMMANDS
    """The commands with the first sentences of their help texts."""
    modules = "harnlite.cli."
    """The beginning of the names of their modules."""
    advice = "To run a file: harnlite run {name}"
    """What is said of a name that is not similar to that of a command."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it so
        """Return the names of the commands."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click calls it so
        """Import and return a command, or None if there is no such command."""
        if cmd_name not in self.table:
            return None
        command = import_module(self.modules + cmd_name).command
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click calls it so
        """Write the list of the commands."""
        limit = formatter.width - 6 - max(map(len, self.table))
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, click.Command(name, help=text).get_short_help_str(limit)) for name, text in self.table.items()]
            )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options of `harnlite` itself."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _with_near_options(error) from None

    def invoke(self, ctx: click.Context) -> object:
        """Run the command, which first parses its own options."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            raise _with_near_options(error) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the command of these arguments; suggest a similar name for an unknown one."""
        if args and args[0] not in self.table and not args[0].startswith("-"):
            from harnlite.diagnostics.suggest import near_name

            near = near_name(args[0], self.table)
            hint = f"Did you mean {near!r}?" if near else self.advice.format(name=args[0])
            raise click.UsageError(f"No such command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)


def _with_near_options(error: click.NoSuchOption) -> click.NoSuchOption:
    """Return the error with the option that is spelled almost the same; click suggests quite different ones too."""
    from harnlite.diagnostics.suggest import near_name

    command = error.ctx.command if error.ctx is not None else None
    names = [name for param in (command.params if command is not None else ()) for name in param.opts]
    near = near_name(error.option_name.lstrip("-"), [name.lstrip("-") for name in names])
    found = [f"--{near}"] if near is not None and f"--{near}" in names else None
    return click.NoSuchOption(error.option_name, possibilities=found, ctx=error.ctx)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, message="harnlite %(version)s")
def group() -> None:
    """Run and check programs in the harnlite language.

    Without a command, harnlite starts an interactive session on a terminal; otherwise it runs a program from standard
    input.
    """
