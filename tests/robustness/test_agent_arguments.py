"""Every builtin of the agent answers invalid arguments and options with a value or a language error."""

import os
import random
import re
from pathlib import Path

import pytest

import harnlite
from tests.samples import count, sampled

ROOT = Path(__file__).parents[2]
DRAWN = int(os.environ.get("HARNLITE_FUZZ", count(3, 1)))
"""How many pieces of junk each option gets."""
BATCH = 60
STEP = count(1, 3)
"""Of the junk, each argument gets each so many-th piece; the next argument gets others."""
LEAKS = re.compile(
    r"positional argument|object is not|has no attribute|NoneType|object at 0x|<class|<function|Traceback|takes \d"
    r"|unsupported operand|not supported between|missing \d|codec can't|invalid literal|unhashable|KeyError|TypeError"
    r"|indices must|not iterable|not subscriptable|__(?!default__|host_)\w+__"
)
PRELUDE = """
import "std/agent/state"
import { agent_capture_events } from "std/agent/events"
struct S { x: any }
enum E { V(n: any), U }
fn attempt(number, body) {
  llm_mock_clear()
  llm_mock({match: "*", text: "<tool_call>n({})</tool_call>"})
  clear_tool_hooks()
  clear_reminder_providers()
  if agent_session_exists("s") { agent_session_close("s") }
  agent_session_open("s")
  let found = try { deadline 2s { body() } } catch (e) { "ERR ${e}" }
  println("\\u{1}${number} ${found}")
}
fn driven(body) {
  agent_session_init("t", nil, {session_id: "z", provider: "mock"})
  return try { body("z") } finally { try { agent_session_finalize("z", {}) } catch (e) { nil } }
}
let REGISTRY = tool_registry()
let TURNS = ["user", "assistant", "user", "user"].map({ role -> {role: role, content: "words"} })
let OLD = transcript_from_messages(TURNS)
let BASE = {provider: "mock", model: "mock", session_id: "s", max_iterations: 2}
let TOOL = {name: "n", description: "d", handler: { a -> "x" }}
let FACT = {kind: "claim", claim: "c", evidence: [{kind: "trace_ref", ref: "x"}], confidence: 0.5}
"""
JUNK = [
    *("nil", "true", "false", "0", "-1", "9223372036854775807", "1.5", "0.0 / 0.0", '""', '" "', '"a"', '"s"'),
    *("[]", "[1]", '["a"]', "[nil]", "[{}]", "[[]]", "{}", "{a: 1}", "{type: 5}", "{ -> nil }", "{ x -> x }"),
    *('{ _ -> throw "boom" }', "{ _ -> 5 }", "transcript()", "1 to 3", "set(1)", "2s", "len", "Ok(1)", "S {x: 1}"),
    *("E.V(1)", '{role: "user", content: 5}', "[{role: 5}]", "{name: 5}", '[{name: "x"}]', '{body: "b"}', "{id: nil}"),
]


def results(calls: list[str], folder: Path) -> dict[str, str]:
    """Return what each call comes to, as text."""
    lines = [f"attempt({number}, {{ -> {call} }})\n" for number, call in enumerate(calls)]
    engine = harnlite.Engine(cwd=str(folder), max_output=5_000_000)
    result = engine.run(PRELUDE + "".join(lines))
    assert result.exit_code == 0, f"{result.error}\n{calls}"
    found = {}
    for block in result.stdout.split("\x01")[1:]:
        number, _, text = block.partition(" ")
        found[calls[int(number)]] = text.strip()
    return found


def check(calls: list[str], folder: Path) -> None:
    for at in range(0, len(calls), BATCH):
        for call, text in results(calls[at : at + BATCH], folder).items():
            assert not LEAKS.search(text), f"{call}: {text}"


# Arguments.

AREAS = re.compile(
    r"agent|llm|transcript|tool|skill|reminder|hook|fact|event_log|worker|policy|plan_|handoff|microcompact"
)
USUAL = {
    **dict.fromkeys(("id", "session", "session_id", "src"), '"s"'),
    **dict.fromkeys(("options", "opts", "metadata", "payload", "args"), "{}"),
    **dict.fromkeys(("handler", "callback", "fn", "body", "closure"), "{ e -> nil }"),
    "registry": "REGISTRY",
    "transcript": "OLD",
    "messages": "TURNS",
    "config": '{name: "n", id: "i"}',
    "string": '"a"',
    "dict": "{}",
    "list": "[]",
    "int": "1",
    "bool": "true",
}
LEFT_OUT = {"read_line", "agent_await_resumption"}


