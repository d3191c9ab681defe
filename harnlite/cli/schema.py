"""`harnlite schema`: the JSON Schemas of the data formats that users write or read."""

from __future__ import annotations

import sys

import click


def _near_schemas(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from harnlite.docs.json_schemas import SCHEMAS

    return [name for name in SCHEMAS if name.startswith(incomplete)]


@click.command()
@click.argument("name", required=False, shell_complete=_near_schemas)
def command(name: str | None) -> None:
    """Print the JSON Schema NAME, or list all schemas."""
    from harnlite.diagnostics.render_json import dumps
    from harnlite.diagnostics.suggest import near_name
    from harnlite.docs.json_schemas import SCHEMAS, schema_of

    if name is None:
        width = max(map(len, SCHEMAS))
        sys.stdout.write("".join(f"{known.ljust(width)}  {about}\n" for known, (about, _) in SCHEMAS.items()))
        return
    if name not in SCHEMAS:
        near = near_name(name, SCHEMAS)
        raise click.UsageError(f"there is no schema {name!r}." + (f" Did you mean {near!r}?" if near else ""))
    sys.stdout.write(dumps(schema_of(name)))
