"""What the client asked for in `initialize`."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class ClientOptions:
    """The switches of a client, with the defaults for a client that names none."""

    has_reminders: bool = True
    """Whether `reminder_*` updates are sent."""
    has_user_message: bool = True
    """Whether `user_message` updates are sent after the chunks of a message."""
    has_state: bool = False
    """Whether `state_update` updates are sent."""
    has_compaction: bool = False
    has_notices: bool = False
    _compactions: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def next_compaction_id(self) -> str:
        """Return an id for a compaction that has none."""
        return f"compaction-{next(self._compactions)}"


def read_options(capabilities: object) -> ClientOptions:
    """Return the options in `clientCapabilities`; what is not well formed counts as absent."""
    switches = _object(_object(_object(capabilities).get("_meta")).get("harn"))
    session = _object(_object(capabilities).get("session"))
    return ClientOptions(
        has_reminders=switches.get("reminders") is not False,
        has_user_message=switches.get("userMessage") is not False,
        has_state=switches.get("stateUpdate") is True,
        has_compaction=_is_declared(session.get("compaction")),
        has_notices=_is_declared(session.get("notices")),
    )


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_declared(value: object) -> bool:
    return value is not None and value is not False
