"""`harnlite new`: makes a folder with the beginnings of a project."""

from __future__ import annotations

import os
import sys

import click

from harnlite.host.scaffold import TEMPLATES, is_project_name, write_project


@click.command()
@click.argument("path", metavar="NAME")
@click.option(
    "--template", type=click.Choice(TEMPLATES), default=TEMPLATES[0], show_default=True, help="What to begin with."
)
def command(path: str, template: str) -> None:
    """Make the folder NAME with a program, its tests and a configuration."""
    name = os.path.basename(os.path.normpath(path))
    if not is_project_name(name):
        raise click.UsageError(f"{name!r} is no name: it begins with a letter, then letters, digits, - and _")
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise click.UsageError(
            f"{path!r} exists already; nothing was written. harnlite init adds what is missing there"
        )
    report(path, name, template)


def report(target: str, name: str, template: str) -> None:
    """Write a project into a folder and say what was done."""
    try:
        made = write_project(target, name, template)
    except OSError as error:
        raise click.UsageError(f"cannot write {error.filename!r}: {error.strerror}") from None
    for file, written in made:
        sys.stdout.write(f"{'wrote' if written else 'kept '} {os.path.normpath(os.path.join(target, file))}\n")
