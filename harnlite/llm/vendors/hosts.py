"""The host and the dialect of a route: where a request goes, with which headers, and in which form."""

from __future__ import annotations

from importlib import import_module

from harnlite.llm.configuration import configuration_of
from harnlite.llm.dialects.dialect import Host
from harnlite.llm.keys import keys_of
from harnlite.llm.model_flags import request_flags
from harnlite.llm.providers import (
    ANTHROPIC,
    AZURE,
    BEARER,
    ENDPOINTS,
    GEMINI,
    KEY_HEADERS,
    LOCAL,
    NO_KEY,
    OLLAMA,
    OPENAI,
)
from harnlite.llm.routes import require_key, require_target
from harnlite.runtime.access_control import permissions_of, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.configuration import Configuration
    from harnlite.llm.dialects.dialect import Dialect
    from harnlite.llm.routes import Route
    from harnlite.llm.secrets import Secret
    from harnlite.runtime.tasks.execution import Execution

_CHAT, _RESPONSES = "openai_chat:OPENAI_CHAT", "openai_responses:OPENAI_RESPONSES"
_DIALECTS = {ANTHROPIC: "anthropic:DIALECT", GEMINI: "gemini:DIALECT", OLLAMA: "ollama:DIALECT", OPENAI: _CHAT}
"""The module and the name of each dialect, by the format of messages; compatible hosts use that of openai."""
_WITH_RESPONSES = frozenset({OPENAI, AZURE})
AUTHORIZATION = "authorization"
_RESPONSES_MODE = "responses"


def host_of(run: Execution, route: Route, *, needs_key: bool = True) -> Host:
    """Return the host of a route; throw if the route cannot be called. Its headers do not contain the key."""
    if needs_key:
        require_key(run, route)
    known = configuration_of(run)
    name = route.provider
    entry = known.endpoints.get(name, {})
    base = require_target(known, route)
    if permissions_of(run) is not None:
        _check_address(run, known, name, base)
    return Host(
        provider=name,
        base_url=base,
        chat_endpoint=_own_path(known, name),
        headers={key.lower(): value for key, value in (entry.get("headers") or {}).items()},
        flags=request_flags(run, name, route.model),
        window=known.context_window(route.model),
        max_output=known.max_output_tokens(route.model),
    )


def _check_address(run: Execution, known: Configuration, name: str, base: str) -> None:
    """Throw if the file of a project chooses the address, but the run may not connect to it.

    The key of the user would go there, and the project may be a stranger's.
    """
    file = known.files.get((name, "base_url"))
    if file is None or not file.is_project or known.address_variable(name):
        return
    require(run, "net", "llm_call", base.partition("://")[2].partition("/")[0])


def _own_path(known: Configuration, name: str) -> str:
    """Return the path of the configuration, or an empty string for the vendor's."""
    if (name, "chat_endpoint") not in known.files:
        return ""
    path = known.endpoints[name]["chat_endpoint"]
    return path if isinstance(path, str) else ""


def credentials_of(run: Execution, route: Route) -> dict[str, Secret]:
    """Return the header with the key of a route, which is added when a request is sent, or an empty dict."""
    header = key_header(configuration_of(run), route.provider)
    key = None if header is None else keys_of(run).of(run, route.provider)
    if header is None or key is None:
        return {}
    return {header: key.prefixed("Bearer ") if header == AUTHORIZATION else key}


def key_header(known: Configuration, name: str) -> str | None:
    """Return the name of the header with the key of a provider, or None if it takes no key."""
    style = known.endpoints.get(name, {}).get("auth_style", BEARER)
    if style == NO_KEY:
        return None
    header = KEY_HEADERS.get(name)
    if header is not None and not _is_bearer(known, name):
        return header
    return "x-api-key" if style == "header" else AUTHORIZATION


def _is_bearer(known: Configuration, name: str) -> bool:
    """Return whether the configuration sends the key of a vendor as a bearer token, as some proxies want it."""
    return (name, "auth_style") in known.files and known.endpoints[name]["auth_style"] == BEARER


def dialect_of(run: Execution, route: Route, options: Mapping[str, Any]) -> Dialect:
    """Return the dialect for a call; its module is imported when the first call needs it."""
    flags = request_flags(run, route.provider, route.model)
    wire = route.provider if route.provider in _DIALECTS else flags["message_wire_format"]
    target = _DIALECTS.get(str(wire), _CHAT)
    if target is _CHAT and _uses_responses(configuration_of(run), route.provider, options, flags):
        target = _RESPONSES
    module, _, name = target.partition(":")
    found: Dialect = getattr(import_module(f"harnlite.llm.dialects.{module}"), name)
    return found


def _uses_responses(known: Configuration, name: str, options: Mapping[str, Any], flags: Mapping[str, object]) -> bool:
    """Return whether a call goes to the Responses API: because of an option, the configuration or the model."""
    mode = options.get("api_mode")
    if isinstance(mode, str) and mode != _RESPONSES_MODE:
        return False
    if _own_path(known, name).endswith("/responses"):
        return True
    if mode == _RESPONSES_MODE:
        # A call may fall back to a host that has Chat Completions only.
        return name in _WITH_RESPONSES or name == LOCAL or name not in ENDPOINTS
    return name in _WITH_RESPONSES and flags["responses_only"] is True
