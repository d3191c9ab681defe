"""Generation of the tables of options in docs/agent.md."""

from __future__ import annotations

import re

from harnlite.options.expected import options_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.options.expected import Expected

_REGION = re.compile(r"(<!-- options: ([^>]+) -->\n).*?(<!-- end of options -->)", re.DOTALL)
_HEAD = "| option | type | default | meaning |\n|---|---|---|---|\n"


def agent_page(old: str) -> str:
    """Return the page with each table between two marks regenerated.

    A mark names tables of options, or options with nested keys: `loop` and `loop/iteration_budget`.
    """
    return _REGION.sub(lambda found: f"{found[1]}{_HEAD}{''.join(_rows(found[2]))}{found[3]}", old)


def _rows(places: str) -> Iterator[str]:
    for place in places.split():
        table, *path = place.split("/")
        options = options_in(table)
        for key in path:
            option = options[key]
            options = option.keys or (option.items.keys if option.items is not None else {})
        prefix = "".join(f"{key}." for key in path)
        yield from (_row(prefix + key, option) for key, option in options.items())


def _row(name: str, option: Expected) -> str:
    default = f"`{option.shown_default}`" if option.shown_default else ""
    choices = ", ".join(f"`{choice}`" for choice in option.choices if f'"{choice}"' not in option.type)
    meaning = f"{option.meaning} Values: {choices}." if choices else option.meaning
    cells = (f"`{name}`", f"`{option.type}`", default, meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
