"""The table of methods: which names are served, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.serve.acp import injects, lifecycle, prompts, reminders, sessions
from harnlite.serve.acp.method import Method

if TYPE_CHECKING:
    from harnlite.serve.acp.method import Handler


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
