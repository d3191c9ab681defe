"""Functions that read the compaction options of loops, transcripts, sessions and plain lists of messages."""

from __future__ import annotations

from harnlite.llm.tokens import message_bytes
from harnlite.options.compaction import LIMITS, LOOP_COMPACTION, MESSAGES_COMPACTION, SESSION_COMPACTION
from harnlite.options.defaults import defaults, names
from harnlite.values.data_types import is_callable
from harnlite.values.display import display
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.reminders.transcript import Transcript

    Options = dict[str, object]

LLM, TRUNCATE, CUSTOM, MASK = STRATEGIES = "llm", "truncate", "custom", "observation_mask"
_LIMITS, _MESSAGES, _POLICY = defaults(LIMITS), defaults(MESSAGES_COMPACTION), defaults(LOOP_COMPACTION)
_SESSION = defaults(SESSION_COMPACTION)
_BYTES_PER_TOKEN = 4
_POLICIES = {
    "truncate": TRUNCATE,
    "summarize": LLM,
    "summarize_all": LLM,
    "summarize_middle": LLM,
    "hybrid": LLM,
    "llm": LLM,
}
"""The engine for each strategy of the option `compaction`; any other name means observation masking."""

SESSION_KEYS = names(SESSION_COMPACTION)


class Settings:
    """The settings of a compaction, and an incremental estimate of the tokens of one growing transcript."""

    __slots__ = (
        "_bytes",
        "_counted",
        "_last",
        "compactor",
        "compress_callback",
        "engine",
        "hard_limit_strategy",
        "hard_limit_tokens",
        "instructions",
        "keep_first",
        "keep_last",
        "mask_callback",
        "replaces_instructions",
        "strategy",
        "summarize_prompt",
        "summary",
        "target_tokens",
        "threshold",
        "tool_output_max_chars",
    )

    def __init__(self, engine: str = MASK, strategy: str | None = None) -> None:
        self.engine = engine
        self.strategy = strategy or engine
        self.keep_first: int = _LIMITS["keep_first"]
        self.keep_last: int = _LIMITS["keep_last"]
        self.threshold: int = _MESSAGES["compact_threshold"]
        self.target_tokens: int | None = None
        self.hard_limit_tokens: int | None = None
        self.hard_limit_strategy: str = _LIMITS["hard_limit_strategy"]
        self.tool_output_max_chars: int | None = None
        self.summarize_prompt: str | None = None
        self.summary: str | None = None
        self.compactor: Callable[..., object] | None = None
        self.mask_callback: Callable[..., object] | None = None
        self.compress_callback: Callable[..., object] | None = None
        self.instructions: list[str] = []
        self.replaces_instructions = False
        self._bytes = 0
        self._counted = 0
        self._last: object = None

    def estimate(self, transcript: Transcript) -> int:
        """Return an estimate of the tokens in a transcript; after appends, only the new messages are read."""
        start = self._counted
        fresh = transcript.messages_from(start - 1) if 0 < start <= transcript.message_count else []
        if start and fresh and fresh[0] is self._last:
            fresh = fresh[1:]
        else:
            self._bytes = 0
            fresh = transcript.messages_from(0)
        self._bytes += sum(map(message_bytes, fresh))
        self._counted = transcript.message_count
        if fresh:
            self._last = fresh[-1]
        return self._bytes // _BYTES_PER_TOKEN


# Single options


def _count(options: Options, key: str, function: str) -> int | None:
    """Return an option that is a non-negative int, or None if it is omitted."""
    value = options.get(key)
    if value is None:
        return None
    if value.__class__ is not int or value < 0:
        raise runtime_error(f"{function}: {_quoted(function, key)} must be >= 0")
    return value


def _quoted(function: str, key: str) -> str:
    return key if function == "transcript_compact" else f"`{key}`"


def _strategy(value: object) -> str:
    if isinstance(value, str) and value in STRATEGIES:
        return value
    expected = "'llm', 'truncate', 'custom', or 'observation_mask'"
    raise runtime_error(f"unknown compact_strategy '{display(value)}' (expected {expected})")


def _closure(options: Options, key: str) -> Callable[..., object] | None:
    value = options.get(key)
    return value if is_callable(value) else None


def _compactor(options: Options, engine: str, key: str) -> Callable[..., object] | None:
    value = options.get(key)
    if engine == CUSTOM and value is None:
        raise runtime_error("compact_callback is required when compact_strategy is 'custom'")
    if value is not None and not is_callable(value):
        raise runtime_error("compact_callback must be a closure when compact_strategy is 'custom'")
    return value


