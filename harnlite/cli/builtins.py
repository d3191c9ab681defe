"""`harnlite builtins`: the functions that programs can call without an import."""

from __future__ import annotations

import sys

import click

from harnlite.docs.listing import STYLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.builtins.declarations import Declarations


def _near_names(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from harnlite.analysis.builtins.digest import load_declarations
    from harnlite.docs.listing import public_names

    declarations = load_declarations()
    known = [*public_names(declarations), *sorted(declarations.namespaces)]
    return [name for name in known if name.startswith(incomplete)]


def _near_namespaces(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from harnlite.analysis.builtins.digest import load_declarations

    return [name for name in sorted(load_declarations().namespaces) if name.startswith(incomplete)]


@click.command()
@click.argument("name", required=False, shell_complete=_near_names)
@click.option("--search", metavar="WORD", help="List only builtins with WORD in their name or documentation.")
@click.option(
    "--namespace", metavar="NAME", shell_complete=_near_namespaces, help="List only builtins of this namespace."
)
@click.option("--format", "style", type=click.Choice(STYLES), default=STYLES[0], help="Output format.")
def command(name: str | None, search: str | None, namespace: str | None, style: str) -> None:
    """List the builtins, or show the builtin or namespace NAME."""
    from harnlite.analysis.builtins.digest import load_declarations
    from harnlite.docs import listing
    from harnlite.docs.prose import for_terminal

    declarations = load_declarations()
    if name is not None and name in declarations.entries:
        if search is not None or namespace is not None:
            raise click.UsageError("--search and --namespace cannot be combined with the name of a builtin")
        page = listing.page(name, style, declarations)
        sys.stdout.write(for_terminal(page) if style == listing.TEXT else page)
        return
    names = listing.public_names(declarations)
    for chosen in (name, namespace):
        if chosen is not None:
            members = listing.members(_known_namespace(chosen, declarations), declarations)
            names = [one for one in names if one in members]
    if search is not None:
        names = listing.found(names, search, declarations)
    sys.stdout.write(listing.listed(names, style, declarations))
    if not names:
        sys.stderr.write("No matching builtins.\n")


def _known_namespace(name: str, declarations: Declarations) -> str:
    from harnlite.docs.listing import near_builtin

    if name in declarations.namespaces:
        return name
    near = near_builtin(name, declarations)
    hint = f" Did you mean {near!r}?" if near else ""
    raise click.UsageError(f"there is no builtin or namespace {name!r}.{hint}")
