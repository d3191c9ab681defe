"""What arguments of builtins and of functions of std may say, beside what `option_texts` tells.

A block begins with the calls it is about, each with the number of the argument. Below stands a line for each key:
`path: type; what it means`, with the default in brackets. `a.b` is the key `b` of the dict under `a`; `a[]` is an item
of the list there. Words in quotes are the texts that may stand there; a line of such alone is about the argument.
"""

from __future__ import annotations

from functools import lru_cache

_TEXT = """
= transcript_compact 1
strategy: "observation_mask" | "truncate" | "llm" | "custom"; how older messages become few (observation_mask)
compact_strategy: "observation_mask" | "truncate" | "llm" | "custom"; the same as strategy
keep_last: int; messages that stay as they are (12)
target_tokens: int; nothing happens if the messages fit into so many tokens (nil)
summarize_prompt: string; what a model is asked for, with the strategy llm (nil)
summary: string; a ready text in the place of one that is made (nil)
custom_compactor: closure; fn(messages, reminders) that gives a text, {summary}, {messages} or a transcript (nil)

= transcript_auto_compact 1
compact_threshold: int; compact above so many tokens (48000)
token_threshold: int; the same as compact_threshold
keep_first: int; messages at the beginning that stay
keep_last: int; messages at the end that stay (12)
compact_strategy: "observation_mask" | "truncate" | "llm" | "custom"; how the others become few (observation_mask)
summarize_prompt: string; what a model is asked for (nil)
compact_callback: closure; fn(messages) that gives the summary (nil)
tool_output_max_chars: int; how much of a tool's output stays
hard_limit_tokens: int; what is larger even then is compacted once more (nil)
hard_limit_strategy: "observation_mask" | "truncate" | "llm" | "custom"; how that is done (llm)

= transcript_summarize 1
keep_last: int; messages that stay (6)
prompt: string; what the model is asked for
provider: string; who answers
model: string; the model, or an alias of it

= agent_session_compact 1
token_threshold: int; a session with fewer tokens stays as it is (48000)
keep_last: int; messages that stay (12)
compact_strategy: "observation_mask" | "truncate" | "llm" | "custom"; how older messages become few (observation_mask)
custom_compactor: closure; fn(messages, reminders) that gives what stands for them (nil)
mask_callback: closure; what stands for the output of a tool (nil)
compress_callback: closure; what stands for text that is too long (nil)
tool_output_max_chars: int; how much of a tool's output stays
hard_limit_tokens: int; what is larger even then is compacted once more (nil)
hard_limit_strategy: "observation_mask" | "truncate" | "llm" | "custom"; how that is done (llm)
instructions: string; what a model that writes the summary is told (nil)
preserve: list; what the summary has to keep
drop: list; what the summary may leave out
policy: dict; the compaction policy
compaction_policy: dict; the same as policy
compaction_request: dict; what was asked for
mode: string; what is noted as the reason
scope: string; what the summary is about
extend_default_instructions: bool; add to the usual instructions instead of replacing them
author: string; who asks for it

= transcript_fork 1
retain_messages: bool; the copy has the messages (true)
retain_summary: bool; the copy has the summary (true)

= transcript_reset 1
metadata: dict; what takes the place of the metadata

= agent_session_open 1
workspace_anchor.primary: string; the folder
workspace_policy.default_mount_mode: string; how other folders may be used (extend)

= agent_session_inject 1
role: string; who says it (required)
content: string | list; what is said
kind: string; system_reminder for the event of a reminder

= agent_session_seed_from_jsonl 1
truncate_to_last: int; how many messages to keep (all)
drop_tool_calls: bool; leave calls of tools out (false)
rename_session: string; the id of the new session
validate: bool; an error for what is no record; false passes over it (true)
provider: string; what the session is said to run on
model: string; the same for the model

= cancel_in_flight_tool_call 2
reason: string; why the call ends
inject_reminder: bool; the model is told at the next seam (true)
timeout_ms: int; how long to wait for its end (5000)

= agent_dispatch_tool_call 2, agent_dispatch_tool_batch 2
session_id: string; the session the call belongs to (the current one)
policy: dict; a ceiling for what tools may do (nil)
approval_policy: dict; which calls need approval (nil)
command_policy: dict; what command tools may run (nil)
permissions: dict; {allow, deny, on_escalation}: which tools may be called with what (nil)
reminders: bool | list | dict; reminder providers, as for agent_loop (on)
tool_caller: closure; stands around the call (nil)
tool_retries: int; how often a failed call is tried again (0)
tool_backoff_ms: int; the wait before that (1000)
max_concurrent_tools: int; how many of a batch run at a time (1)

= agent_dispatch_tool_call 0
id: string; the id of the call
name: string; the tool (required)
arguments: dict; what it is called with

= agent_loop 2, agent_turn 1, sub_agent_run 1, sub_agent_request 1, llm_completion 3, llm_call 2, llm_call_safe 2, \
llm_stream 2, llm_call_structured 2, llm_call_structured_safe 2, llm_call_structured_result 2
tool_search.variant: "bm25" | "regex" | "hybrid"; how tools are found
tool_search.mode: "auto" | "native" | "client"; who searches
tool_search.strategy: "bm25" | "regex" | "hybrid"; how the client searches
thinking.mode: "disabled" | "enabled" | "adaptive" | "effort"; whether there is reasoning
thinking.budget_tokens: int; how much of it
thinking.level: "none" | "minimal" | "low" | "medium" | "high" | "xhigh"; the same in words
budget.max_input_tokens: int; what one call may read
budget.max_output_tokens: int; what one call may write
budget.max_cost_usd: float; what one call may cost
budget.total_budget_usd: float; what all calls may cost
messages[].role: string; who says it
messages[].content: string | list; what is said

= agent_loop 2, agent_turn 1, sub_agent_run 1, sub_agent_request 1
reminders.enabled: bool; false for no reminder providers (true)
reminders.providers: list<string>; "-id" without one, "id" with one more
reminders.config: dict; by id, what a reminder provider is told
reminders.config.token_pressure.context_window: int; the size of the window in tokens (that of the model)
reminders.config.idle_nudge.idle_seconds: int; how long a daemon waits before it is told (60)
reminders.config.idle_nudge.seconds: int; the same as idle_seconds
reminders.config.project_facts.max_facts: int; how many facts at most (5)
reminders.config.project_facts.limit: int; the same as max_facts
reminders.config.project_facts.min_confidence: float; how sure a fact has to be (0.5)
reminders.config.project_facts.kind_filter: string | list<string>; only facts of these kinds (all)
reminders.config.project_facts.kinds: string | list<string>; the same as kind_filter
reminders.config.project_facts.relevance_query: string; what facts are asked for (the task)
reminders.config.project_facts.query: string; the same as relevance_query
reminders.config.project_facts.refresh_ratio: float; how full the window is before facts are shown again (0.7)
reminders.config.project_facts.scope: "project" | "workspace" | "user"; whose facts (project)
reminders.config.project_facts.namespace: string; the same by its name
reminders.config.project_facts.root: string; the folder of the memory
reminders.config.grounded_review.max_findings: int; how many findings at most (6)
reminders.config.grounded_review.limit: int; the same as max_findings
reminders.config.grounded_review.text_scan: bool; read the output of known checks (true)
reminders.config.grounded_review.include_warnings: bool; warnings too (false)
compaction.strategy: string; how older messages become few (hybrid)
compaction.keep_last: int; messages that stay
compaction.policy: dict; what the summary keeps and leaves out
auto_compact.enabled: bool; false turns it off
auto_compact.compact_threshold: int; compact above so many tokens (48000)
auto_compact.keep_first: int; messages at the beginning that stay
auto_compact.keep_last: int; messages at the end that stay (12)
auto_compact.compact_strategy: "observation_mask" | "truncate" | "llm" | "custom"; how (observation_mask)
auto_compact.summarize_prompt: string; what a model is asked for (nil)
auto_compact.compact_callback: closure; fn(messages) that gives the summary (nil)
auto_compact.hard_limit_tokens: int; what is larger even then is compacted once more (nil)
permissions.allow: list<string> | dict; globs for tools that may be called, with patterns for their arguments
permissions.deny: list<string> | dict; the same for tools that may not
permissions.on_escalation: closure; fn(request) asked about the rest: true, false, "once" or "session"
mcp_servers[].name: string; what the server is called
mcp_servers[].command: string; how it is started
mcp_servers[].args: list<string>; the arguments of that
mcp_servers[].env: dict; its environment
mcp_servers[].url: string; where it answers instead
done_judge.cadence.every: int; at each so many proposals
done_judge.cadence.max_invocations: int; how often at most
done_judge.cadence.min_iterations_before_first: int; not before so many turns
done_judge.cadence.when: "always" | "stalled"; or a closure that decides
iteration_budget.consecutive_failures.kinds: list<string>; which failures count
iteration_budget.consecutive_failures.paused_for_ms: int; the wait after one (0)

= with_execution_policy 0
tools: list<string>; globs for the tools that may be called
capabilities: dict; by capability, the operations that are allowed
workspace_roots: list<string>; where files may be touched
side_effect_level: "none" | "read_only" | "workspace_write" | "process_exec" | "network"; how far effects may reach
recursion_limit: int; how deep agents may start agents
tool_arg_constraints[].tool: string; a glob for tools
tool_arg_constraints[].arg_patterns: list<string>; globs that an argument has to fit
tool_arg_constraints[].arg_key: string; which argument

= tool_define 3
handler: closure; fn(arguments) that does the work
parameters: dict; by name, a JSON Schema or a description
returns: dict; the JSON Schema of what it gives
executor: "harn" | "host_bridge" | "mcp_server" | "provider_native"; who runs it (harn)
host_capability: string; what the host has to be able to do
mcp_server: string; the server that has the tool
annotations: dict; what kind of tool it is, for policies and clients
defer_loading: bool; found by search instead of being listed (false)
namespace: string; a group of tools
examples: list; calls as they should be
guidance: string; joins the system prompt while the tool is offered

= skill_define 2
description: string; what the skill is for
short: string; the same in a few words
when_to_use: string; when an agent should load it
prompt: string; what the agent is told
allowed_tools: list<string>; tools it may use
on_activate: closure; runs when the skill becomes active
on_deactivate: closure; runs when it is put away

= spawn_agent 0
task: string; what the worker is to do (required)
name: string; what it is called (worker)
node.kind: string; what kind of stage it is
node.mode: string; llm, or another way to carry it out
node.prompt: string; what the model is asked
node.system: string; its system prompt
node.model_policy: dict; which model answers
node.tools: dict | list; what it may call
node.output_contract: dict; {output_kinds}: what has to come out
graph: dict; a workflow in the place of one stage
wait: bool; come back when it is done (false)
carry.transcript_mode: "inherit" | "fork" | "reset" | "compact"; what it knows of the talk so far
carry.artifact_mode: string; which artifacts it gets (inherit)
carry.context_policy: dict; what else it gets
carry.resume_workflow: bool; go on where a workflow was left (true)
carry.persist_state: bool; keep a snapshot (true)
carry.retriggerable: bool; it waits for worker_trigger when it is done (false)
policy: dict; a ceiling for what its tools may do
tools: list<string>; names of the tools it may use
execution.cwd: string; the folder it works in
execution.env: dict; its environment
execution.worktree: dict; a working tree of its own
artifacts: list; what it begins with
transcript: dict; the talk it begins with
permissions: dict; {allow, deny, on_escalation}: which tools may be called with what
audit: dict; what is noted about it
options: dict; options of its loop

= agent_stop 1
graceful: bool; let it end its turn (false)
reason: string; why

= suspend_agent 2
conditions.timeout.duration_minutes: int; how long it rests at most
conditions.timeout.on_timeout: "resume_with_summary" | "resume_with_input" | "fail"; what happens then
conditions.on_event: string; the topic of an event that wakes it
conditions.trigger.topic: string; the topic of a record that wakes it
conditions.trigger.kind_prefix: string; how its kind begins
conditions.trigger.id: string; a name for the trigger

= parse_resume_conditions 0, agent_await_resumption 1
timeout.duration_minutes: int; how long it rests at most
timeout.on_timeout: "resume_with_summary" | "resume_with_input" | "fail"; what happens then
on_event: string; the topic of an event that wakes it
trigger.topic: string; the topic of a record that wakes it
trigger.kind_prefix: string; how its kind begins
trigger.id: string; a name for the trigger

= agent_lifecycle_tools 1
subagents: bool; offer tools to pause, resume and stop workers (false)

= handoff 0
source_persona: string; who hands over
target_persona_or_human.kind: "persona" | "human"; what takes over
target_persona_or_human.id: string; who takes over
target_persona_or_human.label: string; the name to show
target: string | dict; the same as target_persona_or_human
task: string; what is to be done
reason: string; why it is handed over
reminder_propagation: list; exactly these reminders, in the place of those that travel
files_or_entities_touched: list; what the work was about
open_questions: list; what is not clear yet
blocked_on: list; what stands in the way
evidence_refs: list; where it can be seen
requested_capabilities: list; what it will need
allowed_side_effects: list; what it may change
receipt_links: list; receipts of what was done
confidence: float; how sure the one is who hands over
deadline_checkback: string; when to look again
budget_remaining: dict; what may still be spent
metadata: dict; anything else
parent_run_id: string; the run it comes from
route_decision: dict; why it goes there
id: string; the id of the record

= workflow_execute 3
max_steps: int; how many nodes run at most (four for each)
persist_path: string; where the record of the run is kept
provider: string; who answers
model: string; the model, or an alias of it

= workflow_graph 0
nodes: dict; the stages by id
edges: list; which stage follows which
entry: string; the stage that comes first
act: dict; the stage that does the work
verify: dict; the stage that checks it
repair: dict; the stage that mends it

= store_fact 0, fact 0
kind: "observation" | "claim" | "hypothesis" | "decision" | "constraint"; what kind of fact it is (required)
claim: string; what is said (required)
confidence: float; how sure it is, from 0 to 1 (required)
evidence[].kind: "trace_ref" | "file_range" | "tool_output" | "user_input"; what kind of evidence it is
evidence[].ref: string; where it can be found
evidence[].snippet: string; a part of it
provenance: dict; where it comes from
valid_until.event: string; what ends it
valid_until.asserted_at: string; when that was said
asserted_at: string; when it was said (now)

= store_fact 1, fact 1
scope: "project" | "workspace" | "user"; for whom it is kept (project)
namespace: string; the same by its name
root: string; the folder of the memory

= recall_facts 3
scope: "project" | "workspace" | "user"; whose facts are asked (project)
namespace: string; the same by its name
root: string; the folder of the memory
limit: int; how many at most (5)

= recall_facts 1
"observation" | "claim" | "hypothesis" | "decision" | "constraint"

= invalidate_facts 0
id: string; the id of the fact
key: string; its key in memory
kind: "observation" | "claim" | "hypothesis" | "decision" | "constraint"; facts of this kind
claim: string; what was said
query: string; words it is found by
tags: list<string>; facts that have these tags
evidence_ref: string; facts with this evidence
evidence: dict; the same as it was given

= invalidate_facts 1
scope: "project" | "workspace" | "user"; whose facts are meant (project)
namespace: string; the same by its name
root: string; the folder of the memory

= transcript 0
messages[].role: string; who says it
messages[].content: string | list; what is said

= add_message 1
"user" | "assistant" | "system" | "developer" | "tool"

= event_log.subscribe 0
topic: string; the topic whose records are read (required)
from_cursor: int; begin behind this one
kind_prefix: string; only kinds that begin so

= transcript_reminder_event 0
id: string; the id of the event (a new one)
source: "stdlib_provider" | "hook" | "bridge" | "in_pipeline" | "inherited"; where it comes from (in_pipeline)
fired_at_turn: int; the turn in which it was made (0)
originating_agent_id: string; the session that had it first

= llm_mock 0
tool_calls[].id: string; the id of the call
tool_calls[].name: string; the tool
tool_calls[].arguments: dict; what it is called with
error.category: "rate_limit" | "timeout" | "overloaded" | "server_error" | "transient_network" | "auth"; what kind
error.message: string; what is said
error.status: int; the status of the answer
error.kind: "transient" | "terminal"; whether another try may help
error.reason: string; what kind of failure in the words of the provider
error.retry_after_ms: int; when to try again

= transcript_events_by_kind 1
"message" | "tool_result" | "system_reminder" | "llm_call" | "loop_checkpoint" | "compaction"

= agent_session_drain_bridge_injections 1
"interrupt_immediate" | "finish_step" | "audit_only"

= with_audit_log 0
"local" | "cloud" | "both"
sink: "local" | "cloud" | "both"; where receipts go, or a closure that takes them
redact: list<string>; keys whose values are left out

= with_required_reason 0
field: string; the argument that says why (reason)
description: string; what models are told about it
strip: bool; the tool does not see it (true)
audit_key: string; under which name it is kept (summary)
min_length: int; how long it is at least (1)
on_missing: "reject" | "fill_blank"; what happens without one (reject)
schema_required: bool; the schema asks for it (true)

= with_scoped_executor 0
stage: string; what the scope is called (scoped)
allowed_tools: list<string>; tools that may run
side_effect_level: "none" | "read_only" | "workspace_write" | "process_exec" | "network"; how far effects may reach
capabilities: dict; by capability, the operations that are allowed
on_violation: "reject" | "raise"; what happens to other calls (reject)

= with_dry_run 0
message: string; what stands for the result ((dry run))
only: list<string>; only these tools do nothing
except: list<string>; these tools run

= with_retry 1
max_attempts: int; tries in all (3)
base_ms: int; the first wait (250)
max_ms: int; the longest wait (8000)
backoff: string; how waits grow (exponential)
jitter: string; how they are spread (full)
honor_retry_after: bool; wait as long as the answer says (true)
predicate: closure; whether a failure is worth another try

= with_rate_limit 2
max_retries: int; further tries (5)
backoff_ms: int; the first wait (1000)

= glob 1, glob 2
base: string; the folder in which paths begin
long_running: bool; give a handle at once (false)

= walk_dir 1
max_depth: int; how deep to look
follow_symlinks: bool; look into linked folders (false)
long_running: bool; give a handle at once (false)

= shared_scope_id 1
tenant_id: string; whose scope it is

= llm_pick_model 1
provider: string; only models of this one

= llm_rate_limit 1
rpm: int; requests a minute, 0 for no limit
"""


@lru_cache(maxsize=1)
def blocks() -> dict[tuple[str, int], str]:
    """Return the lines about each argument."""
    found: dict[tuple[str, int], str] = {}
    for block in _TEXT.split("\n= ")[1:]:
        calls, _, lines = block.partition("\n")
        for call in calls.split(", "):
            name, index = call.split()
            place = name, int(index)
            found[place] = found.get(place, "") + lines
    return found


def lines_about(function: str, index: int) -> list[str]:
    """Return a line for each thing that is known of what an argument may say."""
    return blocks().get((function, index), "").split("\n")
