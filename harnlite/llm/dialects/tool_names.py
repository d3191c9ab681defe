"""The names of tools on the wire: vendors accept only some characters, scripts use any."""

from __future__ import annotations

import re

from harnlite.digests import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from harnlite.llm.backend import ChatReply

_LONGEST = 64
_DIGEST = 8
_ACCEPTED = re.compile(r"[a-zA-Z0-9_-]{0,64}")
_OTHER = re.compile(r"[^a-zA-Z0-9_-]")


def wire_name(name: str) -> str:
    """Return the name under which a vendor knows a tool: its own if all vendors accept that, else always the same."""
    if _ACCEPTED.fullmatch(name):
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{_OTHER.sub('_', name)[: _LONGEST - _DIGEST - 1]}_{digest}"


def renamed_tools(tools: Iterable[Mapping[str, Any]] | None) -> dict[str, str]:
    """Return the names of the tools that have another name on the wire, by that name."""
    found: dict[str, str] = {}
    for tool in tools or ():
        function = tool.get("function")
        name = (function if isinstance(function, dict) else tool).get("name")
        if isinstance(name, str) and (on_wire := wire_name(name)) != name:
            found[on_wire] = name
    return found


def with_own_names(reply: ChatReply, names: Mapping[str, str]) -> ChatReply:
    """Return a reply whose calls have the names that the script has given to its tools."""
    for call in (*reply.tool_calls, *reply.blocks):
        if call.get("name") in names:
            call["name"] = names[call["name"]]
    return reply
