"""The options of functions for sessions, transcripts and the event log."""

from __future__ import annotations

WORKSPACE_ANCHOR = """
primary: string; The folder.
additional_roots: list; Additional folders.
anchored_at: string; The time at which the anchor was set (now).
"""
WORKSPACE_POLICY = """
default_mount_mode: string = "read_only"; How additional folders may be used.
"""
ROLE = """
user: the user
assistant: the model
system: the system prompt
developer: the developer of the program
tool: a tool result
"""
TRANSCRIPT_EVENT_KIND = """
message: a message
tool_result: the result of a tool call
system_reminder: a reminder
llm_call: a model call
loop_checkpoint: a seam of a loop
compaction: a compaction
"""

PLACES = """
= agent_session_open 1
workspace_anchor: string | dict<workspace_anchor>; The folder of the session.
workspace_policy: dict<workspace_policy>; How additional folders may be used.

= agent_session_inject 1
role: string; The author of the message (required).
content: string | list; The text, or a list of content blocks.
kind: string; The kind of the event; `system_reminder` for a reminder.

= agent_session_seed_from_jsonl 1
truncate_to_last: int >= 0; The number of messages that are kept (all).
drop_tool_calls: bool = false; Omit tool calls.
rename_session: string; The id of the new session.
validate: bool = true; Throw an error for an invalid record; false skips it.
provider: string; The provider that is recorded.
model: string; The model that is recorded.

= transcript 0
messages: list<dict<message>>; The messages.

= transcript_fork 1
retain_messages: bool = true; Copy the messages.
retain_summary: bool = true; Copy the summary.

= transcript_reset 1
metadata: dict; The new metadata.

= transcript_events_by_kind 1
: string<transcript_event_kind>; The kind of the events.

= add_message 1
: string<role>; The role of the message.

= event_log.subscribe 0
topic: string; The topic of the records (required).
from_cursor: int; The last record that was seen.
kind_prefix: string; The prefix of the kinds of records.
"""
