"""The options of compaction for loops, sessions, transcripts and lists of messages."""

from __future__ import annotations

COMPACT_STRATEGY = """
observation_mask: older tool results are replaced by short notes
truncate: older messages are removed
llm: a model writes a summary
custom: a closure of the script writes the summary
"""
COMPACTION_POLICY = """
hybrid: a model writes a summary
truncate: older messages are removed
summarize: a model writes a summary
summarize_all: a model writes a summary
summarize_middle: a model writes a summary
llm: a model writes a summary
observation_mask: older tool results are replaced by short notes
none: no compaction
"""
LOOP_COMPACTION = """
strategy: string | string<compaction_policy> = "hybrid"; How compaction shortens older messages.
kind: string | string<compaction_policy>; The same as `strategy`.
type: string | string<compaction_policy>; The same as `strategy`.
keep_last: int >= 0; The number of recent messages that are kept.
keep_last_n: int >= 0; The same as `keep_last`.
policy: string | dict<summary_policy>; Instructions for the summary.
"""
SUMMARY_POLICY = """
instructions: string; Instructions for the model that writes the summary.
preserve: any; Information that the summary must keep.
drop: any; Information that the summary may omit.
extend_default_instructions: bool = true; Keep the default instructions; false replaces them.
"""
LIMITS = """
keep_first: int >= 0 = 0; The number of messages at the start that are kept.
keep_last: int >= 0 = 12; The number of recent messages that are kept.
tool_output_max_chars: int >= 0; The maximum length of a tool result, in characters.
hard_limit_tokens: int >= 0; The number of tokens above which the result is compacted again.
hard_limit_strategy: string<compact_strategy> = "llm"; How the second compaction shortens messages.
mask_callback: closure; A function that returns a replacement for a tool result.
compress_callback: closure; A function that returns a replacement for a long text.
"""
MESSAGES_COMPACTION = """
compact_threshold: int >= 0 = 48000; The number of tokens above which the messages are compacted.
token_threshold: int >= 0; The same as `compact_threshold`.
compact_strategy: string<compact_strategy> = "observation_mask"; How compaction shortens older messages.
compact_callback: closure; `fn(messages, reminders)` that returns the summary.
summarize_prompt: string; The prompt for the model that writes the summary.
"""
AUTO_COMPACT = """
enabled: bool = true; Whether compaction is active.
+ messages_compaction
+ limits
+ summary_policy
"""
TRANSCRIPT_COMPACTION = """
strategy: string<compact_strategy> = "observation_mask"; How compaction shortens older messages.
compact_strategy: string<compact_strategy>; The same as `strategy`.
target_tokens: int >= 0; The number of tokens up to which nothing is compacted.
summarize_prompt: string; The prompt for the model that writes the summary, with the strategy `llm`.
summary: string; A summary to use instead of a generated one.
custom_compactor: closure; `fn(messages, reminders)` that returns a text, `{summary}`, `{messages}` or a transcript.
"""
SESSION_COMPACTION = """
keep_last: int >= 0 = 12; The number of recent messages that are kept.
token_threshold: int >= 0 = 48000; The number of tokens up to which nothing is compacted.
tool_output_max_chars: int >= 0; The maximum length of a tool result, in characters.
compact_strategy: string<compact_strategy> = "observation_mask"; How compaction shortens older messages.
hard_limit_tokens: int >= 0; The number of tokens above which the result is compacted again.
hard_limit_strategy: string<compact_strategy> = "llm"; How the second compaction shortens messages.
custom_compactor: closure; `fn(messages, reminders)` that returns the summary.
mask_callback: closure; A function that returns a replacement for a tool result.
compress_callback: closure; A function that returns a replacement for a long text.
policy: string | dict<summary_policy>; Instructions for the summary.
compaction_policy: string | dict<summary_policy>; The same as `policy`.
compaction_request: string | dict<summary_policy>; Further instructions for the summary.
instructions: string; Instructions for the model that writes the summary.
mode: string; The mode that is recorded.
scope: string; The scope that is recorded.
preserve: any; Information that the summary must keep.
drop: any; Information that the summary may omit.
extend_default_instructions: bool = true; Keep the default instructions; false replaces them.
author: string; The author that is recorded.
"""

TRANSCRIPT_SUMMARY = """
keep_last: int >= 0 = 6; The number of recent messages that are kept.
prompt: string; The prompt for the model that writes the summary.
"""

PLACES = """
= transcript_compact 1
+ transcript_compaction
+ limits
+ summary_policy

= transcript_auto_compact 1
+ messages_compaction
+ limits
+ summary_policy

= agent_session_compact 1
+ session_compaction

= transcript_summarize 1
+ transcript_summary
+ model_call
"""
