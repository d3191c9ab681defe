"""Types of the dicts that builtins return or pass to closures, for hovers and completion."""

from __future__ import annotations

from functools import lru_cache

from harnlite.analysis.builtins.declarations import understood, written
from harnlite.diagnostics.source import Source
from harnlite.reminders.hook_events import event_named
from harnlite.syntax import nodes
from harnlite.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.types.representation import Type

_REMINDER = (
    "{id: string, body: string, tags: list<string>, dedupe_key?: string, ttl_turns?: int, preserve_on_compact: bool, "
    "propagate: string, role_hint: string, source: string, fired_at_turn: int, originating_agent_id?: string}"
)
_EVENT = (
    "{id: string, kind: string, role: string, visibility: string, text: string, blocks: list<dict>, "
    f"reminder?: {_REMINDER}, metadata?: dict}}"
)
_MESSAGE = "{role: string, content: any}"
_TRANSCRIPT = (
    f"{{_type: string, version: int, id: string, messages: list<{_MESSAGE}>, events: list<{_EVENT}>, "
    "assets: list<dict>, summary?: string, metadata?: dict, state?: string}"
)
_RECORD = (
    "{id: int, cursor: int, topic: string, kind: string, payload: any, headers: dict<string, string>, "
    "occurred_at_ms: int}"
)
_SESSION = "session: {id: string}"
_TOOL = "event: string, tool: {name: string, args: dict, tool_call_id: string}, tool_call_id: string"
_TOKENS = "input_tokens: int, output_tokens: int"
_CALL = (
    f"text: string, visible_text: string, prose: string, model: string, provider: string, {_TOKENS}, "
    "usage: dict, data?: any, tool_calls?: list<{id: string, name: string, arguments: dict}>, "
    "native_tool_calls: list<dict>, stop_reason?: string, thinking?: string, blocks: list<dict>"
)
_TOOLS = (
    "{calls: list<{id: string, name: string, arguments: dict}>, successful: list<string>, "
    "rejected: list<string>, mode: string}"
)
_LOOP = (
    "status: string, stop_reason: string, final_status: string, text: string, visible_text: string, "
    f"error: dict | nil, llm: {{iterations: int, duration_ms: int, {_TOKENS}}}, tools: {_TOOLS}, tokens_used: int, "
    f"cost_usd: float, transcript: {_TRANSCRIPT}, session_id: string, trace: dict, task: string, started_at: string, "
    "daemon_state: string | nil, adaptive_budget?: dict, handle?: string, worker?: dict, reason?: string, "
    "initiator?: string, conditions?: dict, iterations_completed?: int, resume_by?: string, acp_stop_reason?: string"
)
_FINDING = "{tool: any, path: string, message: string}"
_DISPATCH = (
    "{ok: bool, status: string, tool_name: string, tool_call_id: string, arguments: dict, result: any, "
    "rendered_result: string, observation: string, error: any, error_category: string | nil, executor: dict | nil, "
    "approval: any, execution_duration_ms: int, tool_output_truncated: bool, original_size: int, final_size: int, "
    "audit?: dict}"
)
_WORKER = "{id: string, status: string, task: string, result: any, error: any}"
_COMPACTION = (
    f"event: string, {_SESSION}, session_id: string, strategy: string, engine_strategy: string, keep_last: int, "
    "target_tokens: int | nil, message_count: int, estimated_tokens_before: int, reason?: string"
)
_COMPACTED = (
    f"{_COMPACTION}, remaining_messages: int, archived_messages: int, estimated_tokens_after: int, summary: string, "
    "new_summary_len: int, snapshot_asset_id: string, reminders_decremented: int, reminders_expired: int, "
    "reminders_deduped: int, reminders_preserved: int"
)
_FACTS = "text: string, truncated: bool, original_size: int, final_size: int"
_TURN = (
    f"{_SESSION}, session_id: string, iteration: int, has_tool_calls: bool, dispatch: any, tool_results: list<dict>, "
    "tool_count: int, successful_tool_names: list<string>, rejected_tool_names: list<string>, "
    "session_successful_tools: list<string>, session_rejected_tools: list<string>, text: string, visible_text: string"
)
_EVENT_PAYLOAD = (
    f"{{event?: string, {_SESSION}, iteration?: int, turn?: int, tool_name?: string, "
    f"tool?: {{name: string, args: dict}}, result?: {{{_FACTS}}}, truncated?: bool, original_size?: int, "
    "final_size?: int, status?: string, ok?: bool, error?: any, input_tokens?: int, output_tokens?: int, "
    "tokens_used?: int, context_tokens?: int, context_window?: int, cost_usd?: float, provider?: string, "
    "model?: string, task?: string, system?: string, wake_interval_ms?: int, archived_messages?: int, summary?: string}"
)
_STEP = (
    "event: string, persona: string, step: {name: string, function: string, args: list}, target: string, output?: any"
)
_REQUEST = "prompt: string, system: string | nil, opts: dict, turn: {iteration: int, session_id: string, attempt: int}"
_SIGNED = "{error: string | nil, ok: bool, payload: any}"

