"""Builtins that compact transcripts, sessions and lists of messages."""

from __future__ import annotations

from harnlite.agent.compaction import compacting
from harnlite.agent.sessions.open_sessions import require_session
from harnlite.agent.sessions.transcript_values import transcript_of, transcript_value
from harnlite.library.argument_types import dict_argument, expect, expect_list
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution


def _options(function: str, value: object) -> dict[str, object]:
    return dict_argument(function, "options", value)


@native("transcript_compact")
def transcript_compact(run: Execution, transcript: object = None, options: object = None) -> object:
    """Return the transcript with its older messages compacted."""
    require(run, "agent.session", "transcript_compact")
    given = _options("transcript_compact", options)
    found = transcript_of(transcript)
    if found is None:
        raise runtime_error("transcript_compact: first argument must be a transcript")
    made = compacting.compact_transcript(run, found, given)
    return transcript if made is found else transcript_value(made)


@native("transcript_auto_compact")
def transcript_auto_compact(run: Execution, messages: object = None, options: object = None) -> object:
    """Return the messages, with the older ones compacted if there are too many."""
    listed = expect_list("transcript_auto_compact", "messages", messages)
    given = _options("transcript_auto_compact", options)
    return compacting.compact_messages(run, listed, given)


@native("transcript_summarize")
def transcript_summarize(run: Execution, transcript: object = None, options: object = None) -> dict[str, object]:
    """Return the transcript with its older messages replaced by a model's summary."""
    require(run, "llm.call", "transcript_summarize")
    expect("transcript_summarize", "transcript", transcript, "dict")
    given = _options("transcript_summarize", options)
    found = transcript_of(transcript)
    if found is None:
        raise thrown("transcript_summarize: argument must be a transcript")
    made, archived = compacting.summarize_transcript(run, found, given)
    return {**made.as_dict(), "archived_messages": archived}


@native("agent_session_compact")
def agent_session_compact(run: Execution, session: object = None, options: object = None) -> int:
    """Compact the transcript of a session and return the new number of messages."""
    require(run, "agent.session", "agent_session_compact")
    expect("agent_session_compact", "id", session, "string")
    given = _options("agent_session_compact", options)
    found = require_session(run, "agent_session_compact", session)
    return compacting.compact_session(run, found, given)
