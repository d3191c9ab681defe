"""`initialize` and `authenticate`: what the server offers, and what the client asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.reminders.seams import MODES
from harnlite.reminders.spec import PROPAGATE, ROLE_HINTS
from harnlite.serve.acp.client_options import read_options
from harnlite.serve.acp.errors import invalid
from harnlite.version import VERSION

if TYPE_CHECKING:
    from typing import NoReturn

    from harnlite.serve.acp.call import Call
    from harnlite.serve.acp.client_options import ClientOptions
    from harnlite.serve.acp.server import AcpServer

PROTOCOL_VERSION = 1
EXTENSION_METHODS = (
    "session/inject",
    "session/revoke_inject",
    "session/replace_inject",
    "session/inject_reminder",
    "session/remind",
    "session/pending_injections",
    "session/revoke_reminder",
)
UPDATE_EXTENSIONS = ("reminder_emitted", "reminder_deduped", "reminder_expired", "user_message")


def initialize(server: AcpServer, call: Call) -> dict[str, Any]:
    """Record what the client wants to see, and return what the server offers."""
    version = call.params.get("protocolVersion")
    if version.__class__ is not int:
        raise invalid("missing_field" if version is None else "invalid_field", field="protocolVersion")
    options = read_options(call.params.get("clientCapabilities"))
    server.use(options)
    server.is_initialized = True
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "agentInfo": {"name": "harnlite", "title": "harnlite", "version": VERSION},
        "agentCapabilities": _capabilities(options),
        "authMethods": [],
        "_meta": {"steering": {"supported": True}},
    }


def _capabilities(options: ClientOptions) -> dict[str, Any]:
    reminders = {
        "inject": True,
        "emit": options.has_reminders,
        "propagate": [*PROPAGATE],
        "roleHints": [*ROLE_HINTS],
    }
    session = {
        "inject": {"modes": ["queue", "steer"], "steer_in_stream": ["finish"], "pending": {"replace": True}},
        "remind": {"modes": [*MODES], "pending": {"list": True, "revoke": True}},
    }
    return {
        "loadSession": True,
        "promptCapabilities": {"image": False, "audio": False, "embeddedContext": True},
        "mcpCapabilities": {"http": False, "sse": False},
        "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
        "reminders": reminders,
        "session": session,
        "_meta": {
            "harn": {
                "reminders": reminders,
                "session": session,
                "sessionUpdateExtensions": [*UPDATE_EXTENSIONS],
                "methods": [*EXTENSION_METHODS],
            }
        },
    }


def authenticate(_server: AcpServer, _call: Call) -> NoReturn:
    """Refuse a login: there are no methods of authentication."""
    raise invalid("no_auth_methods")
