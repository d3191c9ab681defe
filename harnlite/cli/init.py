"""`harnlite init`: turns the current folder into a project."""

from __future__ import annotations

import os

import click

from harnlite.cli.new import report
from harnlite.host.scaffold import TEMPLATES, is_project_name

_NAMELESS = "project"


@click.command()
@click.option(
    "--template",
    type=click.Choice(TEMPLATES),
    default=TEMPLATES[0],
    show_default=True,
    help="The template of the project.",
)
def command(template: str) -> None:
    """Turn the current folder into a project.

    Existing files are not changed. A folder that contains programs gets only a configuration.
    """
    name = os.path.basename(os.getcwd())
    report(".", name if is_project_name(name) else _NAMELESS, template)
