"""What the dicts and names that builtins take may say, where it is known: for completion."""

from __future__ import annotations

import re
from functools import lru_cache

from harnlite.analysis.builtins import option_texts, options
from harnlite.reminders.enabled_providers import CANONICAL
from harnlite.reminders.hook_events import PERSONA_EVENTS, REMINDER_EVENTS, SESSION, STEP
from harnlite.reminders.seams import MODES, SEAMS
from harnlite.reminders.spec import PROPAGATE, ROLE_HINTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_QUOTED = re.compile(r'"([^"]*)"')
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


def _keys(block: str, more: str = "", /, **known: Expected) -> Expected:
    """Return a dict whose keys are explained in lines, and others that are options of loops or model calls too."""
    of_loops = option_texts.lines_of(option_texts.LOOP + option_texts.MODEL)
    texts = {**option_texts.lines_of(block), **{key: of_loops[key] for key in more.split()}}
    return Expected({**dict.fromkeys(texts, ANYTHING), **known}, texts=texts)


def _written(lines: Iterable[str]) -> Expected:
    """Return what lines of `path: type; meaning` say."""
    texts: dict[str, str] = {}
    below: dict[str, list[str]] = {}
    choices: dict[str, tuple[str, ...]] = {}
    for line in lines:
        path, _, said = line.partition(": ")
        name, _, rest = path.partition(".")
        if line.startswith('"'):
            choices[""] = tuple(_QUOTED.findall(line))
        elif rest:
            below.setdefault(name, []).append(f"{rest}: {said}")
        elif line:
            texts[name] = said
            choices[name] = tuple(_QUOTED.findall(said.partition(";")[0]))
    keys = {name: Expected(choices=choices[name]) for name in texts}
    for name, inner in below.items():
        key, is_list = name.removesuffix("[]"), name.endswith("[]")
        shape = _written(inner)
        keys[key] = Expected(items=shape) if is_list else shape
        said = f"{{{', '.join(shape.keys)}}}"
        texts.setdefault(key, f"list<dict>; each {said}" if is_list else f"dict; {said}")
    return Expected(keys, choices.get("", ()), texts=texts)


def _joined(one: Expected, other: Expected) -> Expected:
    """Return what either of two says, of what both know the first; deeper down likewise."""
    keys = {key: _joined(known, other.keys.get(key, ANYTHING)) for key, known in one.keys.items()}
    keys.update({key: shape for key, shape in other.keys.items() if key not in keys})
    return Expected(keys, one.choices or other.choices, one.items or other.items, {**other.texts, **one.texts})


def _one_of(*choices: str, texts: str = "", items: Expected | None = None) -> Expected:
    return Expected(choices=choices, items=items, texts=option_texts.lines_of(texts))


def _events(events: Iterable[str], *, snake_first: bool = False) -> Expected:
    """Return a choice of events in either spelling, and what they mean."""
    said = option_texts.lines_of(option_texts.EVENTS)
    pascal = {name: said.get(name, "") for name in events}
    snake = {_snake(name): text for name, text in pascal.items()}
    texts = {**snake, **pascal} if snake_first else {**pascal, **snake}
    return Expected(choices=tuple(texts), texts=texts)


def _snake(event: str) -> str:
    return _CAPITAL.sub("_", event).lower()


REMINDER = _keys(
    option_texts.REMINDER,
    propagate=_one_of(*PROPAGATE, texts=option_texts.PROPAGATE),
    role_hint=_one_of(*ROLE_HINTS, texts=option_texts.ROLE_HINTS),
)


def _effect(*lines: str) -> Expected:
    """Return what a closure may give back to leave a reminder, beside what else it decides."""
    own = _joined(Expected({"reminder": REMINDER}, texts={"reminder": option_texts.EFFECT}), _written(lines))
    return _joined(own, REMINDER)


