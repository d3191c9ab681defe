"""The fields of a reminder, and their conversion to and from payloads and events."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Payload = dict[str, Any]
    Event = dict[str, Any]

PROPAGATE = ("all", "session", "none")
"""How far a reminder travels to sub-agents."""
ROLE_HINTS = ("system", "developer", "user_block", "ephemeral_cache")
"""The slots of a prompt that a reminder may request."""
PROVIDER_SOURCE, HOOK_SOURCE = "stdlib_provider", "hook"
SOURCES = (PROVIDER_SOURCE, HOOK_SOURCE, "bridge", "in_pipeline", "inherited")
"""The possible origins of a reminder."""

KIND = "system_reminder"
PUBLIC, INTERNAL = "public", "internal"


class ReminderSpec:
    """An immutable reminder; `changed` returns a modified copy."""

    __slots__ = (
        "body",
        "dedupe_key",
        "fired_at_turn",
        "forms",
        "id",
        "maker",
        "originating_agent_id",
        "preserve_on_compact",
        "propagate",
        "role_hint",
        "source",
        "tags",
        "ttl_turns",
    )

    def __init__(  # noqa: PLR0913 - these are the fields of a reminder
        self,
        *,
        id: str,  # noqa: A002 - as the payload calls it
        body: str,
        tags: tuple[str, ...] = (),
        dedupe_key: str | None = None,
        ttl_turns: int | None = None,
        preserve_on_compact: bool = False,
        propagate: str = "session",
        role_hint: str = "system",
        source: str = "in_pipeline",
        fired_at_turn: int = 0,
        originating_agent_id: str | None = None,
        maker: str | None = None,
    ) -> None:
        self.id = id
        self.body = body
        self.tags = tags
        self.dedupe_key = dedupe_key
        self.ttl_turns = ttl_turns
        self.preserve_on_compact = preserve_on_compact
        self.propagate = propagate
        self.role_hint = role_hint
        self.source = source
        self.fired_at_turn = fired_at_turn
        self.originating_agent_id = originating_agent_id
        self.maker = maker
        """The id of the provider, or the event of the hook, that made the reminder; it is not part of the payload."""
        # The rendered forms of the body, cached because a reminder appears in many prompts.
        self.forms: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"ReminderSpec({self.payload()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReminderSpec) and self.payload() == other.payload()

    def __hash__(self) -> int:
        return hash((self.id, self.body))

    def payload(self) -> Payload:
        """Return the fields as the `reminder` of an event, without keys whose value is nil."""
        payload: Payload = {
            "id": self.id,
            "tags": list(self.tags),
            "dedupe_key": self.dedupe_key,
            "ttl_turns": self.ttl_turns,
            "preserve_on_compact": self.preserve_on_compact,
            "propagate": self.propagate,
            "role_hint": self.role_hint,
            "source": self.source,
            "body": self.body,
            "fired_at_turn": self.fired_at_turn,
            "originating_agent_id": self.originating_agent_id,
        }
        for key in ("dedupe_key", "ttl_turns", "originating_agent_id"):
            if payload[key] is None:
                del payload[key]
        return payload

    def changed(self, **fields: Any) -> ReminderSpec:  # noqa: ANN401 - each field has its own type
        """Return a copy with other values in some fields."""
        # Every turn copies all live reminders, so the assignments are written out for speed.
        other = ReminderSpec.__new__(ReminderSpec)
        other.id = self.id
        other.body = self.body
        other.tags = self.tags
        other.dedupe_key = self.dedupe_key
        other.ttl_turns = self.ttl_turns
        other.preserve_on_compact = self.preserve_on_compact
        other.propagate = self.propagate
        other.role_hint = self.role_hint
        other.source = self.source
        other.fired_at_turn = self.fired_at_turn
        other.originating_agent_id = self.originating_agent_id
        other.maker = self.maker
        other.forms = {} if "body" in fields else self.forms
        for name, value in fields.items():
            setattr(other, name, value)
        return other

    def event(self, event_id: str | None = None, visibility: str = PUBLIC) -> Event:
        """Return the transcript event of this reminder. Its id is the id of the reminder by default."""
        payload = self.payload()
        return {
            "id": event_id or self.id,
            "kind": KIND,
            "role": self.role_hint,
            "visibility": visibility,
            "text": self.body,
            "blocks": [{"type": "text", "text": self.body, "visibility": visibility}],
            "reminder": payload,
            "metadata": payload,
        }


def _is_strings(value: object) -> bool:
    return value.__class__ is list and all(item.__class__ is str for item in value)


def _is_text(value: object) -> bool:
    return value.__class__ is str


def _is_int(value: object) -> bool:
    return value.__class__ is int


def _is_one_of(allowed: tuple[str, ...]) -> Callable[[object], bool]:
    return lambda value: value.__class__ is str and value in allowed


REQUIRED: tuple[tuple[str, Callable[[object], bool]], ...] = (
    ("id", _is_text),
    ("body", _is_text),
    ("preserve_on_compact", lambda value: value.__class__ is bool),
    ("propagate", _is_one_of(PROPAGATE)),
    ("role_hint", _is_one_of(ROLE_HINTS)),
    ("source", _is_one_of(SOURCES)),
    ("fired_at_turn", _is_int),
)
OPTIONAL: tuple[tuple[str, Callable[[object], bool]], ...] = (
    ("tags", _is_strings),
    ("dedupe_key", _is_text),
    ("ttl_turns", _is_int),
    ("originating_agent_id", _is_text),
)
"""The fields of a stored reminder, each with a check of its value."""


def spec_from_payload(payload: object) -> ReminderSpec | None:
    """Read the `reminder` of an event strictly. Return None if a field is missing or has the wrong type."""
    if payload.__class__ is not dict:
        return None
    fields: Payload = payload
    if not all(is_right(fields.get(name)) for name, is_right in REQUIRED):
        return None
    given = {name: fields[name] for name, _ in OPTIONAL if fields.get(name) is not None}
    if not all(is_right(given[name]) for name, is_right in OPTIONAL if name in given):
        return None
    given["tags"] = tuple(given.get("tags", ()))
    return ReminderSpec(**{name: fields[name] for name, _ in REQUIRED}, **given)


def lenient_event(fields: Payload, new_id: Callable[[], str], text: Callable[[object], str] = str) -> Event:
    """Build the event of a reminder-like dict with any values. `text` converts values that should be strings."""

    def written(name: str) -> str | None:
        value = fields.get(name)
        shown = None if value is None else text(value)
        return shown if shown and shown.strip() else None

    def chosen(name: str, allowed: tuple[str, ...], default: str) -> str:
        value = fields.get(name)
        return value if value.__class__ is str and value in allowed else default

    def whole(name: str) -> int | None:
        value = fields.get(name)
        return value if value.__class__ is int else None

    tags = fields.get("tags")
    body = fields.get("body")
    return ReminderSpec(
        id=written("id") or new_id(),
        body="" if body is None else text(body),
        tags=tuple(text(tag) for tag in tags) if tags.__class__ is list else (),
        dedupe_key=written("dedupe_key"),
        ttl_turns=whole("ttl_turns"),
        preserve_on_compact=bool(fields.get("preserve_on_compact")),
        propagate=chosen("propagate", PROPAGATE, "session"),
        role_hint=chosen("role_hint", ROLE_HINTS, "system"),
        source=chosen("source", SOURCES, "in_pipeline"),
        fired_at_turn=whole("fired_at_turn") or 0,
        originating_agent_id=written("originating_agent_id"),
    ).event()
