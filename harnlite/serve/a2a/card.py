"""The agent card: what clients read before they send anything."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnlite.reminders.seams import MODES
from harnlite.reminders.spec import PROPAGATE, ROLE_HINTS
from harnlite.serve.a2a.request_params import EXTENSION, INPUT_MODES
from harnlite.serve.json_rpc import encoded
from harnlite.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.serve.a2a.dialects import Json
    from harnlite.serve.a2a.skills import ScriptFacts

PLACES = ("/.well-known/agent-card.json", "/.well-known/agent.json", "/.well-known/a2a-agent")


@dataclass(frozen=True, slots=True)
class CardSettings:
    """The parts of the card that do not come from the script."""

    url: str
    name: str
    description: str | None = None
    version: str = VERSION
    is_strict: bool = False
    has_token: bool = False


def card_settings(
    url: str, script: str | None, project: Mapping[str, Any], *, is_strict: bool, has_token: bool
) -> CardSettings:
    """Return the settings for a script; the values of the project's `harn.toml` come first."""
    package = project.get("package")
    texts = {**(package if isinstance(package, dict) else {}), **project}
    name, description, version = (_text(texts.get(key)) for key in ("name", "description", "version"))
    file_name = "harnlite" if script is None else os.path.splitext(os.path.basename(script))[0]
    return CardSettings(
        url=url,
        name=name or file_name,
        description=description,
        version=version or VERSION,
        is_strict=is_strict,
        has_token=has_token,
    )


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def card(settings: CardSettings, facts: ScriptFacts) -> Json:
    """Return the card."""
    description = settings.description or facts.description or f"An agent written in Harn: {settings.name}."
    reminders: Json = {
        "inject": True,
        "emit": True,
        "propagate": list(PROPAGATE),
        "roleHints": list(ROLE_HINTS),
    }
    extension = {
        "uri": EXTENSION,
        "description": "Ambient reminders for a running task",
        "required": False,
        "params": {"method": "tasks/inject_reminder", **reminders, "modes": list(MODES)},
    }
    capabilities: Json = {
        "streaming": True,
        "pushNotifications": False,
        "extendedAgentCard": False,
        "extensions": [extension],
    }
    versions = ["1.0"]
    if not settings.is_strict:
        capabilities["reminders"] = reminders
        versions.append("0.3")
    found: Json = {
        "name": settings.name,
        "description": description,
        "version": settings.version,
        "supportedInterfaces": [
            {"url": settings.url, "protocolBinding": "JSONRPC", "protocolVersion": version} for version in versions
        ],
        "capabilities": capabilities,
        "defaultInputModes": list(INPUT_MODES),
        "defaultOutputModes": list(INPUT_MODES),
        "skills": [
            {"id": skill.id, "name": skill.id, "description": skill.description or description, "tags": ["harn"]}
            for skill in facts.skills
        ],
    }
    if settings.has_token:
        found["securitySchemes"] = {"bearer": {"httpAuthSecurityScheme": {"scheme": "bearer"}}}
        found["securityRequirements"] = [{"schemes": {"bearer": {"list": []}}}]
    if not settings.is_strict:
        found |= {"url": settings.url, "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0"}
    return found


@dataclass(frozen=True, slots=True)
class CardDocument:
    """The card as it is sent, and its ETag."""

    body: bytes
    etag: str


def document(settings: CardSettings, facts: ScriptFacts) -> CardDocument:
    """Return the document of a card."""
    body = encoded(card(settings, facts))
    return CardDocument(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def matches(etag: str, header: str | None) -> bool:
    """Return whether a header `If-None-Match` names an ETag."""
    if header is None:
        return False
    given = [item.strip().removeprefix("W/") for item in header.split(",")]
    return etag in given or given == ["*"]
