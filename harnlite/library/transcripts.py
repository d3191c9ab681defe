"""Builtins for transcripts as values: creating them, reading them and returning changed copies."""

from __future__ import annotations

from harnlite.agent.sessions import transcript_values
from harnlite.agent.sessions.transcript_values import new_transcript, transcript_of, transcript_value
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import pretty_json
from harnlite.library.argument_types import dict_argument, expect, expect_dict
from harnlite.library.native import native
from harnlite.reminders.spec import lenient_event
from harnlite.values.display import display
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.reminders.transcript import Transcript
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.data_types import LazyDict

_STATE_CHANGES = {
    "transcript_archive": ("archived", "transcript archived"),
    "transcript_abandon": ("abandoned", "transcript abandoned"),
    "transcript_resume": ("active", "transcript resumed"),
}


def _read(function: str, value: object) -> Transcript:
    """Return a transcript argument, or throw."""
    expect(function, "transcript", value, "dict")
    found = transcript_of(value)
    if found is None:
        raise thrown(f"{function}: argument must be a transcript")
    return found


def _options(function: str, value: object) -> dict[str, object]:
    return dict_argument(function, "options", value)


# Creation


@native("conversation")
def conversation() -> list[object]:
    """Return an empty list of messages."""
    return []


@native("transcript")
def transcript(run: Execution, metadata: object = None) -> LazyDict:
    """Return a new transcript."""
    given = dict(dict_argument("transcript", "metadata", metadata))
    messages = given.pop("messages") if given.get("messages").__class__ is list else []
    return transcript_value(new_transcript(run, messages, given or None))


@native("transcript_from_messages")
def transcript_from_messages(run: Execution, messages: object = None) -> LazyDict:
    """Return a new transcript with these messages."""
    source = transcript_of(messages)
    items = source.messages() if source is not None else messages
    if items.__class__ is not list:
        raise thrown("transcript_from_messages: argument must be a message list or transcript")
    return transcript_value(new_transcript(run, items))


# Contents


@native("transcript_messages")
def transcript_messages(transcript: object = None) -> list[object]:
    """Return the messages of a transcript."""
    return [*_read("transcript_messages", transcript).messages()]


@native("transcript_events")
def transcript_events(transcript: object = None) -> list[object]:
    """Return the events of a transcript."""
    return [*_read("transcript_events", transcript).events()]


@native("transcript_assets")
def transcript_assets(transcript: object = None) -> list[object]:
    """Return the assets of a transcript."""
    return [*_read("transcript_assets", transcript).assets]


@native("transcript_summary")
def transcript_summary(transcript: object = None) -> str | None:
    """Return the summary of a transcript, or nil."""
    return _read("transcript_summary", transcript).summary


@native("transcript_id")
def transcript_id(transcript: object = None) -> str:
    """Return the id of a transcript."""
    return _read("transcript_id", transcript).id


@native("transcript_events_by_kind")
def transcript_events_by_kind(transcript: object = None, kind: object = None) -> list[object]:
    """Return the events of a transcript that have a kind."""
    expect("transcript_events_by_kind", "kind", kind, "string")
    found = transcript_of(transcript)
    events: object = None
    if found is not None:
        events = found.events()
    elif transcript.__class__ is dict:
        events = transcript.get("events")
    if events.__class__ is not list:
        return []
    return [event for event in events if event.__class__ is dict and event.get("kind") == kind]


@native("transcript_stats")
def transcript_stats(value: object = None) -> dict[str, object]:
    """Return the counts of the messages of a transcript by kind, and of its visible events."""
    return transcript_values.stats(value)


@native("transcript_render_visible")
def transcript_render_visible(transcript: object = None) -> str:
    """Return the public events of a transcript that have a text, one line for each."""
    return transcript_values.render(_read("transcript_render_visible", transcript), full=False)


@native("transcript_render_full")
def transcript_render_full(transcript: object = None) -> str:
    """Return all events of a transcript, one line for each."""
    return transcript_values.render(_read("transcript_render_full", transcript), full=True)


# Changed copies


@native("transcript_add_asset")
def transcript_add_asset(run: Execution, transcript: object = None, asset: object = None) -> LazyDict:
    """Return the transcript with an asset added."""
    expect("transcript_add_asset", "transcript", transcript, "dict")
    given = expect_dict("transcript_add_asset", "dict", asset)
    found = _read("transcript_add_asset", transcript)
    return transcript_value(transcript_values.with_asset(run, found, given))


@native("transcript_export")
def transcript_export(transcript: object = None) -> str:
    """Return the transcript as JSON."""
    _read("transcript_export", transcript)
    return pretty_json(transcript)


