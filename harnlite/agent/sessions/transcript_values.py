"""Transcripts as values of scripts: their conversion to and from dicts, and the operations on them."""

from __future__ import annotations

from harnlite.agent.sessions.current import current_session_id
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import write_records
from harnlite.reminders import lifecycle
from harnlite.reminders.messages import message_event
from harnlite.reminders.transcript import Transcript
from harnlite.reminders.wire import PIPELINE, check_reminder, check_selector, fault_text
from harnlite.values.data_types import LazyDict, type_name
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harnlite.agent.sessions.session import Session
    from harnlite.reminders.lifecycle import Change
    from harnlite.runtime.tasks.execution import Execution

    Message = dict[str, object]

_TOOL_ROLES = frozenset({"tool_result", "tool"})
_FACING_ROLES = frozenset({"user", "assistant"})
_CALL_BLOCKS = frozenset({"tool_call", "tool_use"})
_COUNTS = (
    "assistant_message_count",
    "message_count",
    "tool_call_count",
    "tool_result_message_count",
    "user_facing_message_count",
    "user_message_count",
    "visible_event_count",
)


# Conversion between script values and transcripts


def transcript_of(value: object) -> Transcript | None:
    """Return the transcript that a script value represents, or None."""
    if type(value) is LazyDict:
        origin = value.origin
        return origin if isinstance(origin, Transcript) else Transcript.from_dict(value.plain())
    return Transcript.from_dict(value) if value.__class__ is dict else None


def transcript_value(transcript: Transcript) -> LazyDict:
    """Return the script value of a transcript: a dict whose entries are built on first access."""
    return LazyDict(transcript, transcript.as_dict)


def new_transcript(
    run: Execution,
    messages: Sequence[Message] = (),
    metadata: dict[str, object] | None = None,
) -> Transcript:
    """Create a transcript with these messages."""
    return Transcript.new(
        run.ids.uuid7(),
        messages=messages,
        events=message_events(run, messages),
        metadata=metadata,
    )


def message_events(run: Execution, messages: Iterable[Message]) -> list[dict[str, object]]:
    """Return the events of messages; a value that is not a dict counts as the text of a user message."""
    return [message_event(as_message(message), run.ids.uuid7()) for message in messages]


def as_message(value: object) -> Message:
    """Return a dict unchanged, and any other value as a user message with that content."""
    return value if value.__class__ is dict else {"role": "user", "content": value}


def lifecycle_event(
    run: Execution,
    kind: str,
    text: str,
    metadata: dict[str, object] | None = None,
) -> dict[str, object]:
    """Return a lifecycle event of a transcript."""
    block: dict[str, object] = {"type": "text", "text": text, "visibility": "internal"}
    event: dict[str, object] = {
        "id": run.ids.uuid7(),
        "kind": kind,
        "role": "system",
        "visibility": "internal",
        "text": text,
        "blocks": [block],
    }
    if metadata is not None:
        event["metadata"] = metadata
    return event


def session_behind(run: Execution, transcript: Transcript) -> Session | None:
    """Return the session of a transcript: the one with its id, or the current one."""
    sessions = sessions_of(run)
    return sessions.get(transcript.id) or sessions.get(current_session_id(run))


def write_transcript_records(run: Execution, transcript: Transcript, change: Change) -> None:
    """Write the records of a change to a transcript value, which is independent of its session."""
    if change.records:
        session = session_behind(run, transcript)
        write_records(run, session.id if session is not None else transcript.id, change.records, is_live=False)


# Reminders


def inject_reminder(run: Execution, function: str, transcript: Transcript, options: object) -> dict[str, object]:
    """Inject a reminder into a transcript; it replaces pending reminders with the same key."""
    fields, faults = check_reminder(options, type_name, PIPELINE)
    if fields is None:
        raise thrown(fault_text(function, faults[0]))
    spec = fields.spec(id=run.ids.uuid7(), source="in_pipeline", fired_at_turn=0)
    change = lifecycle.inject(transcript, spec)
    write_transcript_records(run, transcript, change)
    return {
        "transcript": transcript_value(change.transcript),
        "reminder_id": spec.id,
        "deduped_count": change.deduped_count,
    }


def clear_reminders(run: Execution, function: str, transcript: Transcript, selector: object) -> dict[str, object]:
    """Remove the pending reminders that match a selector from a transcript.

    A reminder that is still pending in the session of the transcript has not ended, so no record says that it has.
    """
    chosen, faults = check_selector(selector, type_name)
    if chosen is None:
        raise thrown(fault_text(function, faults[0]))
    change = lifecycle.clear(transcript, chosen)
    session = sessions_of(run).get(transcript.id)
    if session is not None:
        live = {spec.id for spec in session.transcript.pending()}
        change.records = [record for record in change.records if record.payload["reminder_id"] not in live]
    write_transcript_records(run, transcript, change)
    return {"transcript": transcript_value(change.transcript), "removed_count": change.removed_count}


# Messages


def message_text(message: Message) -> str:
    """Return the text of a message."""
    return str(message_event(as_message(message), "")["text"])


