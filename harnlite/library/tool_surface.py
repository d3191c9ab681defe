"""Builtins that check the tools of a model, and that create tools from data."""

from __future__ import annotations

from harnlite.agent.option_values import names_in
from harnlite.agent.tools.policy import read_policy
from harnlite.agent.tools.tool_surface import RESERVED, Surface, entry_faults
from harnlite.library.argument_types import dict_argument, expect, expect_dict
from harnlite.library.native import native
from harnlite.llm import tool_definitions
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.llm.tool_definitions import Entry


@native("tool_surface_validate")
def tool_surface_validate(tools: object = None, options: object = None) -> dict[str, object]:
    """Return `{ok, errors, warnings}` about the tools that a model would get."""
    expect("tool_surface_validate", "tools", tools, "dict", "list")
    given = dict_argument("tool_surface_validate", "options", options)
    policy = None if given.get("policy") is None else read_policy(given["policy"])
    surface = Surface(policy, RESERVED.union(names_in(given.get("reserved"))))
    surface.add(tools)
    is_strict = given.get("strict") is True
    is_good = not surface.errors and not (is_strict and surface.warnings)
    return {"ok": is_good, "errors": surface.errors, "warnings": surface.warnings}


@native("tool_synthesize")
def tool_synthesize(spec: object = None) -> Entry:
    """Return the entry of a tool for a dict that describes it; throw if the description is not valid."""
    given = expect_dict("tool_synthesize", "spec", spec)
    name, description = given.get("name"), given.get("description")
    shown = f'tool_synthesize: tool "{display(name)}"' if isinstance(name, str) and name else "tool_synthesize"
    for path, message in entry_faults(given):
        raise thrown(f"{shown}: {path}: {message}")
    if not isinstance(description, str) or not description.strip():
        raise thrown(f"{shown}: description: the description must be a non-empty string")
    config = {key: value for key, value in given.items() if key not in ("name", "description")}
    entry: Entry = tool_definitions.define([], display(name), description, config)["tools"][0]
    return entry
