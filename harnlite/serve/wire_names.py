"""The names that events about reminders have on the wires of the servers."""

from __future__ import annotations

import re

from harnlite.reminders.lifecycle import CLEARED, COMPACTION, TTL
from harnlite.reminders.spec import HOOK_SOURCE, PROVIDER_SOURCE

BRIDGE, HOST, PROVIDER = "bridge", "host", "provider"
PHASES = {TTL: "ttl_expired", CLEARED: "cleared", COMPACTION: "compacted_out"}
"""The phases in which reminders expire, by the reason of the record."""

_SOURCES = {PROVIDER_SOURCE: PROVIDER, "in_pipeline": PROVIDER}
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def wire_source(source: object, *, is_own: bool) -> object:
    """Return the wire name of the source of a reminder; `is_own` is whether this server has accepted it."""
    if source == BRIDGE and is_own:
        return HOST
    return _SOURCES.get(source, source) if isinstance(source, str) else source


def provider_of(source: object, provider_id: object, hook_event: object) -> object:
    """Return the `provider_id` of the event: that of a provider, or the name of a hook event in snake case."""
    if source == HOOK_SOURCE and isinstance(hook_event, str):
        return _CAPITAL.sub("_", hook_event).lower()
    return provider_id if source == PROVIDER_SOURCE else None