def _chosen(options: Options, key: str, callback: str) -> str:
    """Return the strategy in an option; if it is omitted, a compaction callback implies `custom`."""
    value = options.get(key)
    if value is None:
        return MASK if options.get(callback) is None else CUSTOM
    return _strategy(value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _instruct(settings: Settings, *sources: object) -> None:
    """Read the instructions for a summary from options and from the policies in them."""
    for source in sources:
        if isinstance(source, str):
            settings.instructions.append(source)
        elif isinstance(source, dict):
            text = _text(source.get("instructions"))
            settings.instructions += [text] if text else []
            for key, verb in (("preserve", "Keep"), ("drop", "Omit")):
                wanted = source.get(key)
                items = wanted if isinstance(wanted, list) else [] if wanted is None else [wanted]
                settings.instructions += [f"{verb}: {display(item)}" for item in items]
            if source.get("extend_default_instructions") is False:
                settings.replaces_instructions = True


def _read_limits(settings: Settings, options: Options, function: str) -> None:
    """Read the limits and callbacks, which all compactions share."""
    for key in ("keep_first", "keep_last", "tool_output_max_chars", "hard_limit_tokens"):
        value = _count(options, key, function)
        if value is not None:
            setattr(settings, key, value)
    if options.get("hard_limit_strategy") is not None:
        settings.hard_limit_strategy = _strategy(options["hard_limit_strategy"])
    settings.mask_callback = _closure(options, "mask_callback")
    settings.compress_callback = _closure(options, "compress_callback")


# The four kinds of options


def message_settings(options: Options, function: str = "transcript_auto_compact") -> Settings:
    """Read the options of `transcript_auto_compact`."""
    settings = Settings(_chosen(options, "compact_strategy", "compact_callback"))
    settings.compactor = _compactor(options, settings.engine, "compact_callback")
    _read_limits(settings, options, function)
    for key in ("compact_threshold", "token_threshold"):
        value = _count(options, key, function)
        if value is not None:
            settings.threshold = value
    settings.summarize_prompt = _text(options.get("summarize_prompt"))
    _instruct(settings, options)
    return settings


def transcript_settings(options: Options) -> Settings:
    """Read the options of `transcript_compact`."""
    function = "transcript_compact"
    compactor = options.get("custom_compactor")
    if compactor is not None and not is_callable(compactor):
        raise thrown(f"{function}: custom_compactor must be a closure")
    key = "compact_strategy" if options.get("strategy") is None else "strategy"
    settings = Settings(_chosen(options, key, "custom_compactor"))
    if settings.engine == CUSTOM and compactor is None:
        raise thrown(f"{function}: custom_compactor is required with strategy 'custom'")
    settings.compactor = compactor
    _read_limits(settings, options, function)
    settings.target_tokens = _count(options, "target_tokens", function)
    if options.get("summarize_prompt") is not None and settings.engine != LLM:
        raise runtime_error(f"{function}: summarize_prompt is only supported with strategy 'llm'")
    settings.summarize_prompt = _text(options.get("summarize_prompt"))
    settings.summary = _text(options.get("summary"))
    _instruct(settings, options)
    return settings


def session_settings(options: Options) -> Settings:
    """Read the options of `agent_session_compact`."""
    function = "agent_session_compact"
    unknown = sorted(set(options) - set(SESSION_KEYS))
    if unknown:
        raise thrown(f"{function}: unknown option key '{unknown[0]}' (expected one of: {', '.join(SESSION_KEYS)})")
    settings = Settings(_chosen(options, "compact_strategy", "custom_compactor"))
    settings.compactor = _compactor(options, settings.engine, "custom_compactor")
    _read_limits(settings, options, function)
    threshold = _count(options, "token_threshold", function)
    settings.threshold = _SESSION["token_threshold"] if threshold is None else threshold
    _instruct(settings, options, *(options.get(key) for key in ("policy", "compaction_policy", "compaction_request")))
    return settings


def settings_of(options: Options) -> Settings | None:
    """Read the compaction options of a loop; return None if compaction is off."""
    compaction, auto, threshold = (options.get(key) for key in ("compaction", "auto_compact", "compact_threshold"))
    if compaction is None and auto is None and threshold is None:
        return None
    if _is_off(compaction, "none") or auto is False or (isinstance(auto, dict) and auto.get("enabled") is False):
        return None
    flat = {
        "compact_threshold": threshold,
        "keep_last": options.get("compact_keep_last"),
        "compact_strategy": options.get("compact_strategy"),
        "compact_callback": options.get("compact_callback"),
    }
    wins: Options = auto if isinstance(auto, dict) else {}
    named = _policy(compaction)
    given = {key: value for source in (named, flat) for key, value in source.items() if value is not None}
    settings = message_settings({**given, **wins}, "agent_loop")
    if "policy_name" in named and settings.engine == named["compact_strategy"]:
        settings.strategy = str(named["policy_name"])
    _instruct(settings, named.get("policy"))
    return settings


def _is_off(value: object, name: str) -> bool:
    if isinstance(value, dict):
        value = _named(value)
    return value is False or value == name


def _named(policy: Options) -> object:
    return next(
        (policy[key] for key in ("strategy", "kind", "type") if policy.get(key) is not None), _POLICY["strategy"]
    )


def _policy(value: object) -> Options:
    """Convert the option `compaction` to plain options: the engine of its strategy, and the messages to keep."""
    if value is None:
        return {}
    fields: Options = value if isinstance(value, dict) else {}
    name = _named(fields) if isinstance(value, dict) or value is True else value
    keep = fields.get("keep_last", fields.get("keep_last_n"))
    engine = _POLICIES.get(name, MASK) if isinstance(name, str) else MASK
    return {"policy_name": name, "compact_strategy": engine, "keep_last": keep, "policy": fields.get("policy")}