def declared() -> list[tuple[str, list[str]]]:
    """Return the builtins of the agent, each with usual arguments for all of its parameters."""
    text = (ROOT / "stdlib" / "builtins.harn").read_text(encoding="utf-8")
    found = []
    for name, parameters in re.findall(r"^extern fn ([\w.]+)\((.*?)\)(?: ->.*)?$", text, re.MULTILINE):
        if not AREAS.search(name) or name in LEFT_OUT:
            continue
        usual = []
        for parameter in filter(None, re.split(r",\s*", parameters)):
            known, _, kind = parameter.partition(":")
            kind = kind.split("=")[0].split("|")[0].strip()
            usual.append(USUAL.get(known.strip(" ."), USUAL.get(kind, '"a"')))
        found.append((name, usual))
    return found


DECLARED = declared()
GROUPS = [DECLARED[at : at + 25] for at in range(0, len(DECLARED), 25)]


@sampled
@pytest.mark.parametrize("group", GROUPS, ids=[group[0][0] for group in GROUPS])
def test_arguments_may_be_anything(group: list[tuple[str, list[str]]], tmp_path: Path) -> None:
    calls = []
    for name, usual in group:
        for place in range(len(usual)):
            pieces = JUNK[place % STEP :: STEP]
            calls += [f"{name}({', '.join([*usual[:place], junk, *usual[place + 1 :]])})" for junk in pieces]
        calls += [f"{name}()", f"{name}({', '.join(['nil'] * 9)})"]
    check(calls, tmp_path)


# Options: each call has one hole for a dict with one key.

CALL = """
    provider model model_tier fallback_chain max_tokens temperature top_p top_k seed stop timeout timeout_ms stream
    cache messages prefill session_id system system_preamble system_prefix system_context system_prompt_parts
    system_appendix response_format json_schema schema output_schema output_format output_validation schema_retries
    schema_retry_nudge llm_retries llm_backoff_ms thinking reasoning_effort interleaved_thinking vision tools
    tool_choice tool_format tool_search budget max_cost_usd max_input_tokens structural_experiment mock transcript"""
LOOP = """
    loop_until_done max_iterations max_nudges done_sentinel native_tool_fallback tool_examples exit_when_verified
    turn_policy timestamp_messages message_decorator stop_after_successful_tools require_successful_tools
    post_turn_callback verify_completion verify_completion_judge done_judge max_verify_attempts step_judge
    stall_diagnostics llm_caller tool_caller max_concurrent_tools iteration_budget loop_control token_budget llm_options
    prompts policy approval_policy permissions command_policy compaction auto_compact compact_threshold
    compact_keep_last compact_strategy compact_callback daemon persist_path resume_path wake_interval_ms watch_paths
    consolidate_on_idle idle_watchdog_attempts skills skill_match working_files subagents reminders initial_user_content
    profile _iteration _resume_continuity tool_retries tool_backoff_ms context_window max_context_tokens"""
REMINDER = "body tags dedupe_key ttl_turns preserve_on_compact propagate role_hint stranger"
ENGINE = """
    keep_first keep_last token_threshold compact_threshold tool_output_max_chars hard_limit_tokens compact_strategy
    hard_limit_strategy summarize_prompt compact_callback"""