RESULTS = {
    "transcript": _TRANSCRIPT,
    "agent_session_snapshot": _TRANSCRIPT,
    "transcript.inject_reminder": f"{{transcript: {_TRANSCRIPT}, reminder_id: string, deduped_count: int}}",
    "transcript.clear_reminders": f"{{transcript: {_TRANSCRIPT}, removed_count: int}}",
    "transcript_compact": _TRANSCRIPT,
    "transcript_reminder_event": _EVENT,
    "transcript_events": f"list<{_EVENT}>",
    "transcript_events_by_kind": f"list<{_EVENT}>",
    "transcript_messages": f"list<{_MESSAGE}>",
    "event_log.subscribe": f"Stream<{_RECORD}>",
    "llm_mock_calls": f"list<{{messages: list<{_MESSAGE}>, system: string | nil, tools: any}}>",
    "handoff": (
        "{_type: string, id: string, kind: string, source_persona: string, target_persona_or_human: dict, "
        f"task: string, reason: string, reminder_propagation: list<{_REMINDER}>, metadata: dict, created_at: string}}"
    ),
    "agent_session_clear_reminders": "{removed_count: int}",
    "agent_session_apply_reminder_post_turn": "{expired_count: int, decremented_count: int, remaining_count: int}",
    "agent_session_drain_bridge_injections": "{delivered: any, reason: string}",
    "agent_session_revoke_reminder": "{status: string, reminderId: string}",
    "agent_reminder_providers_fire": "{fired_count: int, reports: list<dict>}",
    "agent_loop": f"{{{_LOOP}}}",
    "agent_turn": f"{{{_LOOP}, iterations: list<dict>, judge_decisions: list<dict>}}",
    "llm_call": f"{{{_CALL}, transcript: {_TRANSCRIPT}}}",
    "llm_completion": f"{{{_CALL}}}",
    "llm_call_safe": f"{{ok: bool, response: {{{_CALL}}}, error: dict | nil}}",
    "llm_call_structured_safe": "{ok: bool, data: any, error: dict | nil}",
    "llm_call_structured_result": (
        "{ok: bool, data: any, raw_text: string, error: string, error_category: string | nil, attempts: int, "
        "repaired: bool, extracted_json: bool, usage: dict, model: string, provider: string}"
    ),
    "llm_healthcheck": "{ok: bool, provider: string | nil, model: string | nil, latency_ms: int, error?: dict}",
    "llm_usage": f"{{{_TOKENS}, total_duration_ms: int, call_count: int, total_calls: int}}",
    "llm_session_cost": f"{{total_cost: float, {_TOKENS}, call_count: int}}",
    "llm_resolve_model": "{id: string, provider: string, alias: string | nil, tool_format: string, tier: string}",
    "llm_pick_model": "{id: string, provider: string, tier: string}",
    "agent_dispatch_tool_call": _DISPATCH,
    "tool_surface_validate": f"{{ok: bool, errors: list<{_FINDING}>, warnings: list<{_FINDING}>}}",
    "sub_agent_run": (
        "{ok: bool, summary: string, data: any, error: dict | nil, tokens_used: int, budget_exceeded: bool, "
        f"evidence_added: int, artifacts: list, session_id: string, transcript: {_TRANSCRIPT}}}"
    ),
    "spawn_agent": _WORKER,
    "suspend_agent": _WORKER,
    "wait_agent": _WORKER,
    "resume_agent": _WORKER,
    "cancel_in_flight_tool_call": "{status: string, call_id: string, tool: string, reason: string}",
    "agent_session_ancestry": "{parent_id: string | nil, child_ids: list<string>, root_id: string}",
    "store_fact": (
        "{schema: string, id: string, kind: string, claim: string, confidence: float, evidence: list<dict>, "
        "provenance: dict, valid_until: dict | nil, asserted_at: string}"
    ),
    "url_parse": (
        "{fragment: string | nil, host: string | nil, password: string | nil, path: string, port: int | nil, "
        "query: string | nil, scheme: string, username: string | nil}"
    ),
    "query_parse": "list<{key: string, value: string}>",
    "cookie_parse": (
        "{cookies: dict<string, string>, duplicates: dict<string, list<string>>, "
        "invalid: list<{reason: string, segment: string}>, pairs: list<{name: string, value: string}>}"
    ),
    "cookie_verify": "{error: string | nil, ok: bool, value: string | nil}",
    "cookie_round_trip": "{cookie_header: string, cookies: dict<string, string>}",
    "session_verify": _SIGNED,
    "session_from_cookies": _SIGNED,
    "multipart_parse": (
        "{boundary: string, field_count: int, fields: list<{bytes: bytes, content_type: string | nil, "
        "filename: string | nil, headers: dict<string, string>, name: string, text: string | nil}>, total_bytes: int}"
    ),
    "multipart_form_data": "{body: bytes, boundary: string, content_type: string}",
    "parse_junit_xml": (
        "list<{duration_ms: int | nil, message: string | nil, name: string, status: string, stderr: string | nil, "
        "stdout: string | nil}>"
    ),
}
"""The type of the dict that a builtin returns, by the name of the builtin."""

