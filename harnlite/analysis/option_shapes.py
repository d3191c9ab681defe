"""What the dicts and names that builtins take may say, where it is known: for completion."""

from __future__ import annotations

import re
from functools import lru_cache

from harnlite.analysis import option_texts
from harnlite.reminders.events import PERSONA_EVENTS, REMINDER_EVENTS, SESSION, STEP
from harnlite.reminders.seams import MODES, SEAMS
from harnlite.reminders.selection import CANONICAL
from harnlite.reminders.spec import PROPAGATE, ROLE_HINTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harnlite.analysis.declarations import Declarations

_OPTIONS = re.compile(r"(?:\bOptions?|\bSelector|\bFields|`config`):(.*?)(?:\n\n|\Z)", re.DOTALL)
_WORDS = re.compile(r"`([a-z][a-z0-9_]*)`")
_ASIDE = re.compile(r"\([^()]*\)")
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


class Expected:
    """What may stand at a place: a dict with certain keys, one of certain texts, or a list of such.

    `texts` say what keys and choices mean.
    """

    __slots__ = ("choices", "items", "keys", "texts")

    def __init__(
        self,
        keys: Mapping[str, Expected] | None = None,
        choices: tuple[str, ...] = (),
        items: Expected | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        self.keys = keys or {}
        self.choices = choices
        self.items = items
        self.texts = texts or {}


ANYTHING = Expected()


def _keys(block: str, more: str = "", **known: Expected) -> Expected:
    """Return a dict whose keys are explained in lines, and others that are only named."""
    texts = option_texts.lines_of(block)
    return Expected({**dict.fromkeys((*texts, *more.split()), ANYTHING), **known}, texts=texts)


def _one_of(*choices: str, texts: str = "", items: Expected | None = None) -> Expected:
    return Expected(choices=choices, items=items, texts=option_texts.lines_of(texts))


def _events(events: Iterable[str]) -> Expected:
    """Return a choice of events, and what they mean in either spelling."""
    names = tuple(events)
    said = option_texts.lines_of(option_texts.EVENTS)
    texts = {spelling: said[name] for name in names for spelling in (name, _snake(name)) if name in said}
    return Expected(choices=names, texts=texts)


def _snake(event: str) -> str:
    return _CAPITAL.sub("_", event).lower()


REMINDER = _keys(
    option_texts.REMINDER,
    propagate=_one_of(*PROPAGATE, texts=option_texts.PROPAGATE),
    role_hint=_one_of(*ROLE_HINTS, texts=option_texts.ROLE_HINTS),
)
HOOK_RESULT = Expected(
    {"reminder": REMINDER, **REMINDER.keys},
    texts={"reminder": option_texts.EFFECT, **REMINDER.texts},
)
"""What a hook or reminder provider may return to leave a reminder."""
_SELECTOR = _keys(option_texts.SELECTOR)
_JUDGE = _keys(option_texts.JUDGE, "model provider temperature max_tokens top_p tool_format reasoning_effort")
_MCP = Expected(items=_keys("", "name command args env url"))
_REMINDER_EVENTS = _events(sorted(REMINDER_EVENTS))
_EVENTS = Expected(choices=_REMINDER_EVENTS.choices, items=_REMINDER_EVENTS, texts=_REMINDER_EVENTS.texts)
_SAID = option_texts.lines_of(option_texts.PROVIDERS)
_PROVIDER_IDS = Expected(choices=tuple(CANONICAL), texts=_SAID)
_PROVIDERS = Expected(
    items=Expected(
        choices=(*CANONICAL, *(f"-{name}" for name in CANONICAL)),
        texts={**_SAID, **{f"-{name}": f"without it: {said}" for name, said in _SAID.items()}},
    ),
)
_PERSONA_EVENTS = _events(sorted(PERSONA_EVENTS))
_STEP_EVENTS = _events(STEP)
_SESSION_EVENTS = Expected(choices=tuple(map(_snake, SESSION)), texts=_events(SESSION).texts)
_CALL = {
    "tool_format": _one_of("native", "text", texts=option_texts.TOOL_FORMATS),
    "reasoning_effort": _one_of("none", "minimal", "low", "medium", "high", "xhigh"),
    "output_validation": _one_of("off", "warn", "error"),
    "response_format": _one_of("json", "json_object", "text"),
}
_MODEL = _keys(option_texts.MODEL, "tools session_id", **_CALL)

_LOOP = _keys(
    option_texts.LOOP + option_texts.MODEL,
    profile=_one_of("tool_using", "researcher", "verifier", "completer"),
    native_tool_fallback=_one_of("allow", "allow_once", "reject"),
    compact_strategy=_one_of("truncate", "llm", "custom", "observation_mask"),
    iteration_budget=Expected(
        _keys(option_texts.BUDGET, mode=_one_of("fixed", "adaptive")).keys,
        ("fixed", "adaptive"),
        texts=option_texts.lines_of(option_texts.BUDGET),
    ),
    done_judge=_JUDGE,
    verify_completion_judge=_JUDGE,
    step_judge=_keys(
        option_texts.STEP_JUDGE,
        rubric=_one_of("default", "adversarial"),
        on_veto=_one_of("replace", "append"),
    ),
    stall_diagnostics=_keys(option_texts.STALL),
    skill_match=_keys(option_texts.SKILL_MATCH, strategy=_one_of("catalog", "metadata", "manual", "host")),
    approval_policy=_keys(option_texts.APPROVAL),
    command_policy=_keys(option_texts.COMMANDS),
    policy=_keys("", "tools capabilities workspace_roots side_effect_level tool_arg_constraints recursion_limit"),
    permissions=_keys("", "allow deny on_escalation"),
    mcp_servers=_MCP,
    reminders=_PROVIDERS,
    more="",
    **_CALL,
)
_MODES = _one_of(*MODES, texts=option_texts.MODES)
_CHILD = _keys(option_texts.CHILD)
_CALLS = (
    "llm_call", "llm_call_safe", "llm_stream", "llm_call_structured", "llm_call_structured_safe",
    "llm_call_structured_result",
)  # fmt: skip
_PLACES: dict[tuple[str, int], Expected] = {
    ("transcript.inject_reminder", 1): REMINDER,
    ("agent_session_inject_reminder", 1): REMINDER,
    ("transcript.clear_reminders", 1): _SELECTOR,
    ("agent_loop", 2): _LOOP,
    **dict.fromkeys([(name, 2) for name in _CALLS], _MODEL),
    ("llm_completion", 3): _MODEL,
    ("sub_agent_run", 1): Expected({**_LOOP.keys, **_CHILD.keys}, texts={**_LOOP.texts, **_CHILD.texts}),
    ("agent_session_open", 1): _keys(option_texts.SESSION),
    ("agent_reminder_providers_fire", 1): _REMINDER_EVENTS,
    ("agent_session_push_bridge_injection", 1): Expected(
        {**REMINDER.keys, "mode": _MODES}, texts={**REMINDER.texts, "mode": option_texts.MODE}
    ),
    ("agent_session_push_user_message", 1): _keys("", "content", mode=_MODES),
    ("register_tool_hook", 0): _keys(option_texts.TOOL_HOOK),
    ("register_checkpoint_hook", 0): _one_of(*SEAMS, items=_one_of(*SEAMS)),
    ("llm_mock", 0): _keys(option_texts.MOCK, error=_keys("", "category message status kind reason retry_after_ms")),
    ("register_session_hook", 0): _SESSION_EVENTS,
    ("register_persona_hook", 1): _PERSONA_EVENTS,
    ("register_step_hook", 2): _STEP_EVENTS,
    ("register_reminder_provider", 0): _keys(
        option_texts.PROVIDER, id=_PROVIDER_IDS, subscribes_to=_EVENTS, events=_EVENTS, event=_EVENTS
    ),
}


def expected_at(function: str, index: int, declarations: Declarations) -> Expected:
    """Return what an argument of a builtin may say; what no table knows, the builtin's documentation may."""
    return _PLACES.get((function, index)) or _documented(function, index, declarations)


@lru_cache(maxsize=64)
def _option_words(doc: str) -> tuple[str, ...]:
    found = _OPTIONS.search(doc)
    return tuple(dict.fromkeys(_WORDS.findall(_ASIDE.sub("", found[1])))) if found is not None else ()


def _documented(function: str, index: int, declarations: Declarations) -> Expected:
    """Return the options that the documentation of a builtin lists, for the argument that is a dict."""
    entry = declarations.entries.get(function)
    if entry is None or index >= len(entry[0]) or entry[0][index][0] not in {"options", "config", "selector", "opts"}:
        return ANYTHING
    words = set(_option_words(entry[4])) - {"off", "warn", "error"}
    return _keys("", " ".join(sorted(words)))
