"""The table of methods: which names are served, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from harnlite.serve.acp import injects, lifecycle, prompts, reminders, sessions

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.serve.acp.call import Call
    from harnlite.serve.acp.server import AcpServer

    Handler: TypeAlias = Callable[[AcpServer, Call], object]


@dataclass(frozen=True, slots=True)
class Method:
    """A method: its handler returns the result, or LATER if the call is answered later."""

    name: str
    handler: Handler
    is_slow: bool = False
    """Whether it runs beside the reader of the connection."""
    is_notification: bool = False
    """Whether it also works without an id."""
    has_aliases: bool = False
    """Whether it is an extension that is also served under names with an underscore."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return all names of the method."""
        return (self.name, f"_{self.name}", f"_harn/{self.name}") if self.has_aliases else (self.name,)


def _extension(name: str, handler: Handler) -> Method:
    return Method(name, handler, is_notification=True, has_aliases=True)


_TABLE = (
    Method("initialize", lifecycle.initialize),
    Method("authenticate", lifecycle.authenticate),
    Method("session/new", sessions.new),
    Method("session/load", sessions.load, is_slow=True),
    Method("session/resume", sessions.resume, is_slow=True),
    Method("session/list", sessions.list_),
    Method("session/close", sessions.close, is_slow=True),
    Method("session/delete", sessions.delete, is_slow=True),
    Method("session/prompt", prompts.prompt),
    Method("session/cancel", prompts.cancel, is_notification=True),
    Method("$/cancel_request", prompts.cancel_request, is_notification=True),
    _extension("session/inject", injects.inject),
    _extension("session/revoke_inject", injects.revoke),
    _extension("session/replace_inject", injects.replace),
    Method("_session/steering", injects.steering, is_notification=True),
    _extension("session/inject_reminder", reminders.remind),
    _extension("session/remind", reminders.remind),
    _extension("session/pending_injections", reminders.pending),
    _extension("session/revoke_reminder", reminders.revoke),
)

METHODS = {name: method for method in _TABLE for name in method.names}
"""The methods by every name that is served."""