TOOL = "name description parameters handler returns defer_loading executor annotations namespace input_schema function"
SKILL = (
    "description body when_to_use prompt tools paths model priority activate deactivate namespace short allowed_tools"
)
CEILING = "tools capabilities workspace_roots side_effect_level recursion_limit tool_arg_constraints tool_annotations"
JUDGE = "model provider system feedback_fallback fail_open_on_error temperature max_tokens tool_format cadence rubric"
DISPATCH = 'agent_dispatch_tool_call({name: "n", arguments: {}}, [TOOL], {session_id: "s"} + '
FIRE = 'agent_reminder_providers_fire("s", '
OPTIONS = {
    'llm_call("p", nil, «»)': CALL,
    'llm_call_safe("p", nil, «»)': CALL,
    'llm_call_structured_result("p", {type: "object"}, «»)': CALL + " repair",
    'llm_completion("p", "s", nil, «»)': CALL,
    'agent_loop("t", nil, BASE + «»)': CALL + LOOP,
    'agent_loop("t", nil, BASE + {tools: [TOOL]} + «»)': CALL + LOOP,
    'agent_turn("t", {provider: "mock", max_iterations: 2} + «»)': CALL + LOOP + " judge",
    'sub_agent_run("t", {provider: "mock", max_iterations: 2} + «»)': (
        "background allowed_tools tools policy permissions carry execution returns name reminder_propagation session_id"
    ),
    'wait_agent(spawn_agent({task: "t", node: {kind: "subagent", mode: "llm", prompt: "x"}} + «»))': (
        "task name node graph wait carry policy tools execution artifacts transcript permissions audit options"
    ),
    'handoff({source_persona: "a", target_persona_or_human: {kind: "p", id: "x"}, task: "t", reason: "r"} + «»)': (
        "source_persona target_persona_or_human task reason open_questions confidence metadata reminder_propagation"
    ),
    'driven({ id -> agent_session_init("t", nil, {session_id: "y", provider: "mock"} + «») })': CALL + LOOP,
    "driven({ id -> agent_session_finalize(id, «») })": "final_status stop_reason iterations",
    "driven({ id -> agent_session_record_assistant(id, «») })": "text visible_text tool_calls native_tool_calls prose",
    "driven({ id -> agent_session_record_tool_results(id, [«»]) })": "ok tool_name observation rendered_result",
    "driven({ id -> agent_session_record_usage(id, «», {}, 1) })": "input_tokens output_tokens model stop_reason",
    'agent_loop("t", nil, BASE + {tools: [TOOL + «»]})': TOOL,
    'agent_dispatch_tool_call({name: "n", arguments: {}}, [TOOL + «»], {session_id: "s"})': TOOL,
    'agent_dispatch_tool_call({name: "n", arguments: {}} + «», [TOOL], {session_id: "s"})': "name arguments id input",
    DISPATCH
    + "«»)": "session_id policy approval_policy command_policy permissions tool_retries _iteration tool_caller",
    DISPATCH + "{permissions: «»})": "allow deny on_escalation",
    DISPATCH + "{approval_policy: «»})": "auto_approve auto_deny require_approval write_path_allowlist",
    DISPATCH + "{policy: «»})": CEILING,
    'with_execution_policy(«», { -> agent_dispatch_tool_call({name: "n", arguments: {}}, [TOOL], {}) })': CEILING,
    "command_policy(«»)": "tools workspace_roots default_shell_mode deny_patterns require_approval pre post",
    'tool_define(REGISTRY, "n", "d", «»)': TOOL,
    'skill_define(skill_registry(), "n", {description: "d", body: "b"} + «»)': SKILL,
    'agent_loop("t", nil, BASE + {skills: [{name: "n", description: "d", body: "b"} + «»]})': SKILL,
    'agent_loop("t", nil, BASE + {iteration_budget: «»})': (
        "mode initial max extend_by expose_decisions wall_clock_ms total_cost_usd consecutive_failures"
    ),
    'agent_loop("t", nil, BASE + {done_judge: «»})': JUDGE,
    'agent_loop("t", nil, BASE + {done_judge: {cadence: «»}})': (
        "every max_invocations min_iterations_before_first when"
    ),
    'agent_loop("t", nil, BASE + {step_judge: «»})': JUDGE + " on_veto max_attempts skip_when_empty",
    'agent_loop("t", nil, BASE + {tools: [TOOL], stall_diagnostics: «»})': (
        "enabled threshold inject_feedback max_feedback exempt_tools include_arguments hard_stop_after_trips"
    ),
    'agent_loop("t", nil, BASE + {auto_compact: {compact_threshold: 0, keep_last: 0} + «»})': ENGINE + " enabled",
    'agent_loop("t", nil, BASE + {daemon: true} + «»)': "persist_path resume_path wake_interval_ms watch_paths",
    'agent_loop("t", nil, BASE + {reminders: «»})': "enabled providers config token_pressure project_facts",
    'agent_loop("t", nil, BASE + {reminders: {config: «»}})': "token_pressure idle_nudge project_facts grounded_review",
    FIRE + '"on_budget_threshold", «», {})': "context_tokens tokens_used input_tokens context_window session iteration",
    FIRE + '"post_tool_use", «», {})': (
        "truncated original_size tool_name tool result status ok error verifier_signals diagnostics failures"
    ),
    FIRE + '"post_tool_use", {tool: {name: "shell", args: {cmd: "pytest"}}, result: «»}, {})': "text error diagnostics",
    FIRE + '"worker_resumed", «», {})': "suspension resume reason suspended_at_turn input worker",
    FIRE + '"worker_resumed", {resume: «»}, {})': "initiator input input_rendered input_present digest trigger",
    FIRE + '"post_compact", «», {})': "archived_messages summary",
    FIRE + '"session_idle", «», {})': "wake_interval_ms",
    FIRE + '"session_start", {task: "x"}, {reminders: {config: {project_facts: «»}}})': (
        "max_facts limit min_confidence kind_filter namespace scope root relevance_query refresh_ratio"
    ),
    "llm_mock(«»)": "text tool_calls match consume_match input_tokens thinking stop_reason model blocks error delay_ms",
    'llm_mock({error: {category: "timeout"} + «»})': "category message status kind reason retry_after_ms",
    "register_tool_hook(«»)": "pattern deny max_output pre post",
    'register_reminder_provider({id: "x", subscribes_to: "post_turn", evaluate: { c -> nil }} + «»)': (
        "id subscribes_to events event evaluate"
    ),
    'transcript.inject_reminder(OLD, {body: "b"} + «»)': REMINDER,
    "transcript.clear_reminders(OLD, «»)": "id tag dedupe_key stranger",
    "transcript_reminder_event(«»)": REMINDER + " id source fired_at_turn originating_agent_id",
    'agent_session_inject_reminder("s", {body: "b"} + «»)': REMINDER,
    'agent_session_push_bridge_injection("s", {body: "b"} + «»)': (
        REMINDER + " source id fired_at_turn _meta mode reminder content"
    ),
    'agent_session_push_user_message("s", {content: "b"} + «»)': "content mode",
    "transcript_compact(OLD, {keep_last: 1} + «»)": (
        "strategy keep_last target_tokens summarize_prompt summary custom_compactor"
    ),
    "transcript_auto_compact(TURNS, {keep_last: 1, compact_threshold: 0} + «»)": ENGINE,
    'agent_session_compact("s", {token_threshold: 0} + «»)': ENGINE + " policy instructions mode preserve author",
    "agent_session_open(nil, «»)": "workspace_anchor workspace_policy",
    'agent_session_set_workspace_anchor("s", {primary: "/x"} + «»)': "primary additional_roots anchored_at",
    'agent_session_inject("s", {role: "user", content: "x"} + «»)': "role content kind reminder messageId tool_calls",
    'cancel_in_flight_tool_call("s", "c", «»)': "reason inject_reminder timeout_ms",
    'store_fact(FACT + «», {root: "mem"})': "id kind claim evidence confidence provenance valid_until asserted_at",
    'store_fact(FACT, {root: "mem"} + «»)': "scope namespace root",
    'event_log.subscribe({topic: "t"} + «»)': "topic from_cursor cursor kind_prefix",
    'event_log.emit("t", "k", «», «»)': "x harn.seam",
    "parse_resume_conditions({timeout: «»})": "duration_minutes on_timeout",
}


@sampled
@pytest.mark.parametrize("call", OPTIONS, ids=lambda call: re.sub(r"\W+", " ", call).strip())
def test_options_may_be_anything(call: str, tmp_path: Path) -> None:
    dice = random.Random(call)
    calls = [call.replace("«»", "{}"), call.replace("«»", "{stranger: 1}")]
    for key in OPTIONS[call].split():
        junk = dice.sample(JUNK, min(DRAWN, len(JUNK)))
        calls += [call.replace("«»", f'{{"{key}": {value}}}') for value in junk]
    check(calls, tmp_path)
