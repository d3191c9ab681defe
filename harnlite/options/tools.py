"""The options of tools: definitions, dispatch, rules about their actions, and middleware around tool calls."""

from __future__ import annotations

TOOL = """
handler: closure; `fn(arguments)` that runs the tool.
parameters: dict; The parameters by name, each a JSON Schema or a description.
returns: dict; The JSON Schema of the result.
executor: string<executor> = "harn"; Where the tool runs.
host_capability: string; The capability that the host needs.
mcp_server: string; The MCP server of the tool.
annotations: dict; Hints about the tool for policies and clients.
defer_loading: bool = false; Offer the tool only when a search finds it.
namespace: string; The group that the tool belongs to.
examples: list; Examples of calls.
guidance: string; Text for the system prompt while the tool is offered.
"""
EXECUTOR = """
harn: the handler runs it
host_bridge: the host runs it
mcp_server: an MCP server runs it
provider_native: the provider of the model runs it
"""
SKILL = """
description: string; The purpose of the skill.
short: string; The purpose in a few words.
when_to_use: string; The situations in which an agent should load the skill.
prompt: string; The text that the agent reads.
body: string; The text that the agent reads when it loads the skill.
invocation: string; How the skill is invoked.
model: string; The model for the skill.
effort: string; The amount of reasoning for the skill.
paths: list; Globs for the files that the skill is about.
allowed_tools: list; The tools that the skill may use.
mcp: list; The MCP servers of the skill.
requires_mcp: list; The MCP servers that the skill needs.
on_activate: closure; A function that is stored with the skill.
on_deactivate: closure; A function that is stored with the skill.
"""
DISPATCH = """
session_id: string; The session of the call (the current session).
policy: dict<policy>; A limit on the actions of tools.
approval_policy: dict<approval_policy>; Rules about which tool calls need approval.
command_policy: dict<command_policy>; Rules about the commands that tools may run.
permissions: dict<permissions>; Rules about which tools may be called with which arguments.
reminders: bool | list<string | string<listed_provider>> | dict<enabled_providers>; The reminder providers (on).
tool_caller: closure; A wrapper around the call.
tool_retries: int >= 0 = 0; How often a failed call is retried.
tool_backoff_ms: int >= 0 = 1000; The delay before the first retry, in milliseconds.
max_concurrent_tools: int >= 1 = 1; The number of calls of a batch that may run at the same time.
"""
POLICY = """
tools: list<string>; Globs for the tools that may be called.
capabilities: dict; The permitted operations, by capability.
workspace_roots: list<string>; The folders in which files may be used.
side_effect_level: string<side_effect_level>; The highest level of side effects.
recursion_limit: int >= 0; The depth to which agents may start agents.
tool_arg_constraints: list<dict<tool_arg_constraint>>; Constraints on the arguments of tools.
tool_annotations: dict; Annotations that are added to tools, by name.
"""
SIDE_EFFECT_LEVEL = """
none: no side effects
read_only: files may be read
workspace_write: files of the workspace may be written
process_exec: programs may be run
network: the network may be used
"""
TOOL_ARG_CONSTRAINT = """
tool: string; A glob for the names of tools.
arg_patterns: string | list<string>; Globs for the argument.
arg_key: string; The name of the argument.
"""
PERMISSIONS = """
allow: string | list<string> | dict; Globs for permitted tools, or a dict from globs to patterns for arguments.
deny: string | list<string> | dict; Globs for denied tools, or a dict from globs to patterns for arguments.
on_escalation: closure; `fn(request)`, called for a refused call; it returns true, false, `"once"` or `"session"`.
"""
APPROVAL_POLICY = """
auto_approve: string | list<string>; Globs for tools that need no approval.
auto_deny: string | list<string>; Globs for tools that are always denied.
require_approval: string | list<string>; Globs for tools that need approval.
write_path_allowlist: list<string>; Globs for the files that tools may write.
"""
COMMAND_POLICY = """
tools: string | list<string>; The tools that run commands.
deny_patterns: string | list<string>; Patterns for commands that are denied.
require_approval: string | list<string>; Patterns for commands that need approval.
workspace_roots: string | list<string>; The folders in which commands may run.
pre: closure; `fn(ctx)`, called before a command; it returns nil, a bool or `{deny}`.
post: closure; `fn(ctx)`, called after a command; it returns nil or `{result}`.
allow_recursive: bool = false; Whether hooks of this policy may run commands.
"""

PLACES = """
= tool_define 3
+ tool

= tool_synthesize 0
name: string; The name of the tool (required).
description: string; The purpose of the tool, for the model (required).
+ tool

= tool_surface_validate 1
policy: dict<policy>; A limit on the actions of tools; a tool that it always refuses is an error.
reserved: list<string>; Further names that no tool may have.
strict: bool = false; Whether a warning makes `ok` false.

= skill_define 2
+ skill

= agent_dispatch_tool_call 2, agent_dispatch_tool_batch 2
+ dispatch

= agent_dispatch_tool_call 0
+ tool_call

= with_execution_policy 0
+ policy

= command_policy 0, command_policy_push 0
+ command_policy

= cancel_in_flight_tool_call 2
reason: string = "host cancelled in-flight tool call"; The reason for the cancellation.
inject_reminder: bool = true; Report the cancellation to the model at the next seam.
timeout_ms: int = 5000; The maximum time to wait for the end of the call, in milliseconds.

= with_audit_log 0
: "local" | "cloud" | "both" | closure | dict; The destination of receipts.
sink: "local" | "cloud" | "both" | closure; The destination of receipts, or a closure that receives them.
redact: list<string>; The keys whose values are removed.

= with_required_reason 0
field: string = "reason"; The argument with the reason.
description: string = "Why this call is needed, in one sentence."; The description of the argument for models.
strip: bool = true; Remove the argument before the tool runs.
audit_key: string = "summary"; The key of the reason in the audit.
min_length: int = 1; The minimum length of the reason.
on_missing: "reject" | "fill_blank" = "reject"; The action when the reason is missing.
schema_required: bool = true; Whether the argument is required in the schema.

= with_scoped_executor 0
stage: string = "scoped"; The name of the scope.
allowed_tools: list<string>; Globs for the tools that may run.
side_effect_level: string<side_effect_level>; The highest level of side effects.
capabilities: dict; The permitted operations, by capability.
on_violation: "reject" | "raise" = "reject"; The action for other calls.

= with_dry_run 0
message: string = "(dry run)"; The text in the result.
only: list<string>; Globs for the tools that are skipped.
except: list<string>; Globs for the tools that run.

= with_idempotency 1
store: dict; `{get, set}`, the functions that read and write results.
namespace: string = "tool"; The prefix of keys.
ttl: any = "10m"; The lifetime of a result: a string, a duration, or milliseconds.
max_entries: int = 256; The maximum number of results.

= tool_inject_param 3
required: bool = true; Whether the parameter is required.
"""
