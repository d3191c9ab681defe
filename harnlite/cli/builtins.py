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
    from harnlite.docs.std_listing import known_names

    declarations = load_declarations()
    known = [*public_names(declarations), *sorted(declarations.namespaces), *known_names()]
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
    """List the builtins, or show NAME.

    NAME is a builtin, a namespace, a std module (std/text), one of its functions, a method (trim) or a type (list).
    """
    from harnlite.analysis.builtins.digest import load_declarations
    from harnlite.docs import listing, std_listing
    from harnlite.docs.prose import for_terminal

    declarations = load_declarations()
    if name is not None and name in declarations.entries:
        if search is not None or namespace is not None:
            raise click.UsageError("--search and --namespace cannot be combined with the name of a builtin")
        page = listing.page(name, style, declarations)
        if style == listing.TEXT and (methods := std_listing.methods_named(name)):
            page += f"\n{std_listing.shown(methods, style)}"
        sys.stdout.write(for_terminal(page) if style == listing.TEXT else page)
        return
    others = [] if name is None or name in declarations.namespaces else std_listing.described(name)
    if others:
        if search is not None or namespace is not None:
            raise click.UsageError("--search and --namespace cannot be combined with the name of a module or method")
        shown = std_listing.shown(others, style)
        sys.stdout.write(for_terminal(shown) if style == listing.TEXT else shown)
        return
    names = listing.public_names(declarations)
    for chosen in (name, namespace):
        if chosen is not None:
            members = listing.members(_known_namespace(chosen, declarations), declarations)
            names = [one for one in names if one in members]
    if search is not None:
        names = listing.found(names, search, declarations)
    sys.stdout.write(listing.listed(names, style, declarations))
    more = std_listing.matching(search) if search is not None and name is None and namespace is None else []
    if more and style == listing.TEXT:
        sys.stdout.write(std_listing.shown(more, style))
    if not names and not more:
        sys.stderr.write("No matching builtins.\n")


def _known_namespace(name: str, declarations: Declarations) -> str:
    from harnlite.docs.listing import near_builtin
    from harnlite.docs.std_listing import known_names

    if name in declarations.namespaces:
        return name
    near = near_builtin(name, declarations, known_names())
    hint = f" Did you mean {near!r}?" if near else ""
    raise click.UsageError(f"there is no builtin or namespace {name!r}.{hint}")
