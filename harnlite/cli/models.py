"""`harnlite models`: the providers that are configured, and their models."""

from __future__ import annotations

import os
import sys

import click

from harnlite.cli import exit_codes
from harnlite.cli.run_request import COLORS


@click.command()
@click.option("--all", "everything", is_flag=True, help="Also list the models of providers that are not configured.")
@click.option("--provider", "name", metavar="NAME", help="List only this provider.")
@click.option("--check", "asks", is_flag=True, help="Ask each configured provider whether it accepts the key.")
@click.option("--format", "style", type=click.Choice(("text", "json")), default="text", help="Output format.")
@click.option("--color", type=click.Choice(COLORS), default="auto", help="When to use colour.")
@click.option("--debug", is_flag=True, help="Show Python tracebacks for internal errors.")
def command(*, everything: bool, name: str | None, asks: bool, style: str, color: str, debug: bool) -> None:  # noqa: ARG001 - the entry point reads `debug`
    """List the providers that are configured, and their models with limits, prices and capabilities.

    The values of keys are never shown. With --check, the exit status is 1 if a provider cannot be called;
    each of them has 10 seconds to answer.
    """
    from harnlite.cli.terminal import wants_color
    from harnlite.diagnostics.render_json import dumps
    from harnlite.diagnostics.suggest import near_name
    from harnlite.host.model_listing import Listing
    from harnlite.host.model_listing_text import text_of
    from harnlite.values.display import display
    from harnlite.values.errors import ScriptError

    try:
        listing = Listing(os.getcwd())
    except ScriptError as error:
        raise click.UsageError(display(error.value)) from None
    providers = listing.providers
    if name is not None:
        providers = [provider for provider in providers if provider.name == name]
        if not providers:
            near = near_name(name, [provider.name for provider in listing.providers])
            raise click.UsageError(f"unknown provider {name!r}{f'; did you mean {near!r}?' if near else ''}")
    asked = [provider for provider in providers if provider.is_configured]
    is_good = not asks or (listing.check(asked) and bool(asked))
    shows_all = everything or name is not None
    if style == "json":
        rows = [provider.as_dict() for provider in providers if shows_all or provider.is_configured]
        chosen = None if listing.chosen is None else dict(zip(("provider", "model"), listing.chosen, strict=True))
        sys.stdout.write(dumps({"chosen": chosen, "providers": rows}))
    else:
        colored = wants_color(color, sys.stdout)
        sys.stdout.write(text_of(listing, providers, with_models=shows_all, color=colored))
    sys.exit(exit_codes.OK if is_good else exit_codes.FINDINGS)
