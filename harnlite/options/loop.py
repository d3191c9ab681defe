"""The options of `agent_loop`, except those that it shares with model calls."""

from __future__ import annotations

LOOP = """
tools: dict | list; The tools that the model may call: a registry, or a list of entries.
session_id: string; The session that keeps the messages (the current one, or a new one if a loop runs on that).
profile: string<profile> = "tool_using"; The set of defaults for the limits of the loop.
max_iterations: int >= 1 = 50, 30, 5, 1; The maximum number of model calls.
loop_until_done: bool = false; Continue until the model reports that it is done, not until a turn without tool calls.
done_sentinel: string; The text with which the model reports that it is done (`##DONE##` if the loop expects one).
max_nudges: int >= 0 = 8, 4, 0, 0; With `loop_until_done`, the maximum number of turns in a row without a tool call.
max_concurrent_tools: int >= 1 = 1; The number of tool calls of one turn that may run at the same time.
tool_retries: int >= 0 = 0, 0, 0, 0; How often a failed tool call is retried.
tool_backoff_ms: int >= 0 = 1000; The delay before the first retry of a tool call, in milliseconds.
llm_retries: int >= 0 = 2, 2, 2, 2; How often a failed model call is retried.
schema_retries: int >= 0 = 0, 0, 3, 0; How often the model is asked again for an answer that does not match its schema.
native_tool_fallback: string<native_tool_fallback> = "reject"; How a native loop treats tool calls written as text.
stop_after_successful_tools: string | list<string>; The loop ends after a turn in which one of these tools succeeded.
require_successful_tools: string | list; Tools that must have succeeded; a nested list requires any one of its names.
post_turn_callback: closure; `fn(turn)`, called after each turn; a string is sent to the model, true ends the loop.
verify_completion: closure; `fn(proposal)`, called before the loop ends; false or a string sends the model back to work.
verify_completion_judge: bool | dict<judge>; A model that verifies the result before the loop ends.
done_judge: bool | dict<judge>; A model that decides whether the work is done.
max_verify_attempts: int >= 0 = 20; How often the model may be sent back to work.
step_judge: bool | dict<step_judge>; A model that reviews each answer before its tools run.
stall_diagnostics: bool | dict<stall>; Detection of an agent that repeats itself.
iteration_budget: string<budget_mode> | dict<iteration_budget> = "fixed"; How the limit of iterations changes.
loop_control: closure; `fn(state)`, called after each turn; it can extend or stop the loop.
token_budget: int >= 0; The maximum number of input and output tokens of the loop.
llm_caller: closure; A wrapper around each model call.
tool_caller: closure; A wrapper around each tool call.
llm_options: dict; Options that are added to every model call.
message_decorator: closure; A function that changes messages as they are sent, but not as they are stored.
timestamp_messages: bool = false; Begin each message that is sent with its time.
prompts: dict; Replacements for the texts of the runtime, by id.
tool_examples: any; Examples of tool calls for the prompt.
exit_when_verified: bool = false; Tell the model to verify the result before it ends the task.
turn_policy: dict<turn_policy>; Additions to the instructions in the prompt.
policy: dict<policy>; A limit on the actions of tools.
permissions: dict<permissions>; Rules about which tools may be called with which arguments.
approval_policy: dict<approval_policy>; Rules about which tool calls need approval.
command_policy: dict<command_policy>; Rules about the commands that tools may run.
compaction: bool | string | string<compaction_policy> | dict<loop_compaction>; Compaction with a named policy (off).
auto_compact: bool | dict<auto_compact>; Compaction when the messages exceed a number of tokens (off).
compact_threshold: int >= 0 = 48000; The number of tokens above which the messages are compacted.
compact_keep_last: int >= 0 = 12; The number of recent messages that compaction keeps.
compact_strategy: string<compact_strategy> = "observation_mask"; How compaction shortens older messages.
compact_callback: closure; `fn(messages, reminders)` that returns the summary.
daemon: bool | dict = false; Wait for new events after a turn without tool calls, instead of ending.
wake_interval_ms: int >= 0 = 0; The time after which a waiting daemon wakes, in milliseconds; 0 disables the timer.
watch_paths: string | list<string>; Files and folders whose changes wake a waiting daemon.
persist_path: string; The file in which a daemon saves its state.
resume_path: string; The file with the state from which a daemon continues.
consolidate_on_idle: bool = false; Compact the messages before a daemon waits.
idle_watchdog_attempts: int >= 0 = 0; The number of empty waits after which a daemon ends; 0 disables the limit.
skills: list | dict; The skills that the agent may use.
skill_match: string | string<skill_strategy> | dict<skill_match>; How skills become active.
working_files: string | list<string>; The files that the task is about; they are used to choose skills.
mcp_servers: list<dict<mcp_server>>; MCP servers; their tools are offered as `<server>__<tool>`.
subagents: bool = false; Offer tools that pause, resume and stop workers.
reminders: bool | list<string | string<listed_provider>> | dict<enabled_providers>; The reminder providers (on).
+ context_settings
initial_user_content: list; Content blocks that are sent instead of the text of the task.
llm_transcript_dir: string; The folder in which the loop writes `llm_transcript.jsonl`.
"""
PROFILE = """
tool_using: an agent that calls tools
researcher: an agent that reads a lot, with fewer model calls
verifier: an agent that checks work, with a few model calls
completer: a single model call
"""
NATIVE_TOOL_FALLBACK = """
allow: tool calls written as text are run
allow_once: the first answer with such calls is accepted
reject: the model is asked to use the tool calling of the API
"""
BUDGET_MODE = """
fixed: the limit does not change
adaptive: the limit starts low, and `loop_control` can extend it
"""
ITERATION_BUDGET = """
mode: string<budget_mode> = "fixed"; Whether the limit can change.
initial: int >= 1; The number of iterations at the start (max, or a quarter of it if adaptive).
max: int >= 1; The maximum number of iterations (`max_iterations`; if adaptive and that is not given, 16).
extend_by: int >= 1 = 2; The number of iterations that an extension adds.
expose_decisions: bool; Include the decisions in the result (true if adaptive).
wall_clock_ms: int >= 1; The maximum duration of the loop, in milliseconds.
total_cost_usd: float; The maximum cost of the loop, in US dollars.
consecutive_failures: dict<consecutive_failures>; When failed model calls in a row end the loop.
"""
CONSECUTIVE_FAILURES = """
max: int >= 0 = 0; The number of failures in a row that ends the loop; 0 disables the limit.
kinds: string | list<string>; The kinds of failures that count (`transient`, `rate_limit` and `provider_5xx`).
paused_for_ms: int >= 0 = 0; The delay after a failure, in milliseconds.
"""
JUDGE_MODEL = """
model: string; The model of the judge.
provider: string; The provider of the judge.
temperature: float; The sampling temperature.
max_tokens: int >= 0; The maximum number of tokens in the answer.
top_p: float; The probability mass for nucleus sampling.
tool_format: string<tool_format>; How tool calls are written.
reasoning_effort: string<reasoning_effort>; The amount of reasoning before the answer.
"""
JUDGE = """
system: string; The instructions of the judge.
cadence: dict<cadence>; How often the judge is asked.
fail_open_on_error: bool = false; Treat a failed judge as approval.
feedback_fallback: string; The feedback for the agent if the judge gives no reason.
+ judge_model
"""
CADENCE = """
every: int >= 1 = 1; The minimum number of iterations between two decisions.
max_invocations: int = -1; The maximum number of times the judge is asked; -1 disables the limit.
min_iterations_before_first: int >= 0 = 0; The number of iterations before the judge is first asked.
when: "always" | "stalled" | closure = "always"; When the judge is asked; a closure decides each time.
"""
STEP_JUDGE = """
enabled: bool = true; Whether answers are reviewed.
rubric: string<rubric> = "default"; The instructions of the judge.
on_veto: string<on_veto> = "replace"; What happens to an answer that the judge rejects.
max_attempts: int >= 0 = 3; How often one step is reviewed.
skip_when_empty: bool = true; Skip the review of an empty answer.
skip_when_stalled: bool = true; Skip the review while the agent repeats itself.
skip_when_iterations_remaining: int >= 0 = 1; Skip the review when only this many iterations remain.
fail_open_on_error: bool = true; Treat a failed judge as approval.
system: string; Replaces the instructions of the rubric.
+ judge_model
"""
RUBRIC = """
default: a general review
adversarial: a review that looks for mistakes
"""
ON_VETO = """
replace: the answer is dropped and the step is repeated
append: the objection is added to the messages
"""
STALL = """
enabled: bool = true; Whether repetition is detected.
threshold: int >= 1 = 3; The number of identical tool calls in a row that count as a stall.
inject_feedback: bool = true; Send a warning to the agent.
max_feedback: int >= 0 = 1; The maximum number of warnings.
exempt_tools: string | list<string>; Tools whose calls may repeat.
include_arguments: bool = false; Include the arguments of the repeated calls in the event.
repeat_same_observation: int >= 1 = 4; The number of identical results of a tool in a row.
repeat_same_error: int >= 1 = 3; The number of identical errors of a tool in a row.
no_progress_messages: int >= 1 = 3; The number of answers in a row without a tool call.
ping_pong_cycles: int >= 1 = 6; The number of cycles between two calls.
repeat_context_window_error: int >= 1 = 2; The number of exceeded context windows in a row.
hard_stop_after_trips: int >= 0 = 3; The number of stalls in a row that ends the loop.
"""
SKILL_STRATEGY = """
catalog: the model chooses from a list of skills
metadata: skills are chosen by the words of the task
manual: only the script activates skills
host: the host chooses
"""
SKILL_MATCH = """
strategy: string | string<skill_strategy> = "catalog"; How the active skills are chosen.
top_n: int >= 0 = 1; The maximum number of skills that become active at a time.
sticky: bool = true; An active skill stays active.
catalog_limit: int >= 0 = 12; The maximum number of skills in the list.
catalog_budget: int >= 0 = 2000; The maximum length of the list, in characters.
catalog_always: bool = false; Keep the list in the prompt when a skill is active.
"""
TURN_POLICY = """
require_action_or_yield: bool = false; Tell the model to act or to end its turn in each answer.
tool_examples: any; Examples of tool calls for the prompt.
"""
MCP_SERVER = """
name: string; The name of the server.
command: string; The program that starts the server.
args: string | list<string>; The arguments of the program.
env: dict; The environment variables of the program.
cwd: string; The working directory of the program.
"""

PLACES = """
= agent_loop 2, agent_turn 1
+ loop
+ model_call
"""
