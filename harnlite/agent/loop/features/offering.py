"""The tools that a loop offers: the caller's, those of its features, and the lifecycle tools."""

from __future__ import annotations

from harnlite.agent.loop.state.lifecycle_tools import lifecycle_entries
from harnlite.agent.loop.state.loop_options import read_options
from harnlite.llm.offered_tools import tool_entries
from harnlite.llm.routes import capabilities_of_route, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop


def offer_tools(loop: Loop, own: list[dict[str, Any]]) -> None:
    """Offer the caller's tools, the lifecycle tools, `load_skill`, and the search for deferred tools."""
    given = loop.options.given
    own = [*own, *(loop.mcp.tools if loop.mcp is not None else ())]
    loop.tools = [*own, *lifecycle_entries(loop, own)]
    if loop.skills is not None:
        loop.tools.append(loop.skills.tool())
    search = given.get("tool_search")
    if search is not None and search is not False:
        from harnlite.agent.loop.features.loop_tool_search import open_search

        open_search(loop)
    loop.offered = loop.tools


def change_options(loop: Loop, changes: dict[str, Any]) -> None:
    """Change options of a running loop; the session and its tool format stay the same."""
    loop.adopt(read_options(loop.run, {**loop.options.given, **changes}))
    given = loop.options.given
    loop.wire = capabilities_of_route(loop.run, resolve(loop.run, given)).message_wire_format
    if "tools" in changes or "tool_search" in changes:
        offer_tools(loop, tool_entries(given.get("tools")))
