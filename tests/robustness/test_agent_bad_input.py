"""Wrong options and arguments of the agent's builtins cause the documented errors."""

import pytest

import harnlite

PRELUDE = """
import "std/agent/state"
let T = transcript()
let R = tool_registry()
let C = {provider: "mock", model: "mock"}
agent_session_open("s")
fn tell(body) {
  let text = try {
    body()
    "nothing is thrown"
  } catch (e) { "${e}" }
  println(text)
}
"""
LOOP = 'agent_loop("t", nil, C + {«»})'
CALL = 'llm_call("p", nil, C + {«»})'
REMOVED = (
    "llm_call / agent_loop: the `transcript` option was removed. Open or open-and-resume a session with "
    "agent_session_open(id) and pass `session_id: id` instead."
)
WORDS = '"adaptive" | "minimal" | "low" | "medium" | "high" | "xhigh"'
ENTRIES = "tools must contain only tool definition dicts"
REGISTRY = "tools must be a tool_registry or a list of tool definition dicts"
LEVELS = '"none" | "minimal" | "low" | "medium" | "high" | "xhigh"'
SEAMS = (
    "iteration_start, pre_tool_dispatch, post_tool_dispatch, iteration_end, pre_compact, post_compact, "
    "daemon_idle_pre, daemon_idle_post, loop_exit"
)