@native("transcript_import")
def transcript_import(text: object = None) -> LazyDict:
    """Return the transcript that a JSON text contains."""
    expect("transcript_import", "text", text, "string")
    try:
        found = transcript_of(read_json(display(text)))
    except JsonError as error:
        raise runtime_error(f"transcript_import: {error}") from None
    if found is None:
        raise runtime_error("transcript_import: the text does not contain a transcript")
    return transcript_value(found)


@native("transcript_fork")
def transcript_fork(run: Execution, transcript: object = None, options: object = None) -> LazyDict:
    """Return a copy of the transcript in the state `forked`."""
    expect("transcript_fork", "transcript", transcript, "dict")
    given = _options("transcript_fork", options)
    return transcript_value(transcript_values.fork(run, _read("transcript_fork", transcript), given))


@native("transcript_reset")
def transcript_reset(run: Execution, transcript: object = None, options: object = None) -> LazyDict:
    """Return the transcript without its messages, events, assets and summary."""
    expect("transcript_reset", "transcript", transcript, "dict")
    given = _options("transcript_reset", options)
    return transcript_value(transcript_values.reset(run, _read("transcript_reset", transcript), given))


def _with_state(run: Execution, function: str, transcript: object) -> LazyDict:
    state, text = _STATE_CHANGES[function]
    return transcript_value(transcript_values.in_state(run, _read(function, transcript), state, function, text))


@native("transcript_archive")
def transcript_archive(run: Execution, transcript: object = None) -> LazyDict:
    """Return the transcript in the state `archived`."""
    return _with_state(run, "transcript_archive", transcript)


@native("transcript_abandon")
def transcript_abandon(run: Execution, transcript: object = None) -> LazyDict:
    """Return the transcript in the state `abandoned`."""
    return _with_state(run, "transcript_abandon", transcript)


@native("transcript_resume")
def transcript_resume(run: Execution, transcript: object = None) -> LazyDict:
    """Return the transcript in the state `active`."""
    return _with_state(run, "transcript_resume", transcript)


# Messages


def _added(run: Execution, function: str, target: object, message: dict[str, object]) -> object:
    if target.__class__ is list:
        return [*target, message]
    found = transcript_of(target)
    if found is None:
        raise thrown(f"{function}: first argument must be a message list or transcript")
    return transcript_value(transcript_values.with_message(run, found, message))


@native("add_message")
def add_message(run: Execution, target: object = None, role: object = None, content: object = None) -> object:
    """Return the transcript or list with a message added."""
    expect("add_message", "role", role, "string")
    return _added(run, "add_message", target, {"role": role, "content": content})


@native("add_user")
def add_user(run: Execution, target: object = None, content: object = None) -> object:
    """Return the transcript or list with a user message added."""
    return _added(run, "add_user", target, {"role": "user", "content": content})


@native("add_assistant")
def add_assistant(run: Execution, target: object = None, content: object = None) -> object:
    """Return the transcript or list with an assistant message added."""
    return _added(run, "add_assistant", target, {"role": "assistant", "content": content})


@native("add_system")
def add_system(run: Execution, target: object = None, content: object = None) -> object:
    """Return the transcript or list with a system message added."""
    return _added(run, "add_system", target, {"role": "system", "content": content})


@native("add_tool_result")
def add_tool_result(
    run: Execution,
    target: object = None,
    tool_use_id: object = None,
    content: object = None,
) -> object:
    """Return the transcript or list with a tool result added."""
    expect("add_tool_result", "tool_use_id", tool_use_id, "string")
    message: dict[str, object] = {"role": "tool_result", "tool_use_id": tool_use_id, "content": content}
    return _added(run, "add_tool_result", target, message)


# Reminders


@native("transcript_reminder_event")
def transcript_reminder_event(run: Execution, fields: object = None) -> dict[str, object]:
    """Return the event of a reminder; the fields are not validated."""
    return lenient_event(expect_dict("transcript_reminder_event", "dict", fields), run.ids.uuid7, display)


@native("transcript.inject_reminder")
def inject_reminder(run: Execution, transcript: object = None, options: object = None) -> dict[str, object]:
    """Return the transcript with a pending reminder added."""
    found = _read("transcript.inject_reminder", transcript)
    return transcript_values.inject_reminder(run, "transcript.inject_reminder", found, options)


@native("transcript.clear_reminders")
def clear_reminders(run: Execution, transcript: object = None, selector: object = None) -> dict[str, object]:
    """Return the transcript without the pending reminders that a selector matches."""
    found = _read("transcript.clear_reminders", transcript)
    return transcript_values.clear_reminders(run, "transcript.clear_reminders", found, selector)
