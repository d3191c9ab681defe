"""`harnlite new`: creates a folder with a new project."""

from __future__ import annotations

import os
import sys

import click

from harnlite.host.scaffold import TEMPLATES, is_project_name, write_project


@click.command()
@click.argument("path", metavar="NAME")
@click.option(
    "--template",
    type=click.Choice(TEMPLATES),
    default=TEMPLATES[0],
    show_default=True,
    help="The template of the project.",
)
def command(path: str, template: str) -> None:
    """Create the folder NAME with a new project.

    The project consists of a program, its tests and a configuration.
    """
    name = os.path.basename(os.path.normpath(path))
    if not is_project_name(name):
        raise click.UsageError(
            f"{name!r} is not a valid name: a name starts with a letter and continues with letters, digits, - and _"
        )
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise click.UsageError(
            f"{path!r} already exists; nothing was written. Use harnlite init to add the missing files"
        )
    report(path, name, template)


def report(target: str, name: str, template: str) -> None:
    """Write a project into a folder and report which files were written."""
    try:
        made = write_project(target, name, template)
    except OSError as error:
        raise click.UsageError(f"cannot write {error.filename!r}: {error.strerror}") from None
    for file, written in made:
        sys.stdout.write(f"{'wrote' if written else 'kept '} {os.path.normpath(os.path.join(target, file))}\n")
