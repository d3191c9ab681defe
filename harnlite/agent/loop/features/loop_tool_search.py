"""Client-side tool search in a loop: deferred tools are offered from the turn after they were found."""

from __future__ import annotations

from harnlite.agent.sessions.current import current_tool_call_id
from harnlite.agent.sessions.live_events import emit
from harnlite.llm.model_flags import flags_of
from harnlite.llm.routes import resolve
from harnlite.llm.tool_search import ClientSearch, result_text, search_settings
from harnlite.reminders.capabilities import NATIVE
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop


class LoopSearch:
    """The tool search of one loop; tools found in one turn are offered from the next turn on."""

    __slots__ = ("_client", "_found", "_loop", "_tool")

    def __init__(self, loop: Loop, client: ClientSearch) -> None:
        self._loop = loop
        self._client = client
        self._found: list[tuple[str, list[str]]] = []
        self._tool = {**client.search_tool(), "handler": self._handler()}

    def offered(self) -> list[dict[str, Any]]:
        """Return the tools to offer now; the search tool is the last one."""
        return [*self._client.offered()[:-1], self._tool]

    def _handler(self) -> Callable[..., str]:
        def search(arguments: object = None, *_: object) -> str:
            query = arguments.get("query") if isinstance(arguments, dict) else arguments
            return self._search("" if query is None else display(query))

        return search

    def _search(self, query: str) -> str:
        call_id = current_tool_call_id(self._loop.run) or ""
        self._emit("tool_search_query", self._client.query_event(call_id, query), "assistant")
        result = self._client.search(query)
        names = result["tool_names"]
        self._found.append((call_id, names if isinstance(names, list) else []))
        return result_text(result)

    def promote_found(self) -> None:
        """Offer the tools that the search calls of the turn have found."""
        found, self._found = self._found, []
        for call_id, names in found:
            promoted = self._client.promote(names)
            self._emit("tool_search_result", self._client.result_event(call_id, promoted), "tool")

    def _emit(self, kind: str, facts: dict[str, object], role: str) -> None:
        self._loop.session.lifecycle(self._loop.run, kind, kind, facts, role=role)
        emit(self._loop.run, self._loop.session, kind, facts)


def open_search(loop: Loop) -> None:
    """Add a client-side tool search to the loop, unless the model searches by itself."""
    given = {**loop.options.given, **loop.options.llm_options}
    settings = search_settings(given.get("tool_search"), loop.tools)
    if settings is None:
        return
    route = resolve(loop.run, given)
    overrides = given.get(route.provider)
    forced = isinstance(overrides, dict) and bool(overrides.get("force_native_tool_search"))
    flags = flags_of(loop.run, route.provider, route.model)
    if loop.tool_format != NATIVE or settings.is_client(flags, forced_native=forced):
        loop.tool_search = LoopSearch(loop, ClientSearch(loop.tools, settings))
