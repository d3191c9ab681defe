"""`harnlite completion`: completion scripts for shells."""

from __future__ import annotations

import sys

import click
from click.shell_completion import get_completion_class

from harnlite.cli.entry import COMPLETION

SHELLS = ("bash", "zsh", "fish")
PROGRAM = "harnlite"


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    r"""Print the completion script for SHELL.

    \b
    bash: eval "$(harnlite completion bash)"     in ~/.bashrc
    zsh:  eval "$(harnlite completion zsh)"      in ~/.zshrc
    fish: harnlite completion fish > ~/.config/fish/completions/harnlite.fish
    """
    from harnlite.cli.group import group

    completion = get_completion_class(shell)
    if completion is not None:
        sys.stdout.write(completion(group, {}, PROGRAM, COMPLETION).source().strip() + "\n")
