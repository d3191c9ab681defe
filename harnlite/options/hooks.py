"""The options of hooks: the events for which hooks are registered, and the values that callbacks return."""

from __future__ import annotations

TOOL_HOOK = """
pattern: string = "*"; A glob for the names of tools.
deny: any; The reason with which all matching calls are denied.
max_output: int >= 0; The maximum length of a result, in characters.
pre: closure; `fn(ctx)`, called before the tool; it returns nil, `{deny}`, `{args}`, or reminders.
post: closure; `fn(ctx)`, called after the tool; it returns nil, a text, `{result}`, or reminders.
"""
EVENT = """
PreToolUse: before a tool call
PostToolUse: after a tool call
PreAgentTurn: before each turn of the agent
PostAgentTurn: at the end of each turn
PreStep: before a function marked `@step`
PostStep: after a function marked `@step`
WorkerSpawned: a worker has started
WorkerProgressed: a worker has made progress
WorkerWaitingForInput: a worker waits for input
WorkerSuspended: a worker was paused
WorkerResumed: before the first turn of a resumed worker
WorkerCompleted: a worker has completed its task
WorkerFailed: a worker has failed
WorkerStopped: a worker was stopped
WorkerCancelled: a worker was cancelled
OnBudgetThreshold: after each model call, with its usage
OnApprovalRequested: a tool call needs approval
OnHandoffEmitted: work was handed over to another persona or a person
OnPersonaPaused: a persona was paused
OnPersonaResumed: a persona was resumed
SessionStart: before the first turn of a loop
SessionEnd: a loop has ended
UserPromptSubmit: before a task reaches the model (a block ends the loop)
PreCompact: before a compaction (a block skips it)
PostCompact: after a compaction
PostTurn: after each turn, with the results of its tools
PermissionAsked: before a decision about a permission
PermissionReplied: after a decision about a permission
FileEdited: a builtin edited a file, or `notify_file_edited` was called
SessionError: a loop has failed
SessionIdle: before a daemon waits
PreFinish: before a loop finishes
PostFinish: after a loop has finished
OnUnsettledDetected: work is unsettled at the end of a loop
PreSuspend: before an agent is paused
PostSuspend: after an agent was paused
PreResume: before a paused agent is resumed
PostResume: after a paused agent was resumed
PreDrain: before unsettled work is drained
PostDrain: after unsettled work was drained
OnDrainDecision: a decision about one piece of unsettled work was made
LoopCheckpoint: a seam of the loop at which reminders may arrive
"""
SEAM = """
iteration_start: before an iteration
pre_tool_dispatch: before the tools of a turn run
post_tool_dispatch: after the tools of a turn have run
iteration_end: after an iteration
pre_compact: before a compaction
post_compact: after a compaction
daemon_idle_pre: before a daemon waits
daemon_idle_post: after a daemon has waited
loop_exit: after the last turn
"""

PLACES = """
= register_tool_hook 0
+ tool_hook

= register_session_hook 0
: string<session_event_name>; The event.

= register_checkpoint_hook 0
: string<seam> | list<string<seam>>; The seams (all).

= register_persona_hook 1
: string<persona_event_name>; The event.

= register_step_hook 2
: string<step_event_name>; The event.
"""

_REMINDER = """\
reminder: dict<reminder>; A reminder to add.
+ reminder
"""
_DENY = """\
deny: string; The text with which the call is denied.
args: dict | list; Replacements for the arguments.
"""
RETURNED = f"""
= register_reminder_provider evaluate, register_checkpoint_hook
{_REMINDER}
= register_tool_hook pre
{_DENY}{_REMINDER}
= register_tool_hook post
result: any; A replacement for the result.
{_REMINDER}
= register_step_hook, register_persona_hook
{_DENY}output: any; A replacement for the result.
{_REMINDER}
= register_session_hook
block: bool; Whether the operation is stopped.
decision: "allow" | "deny" | "ask"; The decision about the operation.
reason: string; The reason for the decision.
modify: dict; A replacement for the payload.
{_REMINDER}
= agent_loop loop_control
action: "none" | "extend" | "stop" = "none"; The change to the loop.
by: int; The number of iterations to add.
until: int; The new limit of iterations.
status: string = "stopped"; The status with which the loop ends.
reason: string; The reason for the change.

= agent_loop verify_completion
confirm: bool; Whether the work is accepted.
message: string; The feedback for the model.

= with_consent
decision: "approved" | "denied" | "auto"; The decision.
reason: string; The reason for the decision.
decided_by: string; The name of the person or program that decided.
"""
"""The keys of the dicts that callbacks return, by the function that accepts the callback, and its option."""