_DENY = "deny: string; refuse the call with this text"
_ARGS = "args: dict | list; arguments in the place of those given"
_STEP_RESULT = _effect(_DENY, _ARGS, "output: any; a result in the place of the one there is")
_RESULTS: dict[tuple[str, str], Expected] = {
    ("register_reminder_provider", "evaluate"): _effect(),
    ("register_tool_hook", "pre"): _effect(_DENY, _ARGS),
    ("register_tool_hook", "post"): _effect("result: any; a result in the place of the one there is"),
    ("register_session_hook", ""): _effect(
        "block: bool; true stops what is about to happen",
        'decision: "allow" | "deny" | "ask"; the same in words',
        "reason: string; why",
        "modify: dict; a payload in the place of the one there is",
    ),
    ("register_checkpoint_hook", ""): _effect(),
    ("register_step_hook", ""): _STEP_RESULT,
    ("register_persona_hook", ""): _STEP_RESULT,
    ("agent_loop", "loop_control"): _written(
        (
            'action: "none" | "extend" | "stop"; what is to happen',
            "by: int; so many more turns",
            "until: int; a new limit for the turns",
            "status: string; how the loop ends (stopped)",
            "reason: string; why",
        )
    ),
    ("agent_loop", "verify_completion"): _written(
        ("confirm: bool; false sends the model back to work", "message: string; what it is told")
    ),
    ("with_consent", ""): _written(
        (
            'decision: "approved" | "denied" | "auto"; what was decided',
            "reason: string; why",
            "decided_by: string; by whom",
        )
    ),
}
"""What a closure may give back, by the builtin that takes it and the key of its options."""
_SELECTOR = _keys(option_texts.SELECTOR)
_JUDGE = _keys(option_texts.JUDGE, "model provider temperature max_tokens top_p tool_format reasoning_effort")
_REMINDER_EVENTS = _events(sorted(REMINDER_EVENTS))
_EVENTS = Expected(choices=_REMINDER_EVENTS.choices, items=_REMINDER_EVENTS, texts=_REMINDER_EVENTS.texts)
_SAID = option_texts.lines_of(option_texts.PROVIDERS)
_PROVIDER_IDS = Expected(choices=tuple(CANONICAL), texts=_SAID)
_LISTED = Expected(
    choices=(*CANONICAL, *(f"-{name}" for name in CANONICAL)),
    texts={**_SAID, **{f"-{name}": f"without it: {said}" for name, said in _SAID.items()}},
)
_PROVIDERS = Expected(
    {
        "providers": Expected(items=_LISTED),
        "config": Expected(dict.fromkeys(CANONICAL, ANYTHING), texts={name: f"dict; {_SAID[name]}" for name in _SAID}),
    },
    items=_LISTED,
)
_COMMANDS = _keys(option_texts.COMMANDS)
_PERSONA_EVENTS = _events(sorted(PERSONA_EVENTS))
_STEP_EVENTS = _events(STEP)
_SESSION_EVENTS = _events(SESSION, snake_first=True)
_CALL: dict[str, Expected] = {
    "tool_format": _one_of("native", "text", texts=option_texts.TOOL_FORMATS),
    "reasoning_effort": _one_of("none", "minimal", "low", "medium", "high", "xhigh"),
    "output_validation": _one_of("off", "warn", "error"),
    "response_format": _one_of("json", "json_object", "text"),
}
_MODEL = _keys(option_texts.MODEL, "tools session_id tool_format", **_CALL)

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
    command_policy=_COMMANDS,
    compaction=Expected(
        {
            "strategy": _one_of(
                "hybrid", "truncate", "summarize", "summarize_all", "summarize_middle", "observation_mask"
            )
        }
    ),
    policy=_written(options.lines_about("with_execution_policy", 0)),
    reminders=_PROVIDERS,
    **_CALL,
)
_CHILD = _keys(option_texts.CHILD)
_SUB_LOOP = Expected({**_LOOP.keys, **_CHILD.keys}, texts={**_LOOP.texts, **_CHILD.texts})
_MODES = _one_of(*MODES, texts=option_texts.MODES)
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
    ("agent_turn", 1): _LOOP,
    ("sub_agent_run", 1): _SUB_LOOP,
    ("sub_agent_request", 1): _SUB_LOOP,
    ("command_policy", 0): _COMMANDS,
    ("command_policy_push", 0): _COMMANDS,
    ("transcript_reminder_event", 0): REMINDER,
    ("agent_session_open", 1): _keys(option_texts.SESSION),
    ("agent_reminder_providers_fire", 1): _REMINDER_EVENTS,
    ("agent_session_push_bridge_injection", 1): Expected(
        {**REMINDER.keys, "mode": _MODES}, texts={**REMINDER.texts, "mode": option_texts.MODE}
    ),
    ("agent_session_push_user_message", 1): _keys(option_texts.MESSAGE, mode=_MODES),
    ("register_tool_hook", 0): _keys(option_texts.TOOL_HOOK),
    ("register_checkpoint_hook", 0): _one_of(*SEAMS, items=_one_of(*SEAMS)),
    ("llm_mock", 0): _keys(option_texts.MOCK),
    ("register_session_hook", 0): _SESSION_EVENTS,
    ("register_persona_hook", 1): _PERSONA_EVENTS,
    ("register_step_hook", 2): _STEP_EVENTS,
    ("register_reminder_provider", 0): _keys(
        option_texts.PROVIDER, id=_PROVIDER_IDS, subscribes_to=_EVENTS, events=_EVENTS, event=_EVENTS
    ),
}


def result_expected(function: str, key: str) -> Expected:
    """Return what a dict may say that a closure gives back which stands under a key of options, or by itself."""
    return _RESULTS.get((function, key), ANYTHING)


@lru_cache(maxsize=64)
def expected_at(function: str, index: int) -> Expected:
    """Return what an argument of a builtin, or of a function of std, may say."""
    return _joined(_PLACES.get((function, index), ANYTHING), _written(options.lines_about(function, index)))
