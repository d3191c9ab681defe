"""`harnlite config`: the effective configuration and the origin of each value."""

from __future__ import annotations

import os
import sys

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


@click.command()
@click.argument("folder", default=".", type=click.Path(exists=True, file_okay=False))
@click.option("--config", "file", type=click.Path(dir_okay=False, exists=True), help="Use this configuration file.")
@click.option("--isolated", is_flag=True, help="Use no configuration file.")
@click.option("--format", "style", type=click.Choice(("text", "json")), default="text", help="Output format.")
def command(folder: str, file: str | None, style: str, *, isolated: bool) -> None:
    """Show the effective configuration in FOLDER.

    Options override environment variables, which override the configuration file, which overrides the defaults.
    """
    from harnlite.analysis.linting.configuration_files import ConfigurationError
    from harnlite.diagnostics.render_json import dumps
    from harnlite.host.linting import Desk, Wishes
    from harnlite.host.settings_table import address_rows, configured_rows, environment_rows

    try:
        project = Desk(Wishes(file=file, isolated=isolated)).project_file(os.path.abspath(folder))
    except ConfigurationError as error:
        raise click.UsageError(str(error)) from None
    path = project.path if project is not None else None
    values = configured_rows(project)
    environment = [*environment_rows(), *address_rows()]
    if style == "json":
        rows = {name: {"value": value, "origin": origin} for name, value, origin in values}
        listed = [{"name": name, "value": value, "meaning": meaning} for name, value, meaning in environment]
        sys.stdout.write(dumps({"file": path, "values": rows, "environment": listed}))
        return
    sys.stdout.write(f"file: {path or 'none'}\n\n{_table((f'{n} = {_text(v)}', o) for n, v, o in values)}\n")
    shown = ((name, "not set" if value is None else value, meaning) for name, value, meaning in environment)
    sys.stdout.write(f"environment (HARN_X is used if HARNLITE_X is not set):\n{_table(shown)}")


def _text(value: object) -> str:
    from harnlite.diagnostics.render_json import dumps

    return "not set" if value is None else " ".join(dumps(value).split())


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    listed = list(rows)
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in listed)
    return "".join(f"{line.rstrip()}\n" for line in lines)
