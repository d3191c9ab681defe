"""`harnlite cache`: the compiled code that is stored between runs."""

from __future__ import annotations

import os
import sys

import click

from harnlite.cli import exit_codes
from harnlite.compiler.cache import entries, folder, is_trusted


@click.group()
def command() -> None:
    """Show or clear the code cache."""


@command.command()
def info() -> None:
    """Show the location and size of the code cache."""
    found = entries()
    sys.stdout.write(f"folder: {state()}\nfiles: {len(found)}\nbytes: {sum(size for _, size in found)}\n")


@command.command()
def clear() -> None:
    """Remove everything from the code cache."""
    found = entries()
    for path, _ in found:
        try:
            os.remove(path)
        except OSError as error:
            sys.stderr.write(f"error: cannot remove {path!r}: {error.strerror}\n")
            sys.exit(exit_codes.USAGE)
    sys.stdout.write(f"removed {len(found)} file{'' if len(found) == 1 else 's'}\n")


def state() -> str:
    """Return the folder of the code cache, or the reason why it is not used."""
    place = folder()
    if place is None:
        return "none (disabled by HARNLITE_CACHE, or there is no home folder)"
    if os.path.lexists(place) and not is_trusted(place):
        return f"{place} (not used: it belongs to another user, or others can write to it)"
    return place