def role_of(message: object) -> str:
    """Return the role of a message, or an empty string."""
    role = message.get("role") if message.__class__ is dict else None
    return role if isinstance(role, str) else ""


def is_tool_result(message: object) -> bool:
    """Return whether a message is a tool result: by its role, or because all its blocks are tool results."""
    if role_of(message) in _TOOL_ROLES:
        return True
    content = message.get("content") if message.__class__ is dict else None
    return isinstance(content, list) and bool(content) and all(_block_type(block) == "tool_result" for block in content)


def _block_type(block: object) -> str:
    kind = block.get("type") if block.__class__ is dict else None
    return kind if isinstance(kind, str) else ""


def _tool_calls(message: Message) -> int:
    """Return the number of tool calls in a message, in either of the two formats."""
    calls, content = message.get("tool_calls"), message.get("content")
    if isinstance(calls, list) and calls:
        return len(calls)
    return sum(_block_type(block) in _CALL_BLOCKS for block in content) if isinstance(content, list) else 0


def with_message(run: Execution, transcript: Transcript, message: Message) -> Transcript:
    """Append a message to a transcript; the events of messages come before all other events."""
    has_others = transcript.event_count != transcript.message_count or transcript.pending_count or transcript.broken()
    if not has_others:
        return transcript.with_message(message, message_event(message, run.ids.uuid7()))
    messages = [*transcript.messages(), message]
    return transcript.with_messages(messages, message_events(run, messages))


def stats(value: object) -> dict[str, object]:
    """Return the counts of messages, by kind, and of visible events for a transcript or a list of messages."""
    transcript = transcript_of(value)
    items = transcript.messages() if transcript is not None else value
    counts = dict.fromkeys(_COUNTS, 0)
    if items.__class__ is not list:
        return {**counts}
    for message in items:
        if message.__class__ is dict:
            _count(counts, message)
    if transcript is not None:
        counts["visible_event_count"] = sum(map(_is_visible, transcript.events()))
    return {**counts}


def _is_visible(event: object) -> bool:
    return event.__class__ is dict and event.get("visibility") == "visible"


def _count(counts: dict[str, int], message: Message) -> None:
    role, is_result = role_of(message), is_tool_result(message)
    counts["message_count"] += 1
    counts["tool_call_count"] += _tool_calls(message)
    counts["tool_result_message_count"] += is_result
    counts["assistant_message_count"] += role == "assistant"
    counts["user_message_count"] += role == "user" and not is_result
    counts["user_facing_message_count"] += role in _FACING_ROLES and not is_result


# Rendering, assets and states


def render(transcript: Transcript, *, full: bool) -> str:
    """Return the events as lines: the public ones that have a text, or all of them with their visibility."""
    lines = []
    for event in transcript.events():
        if event.__class__ is not dict:
            continue
        role, text, visibility = (_shown(event.get(key)) for key in ("role", "text", "visibility"))
        if full:
            lines.append(f"[{visibility}] {role}: {text}")
        elif visibility == "public" and text:
            lines.append(f"{role}: {text}")
    return "\n".join(lines)


def _shown(value: object) -> str:
    return "" if value is None else display(value)


def with_asset(run: Execution, transcript: Transcript, asset: dict[str, object]) -> Transcript:
    """Add an asset to a transcript, or replace the asset with the same id."""
    entry = {"kind": "blob", "visibility": "internal", **asset, "_type": "transcript_asset"}
    if not isinstance(entry.get("id"), str):
        entry["id"] = run.ids.uuid7()
    known = [asset_id(other) for other in transcript.assets]
    if entry["id"] not in known:
        return transcript.with_fields(assets=[*transcript.assets, entry])
    at = known.index(entry["id"])
    return transcript.with_fields(assets=[*transcript.assets[:at], entry, *transcript.assets[at + 1 :]])


def asset_id(asset: object) -> str | None:
    """Return the id of an asset, or None."""
    found = asset.get("id") if asset.__class__ is dict else None
    return found if isinstance(found, str) else None


def in_state(run: Execution, transcript: Transcript, state: str, kind: str, text: str) -> Transcript:
    """Set the state of a transcript, and append an event about it."""
    return transcript.with_fields(state=state).with_event(lifecycle_event(run, kind, text))


def fork(run: Execution, transcript: Transcript, options: dict[str, object]) -> Transcript:
    """Return a copy of a transcript for another branch of the conversation."""
    if not options.get("retain_messages", True):
        transcript = transcript.with_messages([], [])
    if not options.get("retain_summary", True):
        transcript = transcript.with_fields(summary=None)
    return in_state(run, transcript, "forked", "transcript_fork", "transcript forked")


def reset(run: Execution, transcript: Transcript, options: dict[str, object]) -> Transcript:
    """Return the transcript without its content."""
    given = options.get("metadata")
    metadata = given if isinstance(given, dict) else transcript.metadata
    empty = Transcript.new(transcript.id, metadata=metadata)
    return in_state(run, empty, "active", "transcript_reset", "transcript reset")
