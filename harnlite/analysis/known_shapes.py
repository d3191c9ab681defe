"""What is in the dicts that builtins return, and in those that they give to closures: for completion."""

from __future__ import annotations

_LOOP = (
    "status stop_reason final_status text visible_text error llm tools tokens_used cost_usd transcript session_id "
    "trace task started_at daemon_state adaptive_budget"
)
_CALL = (
    "text visible_text prose model provider input_tokens output_tokens usage data tool_calls native_tool_calls "
    "stop_reason thinking blocks transcript"
)
_HANDLE = "id status task result error"
_REMINDER_CONTEXT = "event session session_id payload options config"
_DISPATCH = (
    "ok status tool_name tool_call_id arguments result rendered_result observation error error_category executor "
    "approval execution_duration_ms audit"
)
RESULTS: dict[str, tuple[str, ...]] = {
    name: tuple(keys.split())
    for name, keys in {
        "agent_loop": _LOOP,
        "llm_call": _CALL,
        "llm_completion": _CALL,
        "llm_call_safe": "ok response error",
        "llm_call_structured_safe": "ok data error",
        "transcript.inject_reminder": "transcript reminder_id deduped_count",
        "transcript.clear_reminders": "transcript removed_count",
        "agent_session_apply_reminder_post_turn": "expired_count decremented_count remaining_count",
        "agent_reminder_providers_fire": "fired_count reports",
        "agent_dispatch_tool_call": _DISPATCH,
        "sub_agent_run": (
            "ok summary data error tokens_used budget_exceeded evidence_added artifacts session_id transcript"
        ),
        "spawn_agent": _HANDLE,
    }.items()
}
"""By builtin: the keys of what it returns."""

GIVEN: dict[tuple[str, str], tuple[str, ...]] = {
    place: tuple(keys.split())
    for place, keys in {
        ("register_reminder_provider", "evaluate"): _REMINDER_CONTEXT,
        ("register_tool_hook", "pre"): "event tool tool_call_id",
        ("register_tool_hook", "post"): "event tool tool_call_id result",
        ("register_session_hook", ""): "event session",
        ("agent_loop", "post_turn_callback"): (
            "event session iteration has_tool_calls tool_results tool_count successful_tool_names "
            "rejected_tool_names text"
        ),
        ("agent_loop", "verify_completion"): (
            "task text stop_reason transcript all_tools_used successful_tools_used iteration"
        ),
        ("agent_loop", "loop_control"): "iteration budget turn session completion progress",
        ("agent_loop", "llm_caller"): "prompt system opts turn",
    }.items()
}
"""By builtin and key of its options: the keys of what a closure there gets first; no key for a plain argument."""
