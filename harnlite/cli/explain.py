"""`harnlite explain`: what a code means, why it matters, and how to fix it."""

from __future__ import annotations

import sys

import click

from harnlite.cli.shared_options import near_codes
from harnlite.diagnostics.explanations import explained_codes, explanation_of
from harnlite.diagnostics.render_json import dumps
from harnlite.diagnostics.suggest import near_name
from harnlite.docs.prose import for_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.diagnostics.explanations import Explanation

_FURTHEST = 4


@click.command()
@click.argument("codes", nargs=-1, metavar="[CODE]...", shell_complete=near_codes)
@click.option("--all", "everything", is_flag=True, help="Explain every code.")
@click.option("--format", "style", type=click.Choice(("text", "json")), default="text", help="Output format.")
def command(codes: tuple[str, ...], style: str, *, everything: bool) -> None:
    """Explain CODEs, which are codes or names of rules."""
    if everything == bool(codes):
        raise click.UsageError("give at least one code, or --all")
    pages = [_page(code) for code in (explained_codes() if everything else codes)]
    if style == "json":
        listed = [_mapping(page) for page in pages]
        sys.stdout.write(dumps(listed[0] if len(codes) == 1 else listed))
    else:
        sys.stdout.write(for_terminal("\n".join(page.text for page in pages)))


def _page(code: str) -> Explanation:
    found = explanation_of(code.upper())
    if found is not None:
        return found
    pages = {page.name: page for known in explained_codes() if (page := explanation_of(known)) is not None}
    if code in pages:
        return pages[code]
    known_codes = [page.code for page in pages.values()]
    near = near_name(code.upper(), known_codes, _FURTHEST) or near_name(code, pages)
    raise click.UsageError(f"there is no code or rule {code!r}." + (f" Did you mean {near!r}?" if near else ""))


def _mapping(page: Explanation) -> dict[str, object]:
    return {
        "code": page.code,
        "rule": page.name,
        "summary": page.summary,
        "why": page.section("Why"),
        "bad": page.example("Bad"),
        "good": page.example("Good"),
        "fix": page.section("Fix"),
        "text": page.text,
    }
