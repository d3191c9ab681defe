"""The options of functions for facts, memory and files, and of other functions."""

from __future__ import annotations

FACT = """
kind: string<fact_kind>; The kind of the fact (required).
claim: string; The statement (required).
confidence: float; The confidence, from 0 to 1 (required).
evidence: list<dict<evidence>>; The evidence.
provenance: dict; The origin of the fact.
valid_until: dict<valid_until>; The end of its validity.
asserted_at: string; The time of the statement (now).
"""
FACT_KIND = """
observation: something that was seen
claim: something that was stated
hypothesis: an assumption
decision: something that was decided
constraint: a condition that must hold
"""
FACT_SCOPE = """
project: the facts of the project
workspace: the facts of the workspace
user: the facts of the user
"""
FACT_PLACE = """
scope: string<fact_scope> = "project"; The scope of the facts.
namespace: string; The namespace of the facts, used instead of a scope.
root: string; The folder of the memory.
"""
EVIDENCE = """
kind: "trace_ref" | "file_range" | "tool_output" | "user_input"; The kind of the evidence.
ref: string; The reference to the evidence.
snippet: string; An excerpt.
"""
VALID_UNTIL = """
event: string; The event that ends the validity.
asserted_at: string; The time at which the end was stated.
"""
MEMORY_PLACE = """
root: string; The folder of the memory.
"""
CONTEXT = """
include_headers: bool = true; Print the name of each section above it.
max_chars: int; The maximum length of the text, in characters.
section_max_chars: int; The maximum length of a section, in characters.
separator: string; The text between sections (a blank line).
"""

PLACES = """
= prompt_library_hotspots 1
tenant_id: string; The tenant whose conversations count.
k: int >= 1; The number of clusters.
max_prefix_tokens: int = 1200; The number of words that are compared.
min_fraction: float = 0.8; The part of a cluster that must share a beginning.
min_shared_tokens: int = 8; The minimum length of a beginning, in words.
daily_invocation_count: int = 1; The number of calls per day, for the savings.
dollars_per_token: float = 0.0; The price of a token, for the savings.
min_monthly_savings_usd: float = 0; The minimum of the savings.

= store_fact 0, fact 0
+ fact

= store_fact 1, fact 1, invalidate_facts 1
+ fact_place

= recall_facts 3
+ fact_place
limit: int >= 0 = 5; The maximum number of facts.

= recall_facts 1
: string<fact_kind> | list<string<fact_kind>>; The kinds of facts.

= invalidate_facts 0
id: string; The id of the fact.
key: string; The key of the fact in memory.
kind: string<fact_kind>; The kind of the facts.
claim: string; The statement.
query: string; Words to search for in the facts.
tags: list<string>; Tags of the facts.
evidence_ref: string; A reference to evidence.
evidence: dict | list; The evidence.

= memory_store 4
id: string; The id of the record.
now: any; The time of the record.
provenance: any; The origin of the record.
+ memory_place

= memory_recall 3, memory_summarize 2, memory_forget 2
+ memory_place

= memory_summarize 1
limit: int = 20; The maximum number of records.
query: string; Words to search for in the records.
tags: string | list<string>; Tags of the records.

= agent_state_init 1, agent_state_resume 2
session_id: string; The session (the current session, or a new id).
writer_id: string; The id of the writer.
stage_id: string; The id of the stage.
worker_id: string; The id of the worker.
conflict_policy: "ignore" | "warn" | "error"; The action when another writer wrote a key last.

= glob 1, glob 2
base: string; The folder that relative paths start from.
long_running: bool = false; Return a handle immediately.

= walk_dir 1
max_depth: int; The maximum depth.
follow_symlinks: bool = false; Follow symbolic links to folders.
long_running: bool = false; Return a handle immediately.

= shared_scope_id 1
tenant_id: string; The tenant of the scope.

= kmeans 2
max_iterations: int >= 1 = 100; The maximum number of iterations.

= context_section 2, section 2
enabled: bool; Whether the section is rendered.
kind: string; The kind of the section.
max_chars: int; The maximum length of the section, in characters.
path: string; The file that the section shows.
priority: any; The priority of the section.

= context 1, context_compact 1, context_render 1
+ context

= prompt_compose 2
task_label: string = "Task"; The label of the task.
system: string; The system prompt.
+ context

= action_graph 1
phase: string; The phase of actions that name none.
summary: string; The summary, if the plan has none.
task: string; The task, if the plan has none.

= workflow_result_run 4
metadata: dict; The metadata of the run and of a new transcript.
started_at: string; The time at which the run started.
status: string; The status of the run.
workflow_id: string; The id of the workflow.

= workflow_result_persist 4
persist_path: string; The file of the record (`.harn-runs/{id}.json`).
metadata: dict; The metadata of the run and of a new transcript.
started_at: string; The time at which the run started.
status: string; The status of the run.
workflow_id: string; The id of the workflow.

= request_plan_approval 1
action: string = "Approve plan"; The name of the action for the host.
"""
