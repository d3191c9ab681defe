"""`harnlite init`: makes a project of the current folder."""

from __future__ import annotations

import os

import click

from harnlite.cli.new import report
from harnlite.host.scaffold import TEMPLATES, is_project_name

_NAMELESS = "project"


@click.command()
@click.option(
    "--template", type=click.Choice(TEMPLATES), default=TEMPLATES[0], show_default=True, help="What to begin with."
)
def command(template: str) -> None:
    """Make a project of the current folder; what is there stays as it is.

    A folder with programs gets a configuration only.
    """
    name = os.path.basename(os.getcwd())
    report(".", name if is_project_name(name) else _NAMELESS, template)