# What stands in the hole of a call, and what is said of it.
IN_CALLS = {
    LOOP: {
        'reminders: ["x"]': (
            "agent_loop: unknown reminder provider `x`; register it first with `register_reminder_provider`"
        ),
        'reminders: ["idle_nugde"]': "agent_loop: unknown reminder provider `idle_nugde`; did you mean `idle_nudge`?",
        "reminders: 5": "agent_loop: reminders must be a bool, list, dict, or nil, got int",
        "reminders: {providers: 5}": "agent_loop: reminders.providers must be a list or nil, got int",
        "reminders: {providers: [5]}": "agent_loop: reminders.providers entries must be strings, got int",
        "persistent: true": (
            "agent_loop: `persistent` was removed; use `loop_until_done` for completion looping and `session_id` for "
            "transcript persistence"
        ),
        'profile: "x"': "agent_loop: profile must be one of tool_using, researcher, verifier, completer",
        'done_sentinel: ""': "agent_loop: `done_sentinel` must be a non-empty string or nil; got empty string",
        "done_sentinel: 5": "agent_loop: `done_sentinel` must be a non-empty string or nil; got int",
        "verify_completion: 5": "agent_loop: `verify_completion` must be a closure or nil; got int",
        'loop_control: "x"': "agent_loop: `loop_control` must be a closure or nil; got string",
        "llm_caller: []": "agent_loop: `llm_caller` must be a closure or nil; got list",
        "tool_caller: true": "agent_loop: `tool_caller` must be a closure or nil; got bool",
        "done_judge: 5": "agent_loop: `done_judge` must be a dict, bool, or nil; got int",
        'verify_completion_judge: "x"': (
            "agent_loop: `verify_completion_judge` must be a dict, bool, or nil; got string"
        ),
        "stall_diagnostics: []": "agent_loop: `stall_diagnostics` must be a dict, bool, or nil; got list",
        "max_iterations: 0": "agent_loop: `max_iterations` must be a positive integer; got 0",
        'max_iterations: "x"': "agent_loop: `max_iterations` must be a positive integer; got x",
        "max_concurrent_tools: 1.5": "agent_loop: `max_concurrent_tools` must be an integer or nil; got float",
        "max_concurrent_tools: 0": "agent_loop: `max_concurrent_tools` must be >= 1; got 0",
        "iteration_budget: 5": "agent_loop: iteration_budget must be a dict, string, or nil; got int",
        'iteration_budget: "x"': 'agent_loop: iteration_budget.mode must be "fixed" or "adaptive"; got x',
        "iteration_budget: {max: 0}": "agent_loop: `iteration_budget.max` must be a positive integer; got 0",
        "iteration_budget: {total_cost_usd: 0}": (
            "agent_loop: `iteration_budget.total_cost_usd` must be a positive number; got 0"
        ),
        'iteration_budget: {mode: "adaptive", initial: 9, max: 3}': (
            "agent_loop: `iteration_budget.initial` must be less than or equal to `iteration_budget.max`; "
            "got initial=9, max=3"
        ),
        'done_judge: {cadence: {when: "x"}}': (
            'agent_loop: `done_judge.cadence.when` must be "always", "stalled", a closure, or nil; got x'
        ),
        "transcript: T": REMOVED,
        "tools: 5": REGISTRY,
        'thinking: "x"': f'thinking: expected bool, dict, or one of "enabled" | {WORDS}, got "x"',
        "post_turn_callback: { _ -> {next_options: 5} }": (
            "agent_loop: post_turn_callback `next_options` must be a dict"
        ),
        "post_turn_callback: { _ -> {llm_options: 5} }": "agent_loop: post_turn_callback `llm_options` must be a dict",
        "llm_caller: { _ -> 5 }": "agent_loop: llm_caller must return a dict; got int",
        "llm_caller: { _ -> {} }": "agent_loop: llm_caller result missing `ok`",
        "llm_caller: { _ -> {ok: true} }": "agent_loop: llm_caller returned ok=true but `value` is not a dict",
        "llm_caller: { _ -> {ok: false} }": "agent_loop: llm_caller returned ok=false but `status` is not a string",
        'verify_completion: { _ -> "no" }, loop_control: { _ -> 5 }': (
            "agent_loop: loop_control must return nil or a dict; got int"
        ),
        'verify_completion: { _ -> "no" }, loop_control: { _ -> {action: "x"} }': (
            'agent_loop: loop_control action must be "none", "extend", or "stop"; got x'
        ),
        "message_decorator: { _ -> 5 }": "agent_loop: message_decorator must return a message dict or nil; got int",
    },
    CALL: {
        "transcript: T": REMOVED,
        'response_format: "x"': 'response_format: expected "json", "json_object", or "text", got "x"',
        "json_schema: 5": "json_schema: expected a JSON Schema object",
        "output_schema: []": "output_schema: expected a JSON Schema object",
        'output_format: {kind: "x"}': 'output_format.kind: expected "text" | "json_object" | "json_schema", got "x"',
        'output_format: {kind: "json_schema"}': 'output_format: kind "json_schema" requires a `schema` field',
        "output_format: 5": "output_format: expected string or dict",
        'thinking: {mode: "x"}': 'thinking.mode: expected "disabled" | "enabled" | "adaptive" | "effort", got "x"',
        'thinking: {mode: "effort"}': 'thinking.level is required when thinking.mode is "effort"',
        'thinking: {mode: "effort", level: "x"}': f'thinking.level: expected {LEVELS}, got "x"',
        "thinking: {budget_tokens: -1}": "thinking.budget_tokens: expected a non-negative int",
        'reasoning_effort: "x"': f'reasoning_effort: expected {LEVELS}, got "x"',
        "reasoning_effort: 5": f"reasoning_effort: expected {LEVELS}, got int",
        'reasoning_effort: "low", thinking: true': (
            "reasoning_effort cannot be combined with a non-disabled thinking option"
        ),
        'tool_search: "x"': 'tool_search.variant: expected "bm25", "regex", or "hybrid", got "x"',
        'tool_search: {mode: "x"}': 'tool_search.mode: expected "auto" | "native" | "client", got "x"',
        'tool_search: {strategy: "x"}': 'tool_search.strategy: expected "bm25" | "regex" | "hybrid", got "x"',
        "tools: 5": REGISTRY,
        'tools: ["x"]': "tools must be declared as tool definition dicts or a tool_registry",
        "tools: [5]": ENTRIES,
        "vision: true": "option `vision` is not supported by `mock` (provider `mock`).",
    },
    "agent_turn({}, «»)": {
        "{done_judge: false}": "agent_turn: done_judge is mandatory; pass a dict, true, or omit it",
        "{loop_until_done: false}": (
            "agent_turn: completion looping is required; pass loop_until_done: true or omit it"
        ),
        '{done_sentinel: ""}': (
            "agent_turn: done_sentinel is required for non-native loops; pass a non-empty string or omit it"
        ),
        "5": "Type error: 'agent_turn' parameter `options` expects dict, got int",
    },
    "register_reminder_provider(«»)": {
        "{}": "Runtime error: register_reminder_provider: missing id",
        "{id: 5}": "Runtime error: register_reminder_provider: id must be a non-empty string, got int",
        '{id: "x"}': "Runtime error: register_reminder_provider: missing subscribes_to",
        '{id: "x", subscribes_to: []}': "Runtime error: register_reminder_provider: subscribes_to must not be empty",
        '{id: "x", subscribes_to: 5}': (
            "Runtime error: register_reminder_provider: subscribes_to must be a string or list, got int"
        ),
        '{id: "x", subscribes_to: "y"}': (
            "Runtime error: register_reminder_provider: unknown reminder provider event `y`"
        ),
        '{id: "x", subscribes_to: "session_start"}': "Runtime error: register_reminder_provider: missing evaluate",
        '{id: "x", subscribes_to: "session_start", evaluate: 5}': (
            "Runtime error: register_reminder_provider: evaluate must be a closure, got int"
        ),
        "5": "Type error: 'register_reminder_provider' parameter `config` expects dict, got int",
    },
    "register_tool_hook(«»)": {
        "{pre: 5}": "Runtime error: register_tool_hook: pre must be a closure, got int",
        '{post: "x"}': "Runtime error: register_tool_hook: post must be a closure, got string",
    },
    "register_session_hook(«»)": {
        '"session_start"': "Runtime error: Arity mismatch: 'register_session_hook' expects 2..=3 arguments, got 1",
        '"x", { _ -> nil }': "Runtime error: register_session_hook: unknown session hook event `x`",
        '"worker_spawned", { _ -> nil }': (
            "Runtime error: register_session_hook: unknown session hook event `worker_spawned`"
        ),
    },
    "register_checkpoint_hook(«», { _ -> nil })": {
        '"x"': f"Runtime error: register_checkpoint_hook: unknown kind `x` (expected one of: {SEAMS})",
        "[{}]": f"Runtime error: register_checkpoint_hook: unknown kind `{{}}` (expected one of: {SEAMS})",
        "5": "Type error: 'register_checkpoint_hook' parameter `kinds` expects list | string, got int",
    },
    "register_step_hook(«», { _ -> nil })": {
        '"*", "*", "x"': "Runtime error: register_step_hook: unknown persona hook event `x`",
        '"*", "*", "OnBudgetThreshold(x)"': "Runtime error: register_step_hook: invalid budget threshold `x`",
    },
    "agent_session_open(«»)": {
        "nil, {x: 1}": (
            "agent_session_open: unknown option key 'x' (expected one of: workspace_anchor, workspace_policy)"
        ),
        "5": "Type error: 'agent_session_open' parameter `id` expects string, got int",
    },
    "agent_session_close(«»)": {
        '"no"': "agent_session_close: unknown session id 'no'",
        '"s", 5': "agent_session_close: `status` must be a string, dict, or nil",
    },
    "agent_session_inject(«»)": {
        '"no", {role: "user"}': "agent_session_inject: unknown session id 'no'",
        '"s", 5': "agent_session_inject: message must be a dict",
        '"s", {}': ("agent_session_inject: message must have a string `role` (user|assistant|tool_result|system)"),
    },
    "agent_session_trim(«»)": {'"s", -1': "agent_session_trim: `keep_last` must be >= 0"},
    "agent_session_fork_at(«»)": {'"s", -1': "agent_session_fork_at: `keep_first` must be >= 0"},
    "transcript_auto_compact([], «»)": {
        "{keep_last: -1}": "Runtime error: transcript_auto_compact: `keep_last` must be >= 0",
    },
    "transcript_compact(«»)": {
        "5": "Runtime error: transcript_compact: first argument must be a transcript",
        "T, {keep_last: -1}": "Runtime error: transcript_compact: keep_last must be >= 0",
        "T, {target_tokens: -1}": "Runtime error: transcript_compact: target_tokens must be >= 0",
        'T, {strategy: "truncate", summarize_prompt: "x"}': (
            "Runtime error: transcript_compact: summarize_prompt is only supported with strategy 'llm'"
        ),
        'T, {strategy: "custom"}': "transcript_compact: custom_compactor is required with strategy 'custom'",
        'T, {strategy: "custom", custom_compactor: 5}': "transcript_compact: custom_compactor must be a closure",
    },
    "llm_mock({error: «»})": {
        "{}": (
            "Runtime error: llm_mock: error.category is required unless error.status, error.kind, or error.reason is "
            "set"
        ),
        '{category: "x"}': "Runtime error: llm_mock: unknown error category `x`",
        '{kind: "x"}': "Runtime error: llm_mock: unknown error kind `x`",
        "{status: 99}": "Runtime error: llm_mock: error.status must be an HTTP status code",
        '{category: "timeout", retry_after_ms: -1}': (
            "Runtime error: llm_mock: error.retry_after_ms must be a non-negative int"
        ),
        "5": (
            "Runtime error: llm_mock: error must be a dict "
            "{category?, message?, status?, kind?, reason?, retry_after_ms?}"
        ),
    },
    "transcript.inject_reminder(T, «»)": {
        '{body: "x", ttl_turn: 1, aa: 2}': "transcript.inject_reminder: HARN-RMD-001: unknown option(s): aa, ttl_turn",
        '{body: " "}': "transcript.inject_reminder: HARN-RMD-001: `body` must be a non-empty string",
        '{body: "x", propagate: "far"}': (
            "transcript.inject_reminder: HARN-RMD-005: `propagate` must be one of all, session, or none"
        ),
        "5": "transcript.inject_reminder: HARN-RMD-001: options must be a dict, got int",
    },
    "agent_session_push_bridge_injection(«»)": {
        '"no", {body: "x"}': "agent_session_push_bridge_injection: unknown session id 'no'",
        '"s", {body: "x", mode: "now"}': (
            "agent_session_push_bridge_injection: HARN-RMD-002: "
            "`mode` must be one of interrupt_immediate, finish_step, or audit_only"
        ),
        '"s", {body: "x", fired_at_turn: -1}': (
            "agent_session_push_bridge_injection: HARN-RMD-002: `fired_at_turn` must be >= 0 when provided"
        ),
    },
    "agent_reminder_providers_fire(«»)": {
        '"s", "x"': "Runtime error: agent_reminder_providers_fire: unknown reminder provider event `x`",
    },
    "parse_resume_conditions(«»)": {
        "5": "Runtime error: HARN-SUS-002: invalid ResumeConditions.root: expected dict or nil, got int",
        "{x: 1}": (
            "Runtime error: HARN-SUS-002: invalid ResumeConditions.x: unknown field; "
            "expected trigger, timeout, or on_event"
        ),
    },
    "sub_agent_run(«»)": {"nil": "sub_agent_run: task is required"},
    "wait_agent(«»)": {
        '"w"': "Runtime error: unknown worker: w",
        "5": "Runtime error: expected agent handle or worker id",
        "{}": "Runtime error: agent handle dict is missing an id field",
    },
}
CASES = [(call.replace("«»", given), text) for call, texts in IN_CALLS.items() for given, text in texts.items()]


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    lines = [f"tell({{ -> {call} }})\n" for call, _ in CASES]
    result = harnlite.Engine().run(PRELUDE + "".join(lines))
    assert result.exit_code == 0, result.error
    return dict(zip((call for call, _ in CASES), result.stdout.splitlines(), strict=True))


@pytest.mark.parametrize(("call", "text"), CASES, ids=[call for call, _ in CASES])
def test_the_text_is_the_one_that_is_promised(call: str, text: str, told: dict[str, str]) -> None:
    assert told[call] == text


def test_an_uncaught_one_is_a_diagnostic_at_its_place() -> None:
    result = harnlite.Engine().run('agent_loop("t", nil, {provider: "mock", reminders: {providers: 5}})\n')
    (finding,) = result.diagnostics
    assert result.error == "Thrown: agent_loop: reminders.providers must be a list or nil, got int"
    assert (result.exit_code, finding.source.text[finding.span.start : finding.span.end]) == (1, "5")
