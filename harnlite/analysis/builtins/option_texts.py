"""What the options of builtins, events and reminder providers mean, in a line each: for hovers and completion.

Each line is `name: type; what it means`, with the default in brackets where there is one.
"""

from __future__ import annotations

from functools import lru_cache

REMINDER = """
body: string; the text for the model (required)
tags: list<string>; words by which reminders are found and cleared ([])
dedupe_key: string; a newer reminder with the same key takes the place of the older ones (nil)
ttl_turns: int; for how many prompts it lives, nil until it is cleared or compacted away (nil)
preserve_on_compact: bool; whether it outlives compaction (false)
propagate: string; which sub-agents get it: all, session or none (session)
role_hint: string; where it should stand in the prompt: system, developer, user_block or ephemeral_cache (system)
"""
PROPAGATE = """
all: children get it, and their children
session: children of the session that had it first get it
none: no other agent gets it
"""
ROLE_HINTS = """
system: part of the system prompt
developer: a message of the role developer where the route has one, else part of the system prompt
user_block: a block in front of the first user message, where the route has such blocks
ephemeral_cache: a block of its own that the route may cache
"""
EFFECT = "dict; a reminder that this leaves, beside what else it decides"
MESSAGE = """
content: string | list; what the user says
mode: string; when it is taken in: interrupt_immediate, finish_step or audit_only (finish_step)
"""
MODE = "string; when the reminder is taken in: interrupt_immediate, finish_step or audit_only (audit_only)"
MODES = """
interrupt_immediate: at the next seam of the loop; tools that are about to run are skipped
finish_step: when the step that runs is done
audit_only: kept in the transcript; no model sees it
"""
SELECTOR = """
id: string; the reminder with this id
tag: string; reminders that have this tag
dedupe_key: string; reminders that have this key
"""
MODEL = """
provider: string; who answers (that of the environment)
model: string; the model, or an alias of it
model_tier: string; a class of models in the place of a model
fallback_chain: list<string>; what is asked next when a call fails
max_tokens: int; the longest answer (16384)
temperature: float; how freely the model chooses
top_p: float; nucleus sampling
top_k: int; how many tokens are considered
seed: int; makes answers repeatable where the route can
stop: list<string>; texts that end the answer
frequency_penalty: float; against repeating words often
presence_penalty: float; against repeating words at all
thinking: bool | string | int | dict; reasoning before the answer
reasoning_effort: string; how much reasoning: none, minimal, low, medium, high, xhigh
prefill: string; how the answer begins
cache: bool; prompt caching
stream: bool; take the answer piece by piece (true)
timeout: int; seconds until a call is given up (120)
timeout_ms: int; the same in milliseconds, rounded up to seconds
messages: list; sent in the place of the prompt
system_preamble: string | list | dict; in front of all other system text
system_prefix: string | list | dict; before the system prompt
system_context: string | list | dict; behind the system prompt: what is known
system_prompt_parts: list | dict; named parts of the system prompt
system_appendix: string | list | dict; behind the context
system_suffix: string | list | dict; the end of the system text
tool_choice: string | dict; whether and which tool has to be called
tool_search: bool | string | dict; tools are found by search instead of being listed
output_schema: dict; the JSON Schema of the answer
json_schema: dict; the same as output_schema
schema: dict; the same as output_schema
output_format: string | dict; text, json, or {kind, schema, strict}
response_format: string; json, json_object or text
output_validation: string; what becomes of an answer that does not fit: off, warn or error (off)
schema_retries: int; how often an answer that does not fit is asked for again (1)
schema_retry_nudge: bool | string; what is said then; false repeats without a word
llm_retries: int; how often a failed call is tried again (0; in a loop 2)
llm_backoff_ms: int; the first wait between tries (250)
budget: dict; limits for tokens and money
structural_experiment: string | dict | closure; another arrangement of the prompt
"""
LOOP = """
tools: dict | list; a registry, or a list of entries that the model may call
tool_format: string; native (the tool calling of the API) or text (calls in the answer) (what the model prefers)
session_id: string; where messages go (the current session if no loop runs on it, else a new one)
profile: string; defaults: tool_using, researcher, verifier or completer (tool_using)
max_iterations: int; model calls (50, 30, 5 or 1 by profile)
loop_until_done: bool; go on until the model says that it is done, not only until it calls no tool (false)
done_sentinel: string; what the model says when it is done (##DONE## with loop_until_done)
max_nudges: int; with loop_until_done, how many turns in a row may call no tool (8, 4, 0 or 0 by profile)
max_concurrent_tools: int; tool calls of one turn that run at a time (1)
tool_retries: int; how often a failed tool call is tried again (0)
tool_backoff_ms: int; the wait before that (1000)
native_tool_fallback: string; calls written as text in a native loop: allow, allow_once or reject (reject)
stop_after_successful_tools: list<string>; a turn in which one of these has succeeded is the last (nil)
require_successful_tools: list; names that must have succeeded; a list inside is a choice (nil)
post_turn_callback: closure; fn(turn) after each turn; a text goes to the model, true stops (nil)
verify_completion: closure; fn(proposal); false or a text sends the model back to work (nil)
verify_completion_judge: bool | dict; a model judges what verify_completion would (nil)
done_judge: bool | dict; a model decides whether the work is done (nil)
max_verify_attempts: int; how often the model may be sent back (20)
step_judge: bool | dict; a model reviews each answer before its tools run (off)
stall_diagnostics: bool | dict; notices an agent that repeats itself (off)
iteration_budget: string | dict; "adaptive", or limits for iterations, time and cost (fixed)
loop_control: closure; fn(state) that may extend or stop the loop (nil)
token_budget: int; input and output tokens of the loop (nil)
max_cost_usd: float; what one call may cost (nil)
total_budget_usd: float; what the loop may cost (nil)
llm_caller: closure; stands around each model call (nil)
tool_caller: closure; stands around each tool call (nil)
llm_options: dict; goes into every model call ({})
message_decorator: closure; changes what is sent, not what is kept (nil)
timestamp_messages: bool; each message begins with its time (false)
prompts: dict; texts of the runtime in your words, by id (nil)
policy: dict; a ceiling for what tools may do (nil)
permissions: dict; {allow, deny, on_escalation}: which tools may be called with what (nil)
approval_policy: dict; which calls need approval (nil)
command_policy: dict; what command tools may run (nil)
compaction: bool | string | dict; compaction with its settings (off)
auto_compact: bool | dict; compact when messages take too much room (off)
compact_threshold: int; compact above so many tokens (48000)
compact_keep_last: int; messages that stay (12)
compact_strategy: string; truncate, llm, custom or observation_mask (observation_mask)
compact_callback: closure; fn(messages, reminders) that gives the summary (nil)
daemon: bool; a turn without tool calls is followed by a wait, not by the end (false)
wake_interval_ms: int; a daemon wakes after so long
watch_paths: list<string>; a daemon wakes when one of these changes
persist_path: string; where a daemon keeps where it was
resume_path: string; what a daemon goes on from
consolidate_on_idle: bool; a daemon compacts before it waits
idle_watchdog_attempts: int; a daemon ends after so many waits with nothing to do
skills: list | dict; skills the agent may use (nil)
skill_match: dict; how skills are chosen
working_files: list<string>; files the work is about; skills may name theirs ([])
mcp_servers: list<dict>; servers whose tools are offered as <server>__<tool> (nil)
subagents: bool; offer tools to pause, resume and stop workers (false)
reminders: bool | list | dict; reminder providers: false for none, "-id" without one, {config: {id: {…}}} (on)
initial_user_content: list; content blocks in the place of the text of the task (nil)
llm_transcript_dir: string; a folder for llm_transcript.jsonl (nil)
"""
MOCK = """
text: string; the answer
tool_calls: list<dict>; tools that the answer calls: {name, arguments}
error: dict; the call fails: {category, message, status, kind, reason, retry_after_ms}
match: string; a glob for the texts of all messages; such an entry stays
consume_match: bool; an entry with a match is used up too (false)
input_tokens: int; what the call has read
output_tokens: int; what the call has written
cache_read_tokens: int; what came from the cache
cache_write_tokens: int; what went into the cache
thinking: string; the reasoning before the answer
thinking_summary: string; what is shown of the reasoning
stop_reason: string; why the answer ended
model: string; who seems to answer (mock)
provider: string; the same for the provider (mock)
blocks: list<dict>; the answer in blocks
logprobs: list; how likely each token was
delay_ms: int; how long the answer takes
"""
CHILD = """
name: string; what the child is called
system: string; its system prompt
allowed_tools: list<string>; names out of the tools of the caller
returns: dict; {schema}: the child answers in JSON that fits
background: bool; give the handle of a worker at once (false)
reminder_propagation: list; exactly these reminders, in the place of those that travel
carry: dict; what it takes over
execution: dict; where it works
"""
JUDGE = """
system: string; what the judge is told
cadence: dict; how often it judges: every, max_invocations, min_iterations_before_first, when
fail_open_on_error: bool; a judge that fails agrees (false)
feedback_fallback: string; what the agent is told when the judge gives no reason
"""
STEP_JUDGE = """
rubric: string; default or adversarial (default)
on_veto: string; replace the answer, or append what is wrong with it (replace)
max_attempts: int; how often one step is judged (3)
skip_when_empty: bool; do not judge an empty answer (true)
skip_when_stalled: bool; do not judge an agent that repeats itself (true)
skip_when_iterations_remaining: int; do not judge when so few iterations are left (1)
"""
STALL = """
enabled: bool; whether to look at all (true)
threshold: int; so many equal calls in a row are a stall (3)
inject_feedback: bool; tell the agent (true)
max_feedback: int; how often it is told (1)
exempt_tools: list<string>; tools that may repeat
include_arguments: bool; calls with other arguments are other calls
"""
BUDGET = """
mode: string; fixed or adaptive (fixed)
initial: int; iterations to begin with
max: int; iterations at most
extend_by: int; how many are added at a time
expose_decisions: bool; tell in the result what was decided
wall_clock_ms: int; how long the loop may take
total_cost_usd: float; what the loop may cost
consecutive_failures: dict; {max, kinds, paused_for_ms}: when failing calls end it
"""
SKILL_MATCH = """
strategy: string; catalog, metadata, manual or host (catalog)
top_n: int; how many are active at a time (1)
sticky: bool; an active one stays (true)
"""
APPROVAL = """
auto_approve: list<string>; tools that need no approval
auto_deny: list<string>; tools that never run
require_approval: list<string>; tools that have to be approved
write_path_allowlist: list<string>; where tools may write
"""
COMMANDS = """
tools: list<string>; the tools that run commands
deny_patterns: list<string>; commands that are refused
require_approval: list<string>; commands that have to be approved
workspace_roots: list<string>; where commands may run
pre: closure; fn(ctx) before a command: nil, a bool or {deny}
post: closure; fn(ctx) after a command: nil or {result}
allow_recursive: bool; commands may run commands (false)
"""
TOOL_HOOK = """
pattern: string; a glob for the names of tools (*)
deny: string; refuse every such call with this text
max_output: int; how many characters of a result are kept
pre: closure; fn(ctx) before the call: nil, {deny}, {args}, or reminders
post: closure; fn(ctx) after the call: nil, a text, {result}, or reminders
"""
PROVIDER = """
id: string; the name of the provider; that of a canonical one takes its place
subscribes_to: string | list<string>; the events at which it is asked
events: string | list<string>; the same as subscribes_to
event: string; the same as subscribes_to, for one event
evaluate: closure; fn(ctx) that gives nil, a reminder, or a list of reminders
"""
PROVIDERS = """
token_pressure: says how full the context window is, at 70, 85 and 95 %
idle_nudge: says to look again when a daemon waits for long
tool_output_truncated: says that the output of a tool was cut before the model saw it
post_compact_recap: gives the summary after messages were archived
resume_continuity: says why a resumed agent was paused, and by whom it was resumed
project_facts: brings in stored facts that fit the task
workspace_anchor: names the folders that the session works in
grounded_review: points at checks that have failed, with their sources
"""
SESSION = """
workspace_anchor: dict | string; the folder that the session works in: {primary, …} or its path
workspace_policy: dict; {default_mount_mode}: how other folders may be used
"""
EVENTS = """
PreToolUse: before a tool call runs
PostToolUse: after a tool call
PreAgentTurn: before each turn of the agent
PostAgentTurn: at the end of each turn
PreStep: before a function marked @step
PostStep: after a function marked @step
WorkerSpawned: a worker has started
WorkerProgressed: a worker has got further
WorkerWaitingForInput: a worker waits for input
WorkerSuspended: a worker was paused
WorkerResumed: before the first turn of a resumed worker
WorkerCompleted: a worker is done
WorkerFailed: a worker has failed
WorkerStopped: a worker was stopped
WorkerCancelled: a worker was cancelled
OnBudgetThreshold: after each model call, with what was used
OnApprovalRequested: somebody is asked for approval
OnHandoffEmitted: work is handed to another persona or a person
OnPersonaPaused: a persona was paused
OnPersonaResumed: a persona goes on
SessionStart: before the first turn of a loop
SessionEnd: a loop has ended
UserPromptSubmit: before a task reaches the model; a block ends the loop
PreCompact: before a compaction; a block skips it
PostCompact: after a compaction
PostTurn: after each turn, with what its tools gave
PermissionAsked: before a permission is decided
PermissionReplied: after a permission was decided
FileEdited: a file was edited by a builtin, or notify_file_edited was called
SessionError: a loop has failed
SessionIdle: before a daemon waits
PreFinish: before a loop finishes
PostFinish: after a loop has finished
OnUnsettledDetected: work is left over at the end
PreSuspend: before an agent is paused
PostSuspend: after an agent was paused
PreResume: before a paused agent goes on
PostResume: after a paused agent goes on
PreDrain: before left-over work is settled
PostDrain: after left-over work was settled
OnDrainDecision: one piece of left-over work was decided on
LoopCheckpoint: a seam of the loop at which reminders may come in
"""
ATTRIBUTES = """
deprecated: calls are reported; `@deprecated(since: "1.2", use: "other")` says what to use instead
test: a test for `harnlite test`
step: a step of a persona, around which step hooks run
persona: an agent with a name of its own
acp_tool: a function that is offered to a client as a tool
acp_skill: a function that is offered to a client as a skill
complexity: `@complexity(allow)` silences the lint for complexity
invariant: accepted, without effect
deterministic: accepted, without effect
semantic: accepted, without effect
archivist: accepted, without effect
retroactive: accepted, without effect
"""
TOOL_FORMATS = """
native: the tool calling of the API
text: calls are written into the answer
"""


@lru_cache(maxsize=64)
def lines_of(block: str) -> dict[str, str]:
    """Return what a block of lines says of each name."""
    parted = (line.partition(": ") for line in block.splitlines() if line)
    return {name: said for name, _, said in parted}
