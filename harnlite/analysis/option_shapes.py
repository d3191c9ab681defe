"""What the dicts and names that builtins take may say, where it is known: for completion."""

from __future__ import annotations

import re
from functools import lru_cache

from harnlite.reminders.events import PERSONA_EVENTS, REMINDER_EVENTS, SESSION, STEP
from harnlite.reminders.selection import CANONICAL
from harnlite.reminders.spec import PROPAGATE, ROLE_HINTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.analysis.declarations import Declarations

_OPTIONS = re.compile(r"\b(?:Options?|Selector):(.*?)(?:\n\n|\Z)", re.DOTALL)
_WORDS = re.compile(r"`([a-z][a-z0-9_]*)`")
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


class Expected:
    """What may stand at a place: a dict with certain keys, one of certain texts, or a list of such."""

    __slots__ = ("choices", "items", "keys")

    def __init__(
        self,
        keys: Mapping[str, Expected] | None = None,
        choices: tuple[str, ...] = (),
        items: Expected | None = None,
    ) -> None:
        self.keys = keys or {}
        self.choices = choices
        self.items = items


ANYTHING = Expected()


def _keys(text: str, **known: Expected) -> Expected:
    return Expected({**dict.fromkeys(text.split(), ANYTHING), **known})


def _one_of(*choices: str) -> Expected:
    return Expected(choices=choices)


def _snake(event: str) -> str:
    return _CAPITAL.sub("_", event).lower()


REMINDER = _keys(
    "body tags dedupe_key ttl_turns preserve_on_compact",
    propagate=_one_of(*PROPAGATE),
    role_hint=_one_of(*ROLE_HINTS),
)
_SELECTOR = _keys("id tag dedupe_key")
_JUDGE = _keys("model provider system temperature max_tokens cadence")
_MCP = Expected(items=_keys("name command args env url"))
_EVENTS = Expected(choices=tuple(sorted(REMINDER_EVENTS)), items=_one_of(*sorted(REMINDER_EVENTS)))
_PROVIDERS = Expected(items=_one_of(*CANONICAL, *(f"-{name}" for name in CANONICAL)))

_LOOP = _keys(
    "tools session_id max_iterations loop_until_done done_sentinel max_nudges max_concurrent_tools tool_retries "
    "tool_backoff_ms llm_retries schema_retries stop_after_successful_tools require_successful_tools "
    "post_turn_callback verify_completion max_verify_attempts loop_control token_budget budget max_cost_usd "
    "total_budget_usd llm_caller tool_caller llm_options message_decorator timestamp_messages prompts policy "
    "permissions compaction auto_compact compact_threshold compact_keep_last compact_strategy compact_callback daemon "
    "wake_interval_ms watch_paths persist_path resume_path consolidate_on_idle idle_watchdog_attempts skills "
    "working_files subagents initial_user_content llm_transcript_dir provider model",
    tool_format=_one_of("native", "text"),
    profile=_one_of("tool_using", "researcher", "verifier", "completer"),
    native_tool_fallback=_one_of("allow", "allow_once", "reject"),
    iteration_budget=Expected(
        _keys(
            "initial max extend_by expose_decisions wall_clock_ms total_cost_usd consecutive_failures",
            mode=_one_of("fixed", "adaptive"),
        ).keys,
        ("adaptive",),
    ),
    done_judge=_JUDGE,
    verify_completion_judge=_JUDGE,
    step_judge=_keys(
        "max_attempts skip_when_empty skip_when_iterations_remaining",
        rubric=_one_of("default", "adversarial"),
        on_veto=_one_of("replace", "append"),
    ),
    stall_diagnostics=_keys("enabled threshold inject_feedback max_feedback exempt_tools include_arguments"),
    skill_match=_keys("top_n sticky", strategy=_one_of("catalog", "metadata", "manual", "host")),
    approval_policy=_keys("auto_approve auto_deny require_approval write_path_allowlist"),
    command_policy=_keys("tools deny_patterns require_approval workspace_roots pre post allow_recursive"),
    mcp_servers=_MCP,
    reminders=_PROVIDERS,
)
_PLACES: dict[tuple[str, int], Expected] = {
    ("transcript.inject_reminder", 1): REMINDER,
    ("agent_session_inject_reminder", 1): REMINDER,
    ("transcript.clear_reminders", 1): _SELECTOR,
    ("agent_loop", 2): _LOOP,
    ("agent_session_open", 1): _keys("workspace_anchor workspace_policy"),
    ("register_tool_hook", 0): _keys("pattern deny max_output pre post"),
    ("register_session_hook", 0): _one_of(*map(_snake, SESSION)),
    ("register_persona_hook", 1): _one_of(*sorted(PERSONA_EVENTS)),
    ("register_step_hook", 2): _one_of(*STEP),
    ("register_reminder_provider", 0): _keys(
        "evaluate", id=_one_of(*CANONICAL), subscribes_to=_EVENTS, events=_EVENTS, event=_EVENTS
    ),
}


def expected_at(function: str, index: int, declarations: Declarations) -> Expected:
    """Return what an argument of a builtin may say; what no table knows, the builtin's documentation may."""
    return _PLACES.get((function, index)) or _documented(function, index, declarations)


@lru_cache(maxsize=64)
def _option_words(doc: str) -> tuple[str, ...]:
    found = _OPTIONS.search(doc)
    return tuple(dict.fromkeys(_WORDS.findall(found[1]))) if found is not None else ()


def _documented(function: str, index: int, declarations: Declarations) -> Expected:
    """Return the options that the documentation of a builtin lists, for the argument that is a dict."""
    entry = declarations.entries.get(function)
    if entry is None or index >= len(entry[0]) or entry[0][index][0] not in {"options", "config", "selector", "opts"}:
        return ANYTHING
    words = set(_option_words(entry[4])) - {"off", "warn", "error"}
    return _keys(" ".join(sorted(words)))
