"""The options of functions for reminders and reminder providers."""

from __future__ import annotations

REMINDER = """
body: string; The text for the model (required).
tags: list<string>; Labels by which reminders are found and cleared.
dedupe_key: string; A new reminder replaces pending reminders with the same key.
ttl_turns: int >= 1; The number of prompts that include the reminder (until it is cleared or compacted).
preserve_on_compact: bool = false; Whether the reminder survives compaction.
propagate: string<propagate> = "session"; Which sub-agents inherit the reminder.
role_hint: string<role_hint> = "system"; Where the reminder appears in the prompt.
"""
PROPAGATE = """
all: sub-agents inherit it, and their sub-agents too
session: the sub-agents of the session that created it inherit it
none: no other agent inherits it
"""
ROLE_HINT = """
system: a part of the system prompt
developer: a message with the role developer if the route supports it, otherwise a part of the system prompt
user_block: a block before the first user message if the route supports it
ephemeral_cache: a separate block that the route may cache
"""
MODE = """
interrupt_immediate: at the next seam of the loop, before pending tool calls, which are skipped
finish_step: after the current step
audit_only: stored in the transcript, but not shown to the model
"""
QUEUED_REMINDER = """
mode: string<mode> = "audit_only"; When the loop receives the reminder.
"""
QUEUED_MESSAGE = """
content: string | list; The content of the user message.
mode: string<message_mode> = "finish_step"; When the loop receives the message.
"""
MESSAGE_MODE = """
queue: as the prompt of a turn of its own, when the running loop has ended
steer: after the current step, also of a waiting daemon
interrupt_immediate: at the next seam of the loop, before pending tool calls, which are skipped
finish_step: after the current step
audit_only: stored in the transcript when the loop ends
"""
SELECTOR = """
id: string; Select the reminder with this id.
tag: string; Select reminders with this tag.
dedupe_key: string; Select reminders with this key.
"""
REMINDER_EVENT = """
id: string; The id of the event (a new id).
source: string<source> = "in_pipeline"; The origin of the reminder.
fired_at_turn: int >= 0 = 0; The turn in which the reminder was created.
originating_agent_id: string; The session that created the reminder.
"""
SOURCE = """
stdlib_provider: a reminder provider
hook: a hook
bridge: the host
in_pipeline: the script
inherited: the parent of a sub-agent
"""
REMINDER_PROVIDER = """
id: string | string<canonical_provider>; The name; the name of a canonical provider replaces that provider.
subscribes_to: string<reminder_event_name> | list<string<reminder_event_name>>; The events that call the provider.
events: string<reminder_event_name> | list<string<reminder_event_name>>; The same as `subscribes_to`.
event: string<reminder_event_name> | list<string<reminder_event_name>>; The same as `subscribes_to`.
evaluate: closure; `fn(ctx)` that returns nil, a reminder, or a list of reminders.
"""
CANONICAL_PROVIDER = """
token_pressure: reports how full the context window is, at 70, 85 and 95 %
idle_nudge: asks a daemon that has waited for a long time to check again
tool_output_truncated: reports that the output of a tool was cut off
post_compact_recap: repeats the summary after a compaction
resume_continuity: explains to a resumed agent why it was paused and who resumed it
project_facts: recalls stored facts that are relevant to the task
workspace_anchor: names the folders of the session
grounded_review: reports failed checks with their sources
"""
ENABLED_PROVIDERS = """
enabled: bool = true; Whether the loop has reminder providers.
providers: list<string | string<listed_provider>>; The providers to add, as `"id"`, and to remove, as `"-id"`.
config: dict<provider_settings>; The settings of providers, by id.
"""
PROVIDER_SETTINGS = """
token_pressure: dict<context_settings>; Settings of the provider that reports how full the context window is.
idle_nudge: dict<idle_nudge_settings>; Settings of the provider that reminds a waiting daemon.
tool_output_truncated: dict; Settings of the provider that reports truncated tool output.
post_compact_recap: dict; Settings of the provider that repeats the summary after a compaction.
resume_continuity: dict; Settings of the provider that explains a pause to a resumed agent.
project_facts: dict<project_facts_settings>; Settings of the provider that recalls stored facts.
workspace_anchor: dict; Settings of the provider that names the folders of the session.
grounded_review: dict<grounded_review_settings>; Settings of the provider that reports failed checks.
"""
CONTEXT_SETTINGS = """
context_window: int >= 1 | float; The size of the context window in tokens (the window of the model).
max_context_tokens: int >= 1 | float; The same as `context_window`.
"""
IDLE_NUDGE_SETTINGS = """
idle_seconds: float = 60; The time that a daemon waits before it is reminded, in seconds.
seconds: float; The same as `idle_seconds`.
"""
PROJECT_FACTS_SETTINGS = """
max_facts: int >= 0 = 5; The maximum number of facts.
limit: int >= 0; The same as `max_facts`.
min_confidence: float = 0.5; The lowest confidence of a fact, from 0 to 1.
kind_filter: string | string<fact_kind> | list<string | string<fact_kind>>; The kinds of facts (all).
kinds: string | string<fact_kind> | list<string | string<fact_kind>>; The same as `kind_filter`.
relevance_query: string; The query for facts (the task).
query: string; The same as `relevance_query`.
refresh_ratio: float = 0.7; How full the context window must be before facts are recalled again, from 0 to 1.
scope: string<fact_scope> = "project"; The scope of the facts.
namespace: string; The namespace of the facts, used instead of a scope.
root: string; The folder of the memory.
"""
GROUNDED_REVIEW_SETTINGS = """
max_findings: int >= 0 = 6; The maximum number of findings.
limit: int >= 0; The same as `max_findings`.
text_scan: bool = true; Search the output of known checks for failures.
include_warnings: bool = false; Report warnings too.
"""

PLACES = """
= transcript.inject_reminder 1, agent_session_inject_reminder 1
+ reminder

= transcript.clear_reminders 1, agent_session_clear_reminders 1
+ selector

= transcript_reminder_event 0
+ reminder
+ reminder_event

= agent_session_push_bridge_injection 1
+ reminder
+ queued_reminder

= agent_session_push_user_message 1
+ queued_message

= agent_session_drain_bridge_injections 1
: string<mode>; The mode of the reminders.

= agent_reminder_providers_fire 1
: string<reminder_event_name>; The event.

= register_reminder_provider 0
+ reminder_provider
"""
