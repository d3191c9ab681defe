"""Rendering of reminders for a model. The route determines the form; the role hint is a request."""

from __future__ import annotations

from harnlite.reminders.capabilities import ANTHROPIC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from harnlite.reminders.capabilities import Capabilities
    from harnlite.reminders.spec import ReminderSpec

    Message = dict[str, Any]
    Block = dict[str, Any]

PLAIN, XML, DEVELOPER, BLOCK, CACHED_BLOCK = "plain", "xml", "developer", "block", "cached_block"
"""The forms of a rendered reminder: two for the system prompt, one message, two blocks of a user message."""

RENDERED_ROLES = {PLAIN: "system", XML: "system", DEVELOPER: "developer", BLOCK: "user", CACHED_BLOCK: "user"}


class Rendered:
    """The pending reminders as rendered for one prompt."""

    __slots__ = ("blocks", "composed", "developer", "fired", "route", "system", "unrendered")

    def __init__(self, route: str) -> None:
        self.route = route
        self.system: list[str] = []
        self.developer: list[Message] = []
        self.blocks: list[Block] = []
        self.fired: list[tuple[ReminderSpec, str]] = []
        self.unrendered: list[ReminderSpec] = []
        self.composed: object = None
        """What a caller composes of it, kept for the next prompt with the same reminders."""

    def texts(self) -> list[str]:
        """Return the text of each rendered reminder, as the prompt contains it."""
        return [
            *self.system,
            *(message["content"] for message in self.developer),
            *(block["text"] for block in self.blocks),
        ]

    def beyond(self, earlier: Sequence[Rendered | None]) -> Rendered:
        """Return a copy without the reminders that earlier prompts contained."""
        shown = {spec.id for prompt in earlier if prompt is not None for spec, _ in prompt.fired}
        if not shown:
            return self
        rest = Rendered(self.route)
        rest.fired = [(spec, role) for spec, role in self.fired if spec.id not in shown]
        rest.unrendered = self.unrendered
        return rest


def render_after(
    shown: Sequence[ReminderSpec], earlier: Rendered, pending: Sequence[ReminderSpec], capabilities: Capabilities
) -> Rendered:
    """Render reminders, given the earlier rendering of others for the same route: most begin with the same ones."""
    fired = earlier.fired
    slots = [slot for slot in (earlier.system, earlier.developer, earlier.blocks) if slot]
    if len(fired) != len(shown) or len(slots) != 1:  # not one item of one slot for each reminder
        return render(pending, capabilities)
    same = same_start(shown, pending)
    rendered = Rendered(capabilities.route)
    rendered.fired = fired[:same]
    rendered.system, rendered.developer = earlier.system[:same], earlier.developer[:same]
    rendered.blocks = earlier.blocks[:same]
    _render_into(rendered, pending[same:], capabilities)
    return rendered


def same_start(before: Sequence[object], now: Sequence[object]) -> int:
    """Return the number of objects with which both begin."""
    same = [one is other for one, other in zip(before, now, strict=False)]
    return same.index(False) if False in same else len(same)


def render(pending: Iterable[ReminderSpec], capabilities: Capabilities) -> Rendered:
    """Render each reminder in the form for the route. Reminders without a slot in the route are `unrendered`."""
    rendered = Rendered(capabilities.route)
    _render_into(rendered, pending, capabilities)
    return rendered


def _render_into(rendered: Rendered, pending: Iterable[ReminderSpec], capabilities: Capabilities) -> None:
    slots: dict[str, list[Any]] = {
        PLAIN: rendered.system,
        XML: rendered.system,
        DEVELOPER: rendered.developer,
        BLOCK: rendered.blocks,
        CACHED_BLOCK: rendered.blocks,
    }
    forms: dict[str, str | None] = {}
    for spec in pending:
        hint = spec.role_hint
        if hint not in forms:
            forms[hint] = form_of(hint, capabilities)
        form = forms[hint]
        if form is None:
            rendered.unrendered.append(spec)
            continue
        written = spec.forms.get(form) or _write(spec, form)
        if written is not None:
            slots[form].append(written)
            rendered.fired.append((spec, RENDERED_ROLES[form]))


def form_of(hint: str, capabilities: Capabilities) -> str | None:
    """Return the form of a reminder with this hint, or None if the route has no slot."""
    if capabilities.prefers_role_developer:
        return DEVELOPER
    if capabilities.message_wire_format == ANTHROPIC:
        if hint == "ephemeral_cache":
            return CACHED_BLOCK if capabilities.prompt_caching else BLOCK
        if hint == "user_block" or not capabilities.accepts_system:
            return BLOCK
    if not capabilities.accepts_system:
        return None
    return XML if capabilities.prefers_xml_scaffolding else PLAIN


def _xml(body: str) -> str:
    escaped = body.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<system-reminder>\n{escaped}\n</system-reminder>"


def _plain(body: str) -> str:
    return f"System reminder:\n{body}"


def _developer(body: str) -> Message:
    return {"role": "developer", "content": _plain(body)}


def _block(body: str) -> Block:
    return {"type": "text", "text": _xml(body)}


def _cached_block(body: str) -> Block:
    return {**_block(body), "cache_control": {"type": "ephemeral"}}


_WRITERS: dict[str, Callable[[str], Any]] = {
    PLAIN: _plain,
    XML: _xml,
    DEVELOPER: _developer,
    BLOCK: _block,
    CACHED_BLOCK: _cached_block,
}


def _write(spec: ReminderSpec, form: str) -> Any:  # noqa: ANN401 - a text, a message or a block
    """Render the body and cache it, because a reminder appears in many prompts. Return None for a blank body."""
    if not spec.body.strip():
        return None
    written = spec.forms[form] = _WRITERS[form](spec.body)
    return written


def place(messages: Sequence[Message], rendered: Rendered) -> list[Message]:
    """Return the messages of a prompt: developer messages first, user blocks in the first user message."""
    if not rendered.blocks:
        return [*rendered.developer, *messages]
    if messages and messages[0].get("role") == "user":
        first = messages[0]
        content = first.get("content")
        old = content if content.__class__ is list else [{"type": "text", "text": "" if content is None else content}]
        # Each block is prepended, so the last reminder comes first.
        first = {**first, "content": [*reversed(rendered.blocks), *old]}
        return [*rendered.developer, first, *messages[1:]]
    in_front = [{"role": "user", "content": [block]} for block in rendered.blocks]
    return [*rendered.developer, *in_front, *messages]