GIVEN = {
    "register_reminder_provider evaluate": (
        f"{{event: string, session: dict, session_id: string, payload: {_EVENT_PAYLOAD}, options: dict, config: dict}}"
    ),
    "register_tool_hook pre": f"{{{_TOOL}}}",
    "register_tool_hook post": f"{{{_TOOL}, result: {{value: any, {_FACTS}}}}}",
    "register_session_hook": f"{{event: string, {_SESSION}, session_id?: string}}",
    "register_session_hook FileEdited": (
        f"{{event: string, {_SESSION}, session_id: string, path: string, metadata: {{operation: string, bytes: int}}}}"
    ),
    "register_session_hook SessionStart": (
        f"{{event: string, {_SESSION}, task: string, system: string | nil, max_iterations: int}}"
    ),
    "register_session_hook UserPromptSubmit": f"{{event: string, {_SESSION}, prompt: string, system: string | nil}}",
    "register_session_hook SessionEnd": (
        f"{{event: string, {_SESSION}, final_status: string, stop_reason: string, iterations: int}}"
    ),
    "register_session_hook SessionError": (
        f"{{event: string, {_SESSION}, final_status: string, stop_reason: string, error: any}}"
    ),
    "register_session_hook PreCompact": f"{{{_COMPACTION}}}",
    "register_session_hook PostCompact": f"{{{_COMPACTED}}}",
    "register_session_hook PostTurn": f"{{event: string, {_TURN}}}",
    "register_session_hook SessionIdle": (
        f"{{event: string, {_SESSION}, iteration: int, wake_interval_ms: int, consolidate_on_idle: bool}}"
    ),
    "register_session_hook PermissionAsked": (
        f"{{event: string, {_SESSION}, tool: {{name: string, args: dict}}, reason: string}}"
    ),
    "register_checkpoint_hook": (
        f"{{event: string, {_SESSION}, session_id: string, iteration: int, kind: string, delivered: any, "
        "inbox_delivered: any, dispatch_skipped: bool}"
    ),
    "register_step_hook": f"{{{_STEP}}}",
    "register_persona_hook": f"{{{_STEP}}}",
    "agent_loop post_turn_callback": f"{{{_TURN}}}",
    "agent_loop verify_completion": (
        "{session_id: string, task: string, stop_reason: string, text: string, visible_text: string, "
        "last_text: string, transcript: any, all_tools_used: list<string>, successful_tools_used: list<string>, "
        "iteration: int}"
    ),
    "agent_loop loop_control": (
        "{iteration: int, budget: {current_limit: int, max: int, remaining: int, extension_count: int}, "
        "turn: {tool_call_count: int, successful_tool_names: list<string>, rejected_tool_names: list<string>}, "
        "session: {successful_tool_names: list<string>, rejected_tool_names: list<string>}, "
        "completion: {proposed: bool, vetoed: bool, verdict: any, feedback: any}, "
        "progress: {changed: bool, summary: any}}"
    ),
    "agent_loop llm_caller": f"{{{_REQUEST}}}",
    "agent_loop compact_callback": f"list<dict>, list<{_REMINDER}>",
    "transcript_compact custom_compactor": f"list<dict>, list<{_REMINDER}>",
    "agent_session_compact custom_compactor": f"list<dict>, list<{_REMINDER}>",
    "tool_define handler": "dict",
    "with_audit_log": (
        "{schema_version: int, session_id: string, run_id: string, tool_call_id: string, tool_name: string, "
        "iteration: int, turn_index: int, emit_order: int, reason?: string, kind?: string, executor: string | nil, "
        "status: string, error_category: string | nil, duration_ms: int, args_hash: string, result_hash: string, "
        "audit: dict, emitted_at: string, model: string, provider: string}"
    ),
}
"""The types passed to a closure, by builtin and, where it matters, the option key or event."""


def result_of(function: str) -> Type | None:
    """Return the type of the dict that a builtin returns, if its entries are known."""
    text = RESULTS.get(function)
    return None if text is None else _types(text)[0]


def given_to(function: str, place: str) -> tuple[Type | None, ...]:
    """Return the types of the arguments that a builtin passes to a closure; `place` is an option key or an event."""
    text = GIVEN.get(f"{function} {event_named(place) or place}") or GIVEN.get(function)
    return () if text is None else _types(text)


@lru_cache(maxsize=32)
def _types(text: str) -> tuple[Type | None, ...]:
    """Return the types in a comma-separated text."""
    (node,) = parse(Source(f"type Given = fn({text}) -> nil\n", "", "")).module.statements
    if not isinstance(node, nodes.TypeDecl) or not isinstance(node.type, nodes.FnType):
        return ()
    return tuple(understood(written(param), {}) for param in node.type.params)
