"""The options of functions for sub-agents, workers, workflows and handoffs."""

from __future__ import annotations

CHILD = """
name: string = "sub-agent"; The name of the sub-agent.
system: string; The system prompt of the sub-agent.
allowed_tools: string | list<string>; The tools of the caller that the sub-agent may call.
returns: dict; `{schema}`, the JSON Schema of the answer.
background: bool = false; Return the handle of a worker immediately.
reminder_propagation: list; The reminders that the sub-agent inherits, instead of those chosen by propagate.
carry: dict<carry>; The state that the sub-agent takes over.
execution: dict<execution>; The environment in which the sub-agent works.
"""
CARRY = """
transcript_mode: "inherit" | "fork" | "reset" | "compact" = "inherit"; The transcript at the start.
artifact_mode: string = "inherit"; The artifacts at the start.
context_policy: dict; Further context.
resume_workflow: bool = true; Continue an interrupted workflow.
persist_state: bool = true; Save a snapshot.
retriggerable: bool = false; Wait for `worker_trigger` after the task.
"""
EXECUTION = """
cwd: string; The working directory.
env: dict; The environment variables.
worktree: dict; A separate working tree.
"""
WORKER = """
task: string; The task of the worker (required).
name: string = "worker"; The name of the worker.
node: dict<stage>; The stage that the worker runs.
graph: dict; The workflow that the worker runs, used instead of a stage.
wait: bool = false; Wait until the worker has finished.
carry: dict<carry>; The state that the worker takes over.
policy: dict<policy>; A limit on the actions of tools.
tools: list<string>; The tools that the worker may call.
execution: dict<execution>; The environment in which the worker works.
artifacts: list; The artifacts at the start.
transcript: dict; The transcript at the start.
permissions: dict<permissions>; Rules about which tools may be called with which arguments.
audit: dict; Details for the records about the worker.
options: dict; The options of its loop.
"""
STAGE = """
kind: string; The kind of the stage.
mode: string; How the stage runs, such as llm.
prompt: string; The prompt for the model.
system: string; The system prompt.
model_policy: dict; The options that choose the model.
tools: dict | list; The tools that the model may call.
output_contract: dict; `{output_kinds}`, the kinds of the results.
"""
RESUME_CONDITIONS = """
timeout: dict<resume_timeout>; Resume after some time.
on_event: string; The topic of an event that resumes the agent.
trigger: dict<resume_trigger>; A record of the event log that resumes the agent.
"""
RESUME_TIMEOUT = """
duration_minutes: int >= 1; The maximum duration of the pause, in minutes.
on_timeout: "resume_with_summary" | "resume_with_input" | "fail"; The action after this time.
"""
RESUME_TRIGGER = """
topic: string; The topic of the record.
kind_prefix: string; The prefix of the kind of the record.
id: string; The name of the trigger.
"""
HANDOFF = """
source_persona: string; The persona that hands the work over.
target_persona_or_human: string | dict<handoff_target>; The persona or person that takes the work over.
target: string | dict<handoff_target>; The same as `target_persona_or_human`.
task: string; The task.
reason: string; The reason for the handoff.
reminder_propagation: list; The reminders that the target inherits, instead of those chosen by propagate.
files_or_entities_touched: list; The files and other objects of the work.
open_questions: list; Open questions.
blocked_on: list; Obstacles to the work.
evidence_refs: list; References to evidence.
requested_capabilities: list; The capabilities that the target needs.
allowed_side_effects: list; The side effects that the target may cause.
receipt_links: list; Links to receipts of finished work.
confidence: float; The confidence of the source, from 0 to 1.
deadline_checkback: string; The time of the next check.
budget_remaining: dict; The remaining budget.
metadata: dict; Further details.
parent_run_id: string; The run that the work belongs to.
route_decision: dict; The reason for the choice of the target.
id: string; The id of the record.
"""
HANDOFF_TARGET = """
kind: "persona" | "human"; The kind of the target.
id: string; The id of the target.
label: string; The displayed name of the target.
uri: string; The address of the target.
"""

PLACES = """
= sub_agent_run 1, sub_agent_request 1
+ child
+ loop
+ model_call

= spawn_agent 0
+ worker

= agent_stop 1
graceful: bool = false; Let the worker finish its turn.
reason: string; The reason for the stop.

= suspend_agent 2
conditions: dict<resume_conditions>; When the worker is resumed.

= parse_resume_conditions 0, agent_await_resumption 1
+ resume_conditions

= agent_lifecycle_tools 1
subagents: bool = false; Offer tools that pause, resume and stop workers.

= handoff 0
+ handoff

= workflow_execute 3
max_steps: int >= 0; The maximum number of nodes that run (four for each node of the graph).
persist_path: string; The file for the record of the run.
+ loop
+ model_call

= workflow_graph 0
nodes: dict; The nodes, by id.
edges: list; The edges between nodes.
entry: string; The id of the first node.
act: dict; The stage that does the work.
verify: dict; The stage that checks the work.
repair: dict; The stage that corrects the work.
"""
