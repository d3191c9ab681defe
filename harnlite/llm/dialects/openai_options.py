"""The options of a call as fields of a request in the API of OpenAI and of compatible hosts."""

from __future__ import annotations

import re

from harnlite.formats.json.writing import json_text
from harnlite.llm.dialects import compatible_hosts as quirk
from harnlite.llm.dialects.answer_schemas import ANSWER, is_object, standard_schema, strict_schema
from harnlite.llm.dialects.compatible_hosts import quirks_of
from harnlite.llm.dialects.parameters import merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.dialect import Host

    Fields = dict[str, Any]

_HANDLED = frozenset(
    {"max_tokens", "temperature", "top_p", "top_k", "frequency_penalty", "presence_penalty", "seed", "stop"}
    | {"logprobs", "output_format", "thinking", "reasoning_effort"}
)
"""The options that the functions in this module read."""

_LOCAL = frozenset(
    {"timeout", "idle_timeout", "user_visible", "completion", "cache", "prefill", "vision", "audio", "pdf"}
    | {"api_mode", "force_native_tool_search", "provider_tools", "model", "provider", "tool_format"}
    | {"messages", "input", "stream", "stream_options", "tool_choice"}
)
"""The options that never are fields of a request; some of them have been read before."""

_ELSEWHERE = ("interleaved_thinking", "anthropic_beta_features")
"""The options that these vendors do not have."""

MODES = frozenset({"disabled", "enabled", "adaptive", "effort"})
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
_USUAL_EFFORT = "medium"
_BUDGETS = ((4096, "low"), (16_384, "medium"))
_MOST_STOPS = 4

_REASONING_MODEL = re.compile(r"(o\d|gpt-([5-9]|\d\d)|codex|computer-use)")
_GPT_VERSION = re.compile(r"gpt-(\d+)(?:\.(\d+))?")
_GROK = re.compile(r"grok-([4-9]|\d\d)")
_GROK_REFUSES = ("frequency_penalty", "presence_penalty", "stop")
_OPENAI_ITSELF = ("openai", "azure_openai")
_VENDORS = ("openai", "azure_openai", "openrouter")
_SAMPLING = ("temperature", "top_p", "frequency_penalty", "presence_penalty", "logprobs", "stop")
"""The options that reasoning models refuse."""


class Notes:
    """The notes about a request: each says what is not sent, or is sent in another form."""

    __slots__ = ("_provider", "texts")

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self.texts: list[str] = []

    def add(self, text: str) -> None:
        """Add a note, once."""
        if text not in self.texts:
            self.texts.append(text)

    def unsent(self, option: str, reason: str = "") -> None:
        """Note that an option is not sent."""
        self.add(f"option '{option}' is not sent to {self._provider}{f': {reason}' if reason else ''}")


def is_reasoning_model(model: str, host: Host) -> bool:
    """Return whether a model is of the o-series or later: it takes an effort, but no temperature and no penalties."""
    name = model.lower().rpartition("/")[2]
    flags = host.flags
    if "-chat" in name:
        return False
    if flags.get("requires_completion_tokens") is True and flags.get("accepts_temperature") is not True:
        return True
    # Models that are newer than the table of capabilities are recognised by their names.
    return host.provider in _VENDORS and _REASONING_MODEL.match(name) is not None


def takes_completion_tokens(model: str, host: Host) -> bool:
    """Return whether the output limit of a model is sent as `max_completion_tokens`."""
    needs = quirk.COMPLETION_TOKENS in quirks_of(host) or host.flags.get("requires_completion_tokens") is True
    return needs or is_reasoning_model(model, host)


def _refused_options(model: str, host: Host) -> tuple[str, ...]:
    """Return the options that a model refuses although its host has them."""
    if is_reasoning_model(model, host):
        return _SAMPLING
    if quirk.PLAIN_REASONING in quirks_of(host) and _GROK.match(model.lower()):
        return _GROK_REFUSES
    return ()


def sampling_fields(request: ChatRequest, host: Host, notes: Notes, *, has_chat_fields: bool = True) -> Fields:
    """Return the fields for sampling; the Responses API has only the temperature and `top_p`."""
    options, quirks = request.options, quirks_of(host)
    refused = _refused_options(request.model, host)
    fields: Fields = {}

    def take(option: str, *, is_known: bool = True, name: str = "") -> None:
        if options.get(option) is None:
            return
        if option in refused:
            notes.unsent(option, f"{request.model} does not accept it")
        elif is_known:
            fields[name or option] = options[option]
        else:
            notes.unsent(option)

    take("temperature")
    take("top_p")
    take("top_k", is_known=has_chat_fields and quirk.TOP_K in quirks)
    for option in ("frequency_penalty", "presence_penalty"):
        take(option, is_known=has_chat_fields and quirk.PENALTIES in quirks)
    if quirk.RANDOM_SEED in quirks:
        take("seed", name="random_seed")
    else:
        take("seed", is_known=has_chat_fields and quirk.SEED in quirks)
    take("stop", is_known=has_chat_fields)
    stops = fields.get("stop")
    if isinstance(stops, list) and len(stops) > _MOST_STOPS:
        fields["stop"] = stops[:_MOST_STOPS]
        notes.add(f"only the first {_MOST_STOPS} values of option 'stop' are sent to {host.provider}")
    return fields


def log_probabilities(request: ChatRequest, host: Host, notes: Notes) -> int | None:
    """Return the number of alternatives for which log probabilities are requested, or None if none are requested."""
    wanted = request.options.get("logprobs")
    if wanted is None or wanted is False:
        return None
    if quirk.LOGPROBS not in quirks_of(host) and host.provider != "openai":
        notes.unsent("logprobs")
        return None
    if is_reasoning_model(request.model, host):
        notes.unsent("logprobs", f"{request.model} does not accept it")
        return None
    return wanted if wanted.__class__ is int else 0


def output_limit(request: ChatRequest, host: Host, notes: Notes, least: int = 1) -> int | None:
    """Return the maximum number of output tokens, which never exceeds that of the model."""
    wanted = request.options.get("max_tokens")
    if wanted.__class__ is not int or wanted < 1:
        return None
    if host.max_output is not None and wanted > host.max_output:
        notes.add(f"option 'max_tokens' is sent as {host.max_output}, the most that {request.model} accepts")
        return host.max_output
    if wanted < least:
        notes.add(f"option 'max_tokens' is sent as {least}, the least that {host.provider} accepts")
    return max(wanted, least)


# Thinking


def effort_of(request: ChatRequest, notes: Notes) -> str | None:
    """Return the effort that a call asks of a model, or None if it asks for none."""
    options = request.options
    thinking = options.get("thinking")
    mode = thinking.get("mode") if isinstance(thinking, dict) else None
    if mode == "effort" and isinstance(thinking, dict):
        level = thinking.get("level")
        return level if isinstance(level, str) else None
    if mode in ("enabled", "adaptive") and isinstance(thinking, dict):
        budget = thinking.get("budget_tokens")
        if budget.__class__ is not int:
            return _USUAL_EFFORT
        effort = next((name for limit, name in _BUDGETS if budget <= limit), "high")
        notes.add(f"option 'thinking.budget_tokens' is sent to {request.provider} as the effort '{effort}'")
        return effort
    level = options.get("reasoning_effort")
    return level if isinstance(level, str) else None


def nearest_effort(model: str, effort: str, notes: Notes) -> str:
    """Return the effort that a model of OpenAI has and that is nearest to the wanted one."""
    known = _efforts_of(model.lower().rpartition("/")[2])
    if effort in known or effort not in _EFFORTS:
        return effort
    rank = _EFFORTS.index(effort)
    nearest = min(known, key=lambda name: abs(_EFFORTS.index(name) - rank))
    notes.add(f"the reasoning effort '{effort}' is sent to {model} as '{nearest}'")
    return nearest


def _efforts_of(model: str) -> tuple[str, ...]:
    if re.match(r"o\d", model):
        return _EFFORTS[2:5]
    found = _GPT_VERSION.match(model)
    if found is None:
        return _EFFORTS
    version = (int(found[1]), int(found[2] or 0))
    if version == (5, 0):
        if "-pro" in model:
            return ("high",)
        return _EFFORTS[2:5] if "codex" in model else _EFFORTS[1:5]
    if version == (5, 1):
        known = ("none", *_EFFORTS[2:5])
        return (*known, "xhigh") if "-max" in model else known
    if version < (5, 0):
        return _EFFORTS
    return _EFFORTS[3:] if "-pro" in model else ("none", *_EFFORTS[2:])


def thinking_fields(request: ChatRequest, host: Host, notes: Notes) -> Fields:
    """Return the fields for thinking in the form that a host of Chat Completions takes."""
    thinking = request.options.get("thinking")
    fields: Fields = thinking if isinstance(thinking, dict) else {}
    if fields and fields.get("mode") not in MODES:
        return {"thinking": fields}  # in the form of the vendor
    quirks = quirks_of(host)
    budget = fields.get("budget_tokens")
    if budget.__class__ is int and quirk.REASONING in quirks:
        return {"reasoning": {"max_tokens": budget}}
    if budget.__class__ is int and quirk.ENABLE_THINKING in quirks:
        return {"enable_thinking": True, "thinking_budget": budget}
    effort = effort_of(request, notes)
    if effort is None:
        return {}
    if not _takes_effort(request.model, host):
        notes.unsent("thinking" if fields else "reasoning_effort", f"{request.model} does not accept it")
        return {}
    if quirk.REASONING in quirks and not (fields.get("level") or request.options.get("reasoning_effort")):
        return {"reasoning": {"enabled": True}}
    form = next((form for form in _THINKING_FORMS if form in quirks), None)
    if form is None:
        notes.unsent("thinking" if fields else "reasoning_effort")
        return {}
    return _THINKING_FORMS[form](request.model, effort, notes)


def _takes_effort(model: str, host: Host) -> bool:
    """Return whether a model takes an effort; only OpenAI and xAI refuse it for some of their models."""
    if host.provider in _OPENAI_ITSELF:
        return is_reasoning_model(model, host)
    return quirk.PLAIN_REASONING not in quirks_of(host) or _GROK.match(model.lower()) is None


def _as_effort(model: str, effort: str, notes: Notes) -> Fields:
    return {"reasoning_effort": nearest_effort(model, effort, notes)}


def _as_type(_model: str, effort: str, _notes: Notes) -> Fields:
    return {"thinking": {"type": "disabled" if effort == "none" else "enabled"}}


def _as_template(model: str, effort: str, _notes: Notes) -> Fields:
    if "gpt-oss" in model:
        return {"reasoning_effort": effort}
    return {"chat_template_kwargs": {"enable_thinking": effort != "none"}}


def _as_mode(model: str, effort: str, _notes: Notes) -> Fields:
    if model.startswith("magistral"):
        return {} if effort == "none" else {"prompt_mode": "reasoning"}
    return {"reasoning_effort": "none" if effort == "none" else "high"}


_THINKING_FORMS: dict[str, Callable[[str, str, Notes], Fields]] = {
    quirk.REASONING: lambda _model, effort, _notes: {"reasoning": {"effort": effort}},
    quirk.THINKING_TYPE: lambda _model, effort, _: {
        "thinking": {"type": "disabled" if effort == "none" else "enabled"}
    },
    quirk.ENABLE_THINKING: lambda _model, effort, _notes: {"enable_thinking": effort != "none"},
    quirk.TEMPLATE_THINKING: _as_template,
    quirk.PROMPT_MODE: _as_mode,
    quirk.EFFORT: _as_effort,
}


# Structured answers

_WITH_SCHEMA = "Answer only with JSON that matches this JSON Schema:\n{schema}"
_AS_JSON = "Answer only with JSON."


class AnswerFormat:
    """The form of a structured answer: a field of the request, or a sentence for the model, or both."""

    __slots__ = ("field", "needs_word", "sentence")

    def __init__(self, field: Fields | None = None, sentence: str | None = None, *, needs_word: bool = False) -> None:
        self.field = field
        self.sentence = sentence
        self.needs_word = needs_word
        """Whether the sentence is only necessary if no message contains the word JSON."""


def answer_format(request: ChatRequest, host: Host, notes: Notes) -> AnswerFormat:
    """Return the form in which a structured answer is requested.

    The field is `{type: "json_object"}` or `{type: "json_schema", name, strict?, schema}`. Where a host cannot enforce
    the schema, the sentence contains it. A request for any JSON object contains the word JSON, because OpenAI refuses
    it otherwise: if no message does, the sentence adds it.
    """
    wanted = request.options.get("output_format")
    kind = wanted.get("kind") if isinstance(wanted, dict) else None
    if not isinstance(wanted, dict) or kind not in ("json_object", "json_schema"):
        return AnswerFormat()
    quirks = quirks_of(host)
    schema = wanted.get("schema")
    is_plain = quirk.JSON_OBJECT in quirks and not (request.tools and quirk.JSON_WITHOUT_TOOLS in quirks)
    plain = {"type": "json_object"} if is_plain else None
    if kind == "json_object" or not isinstance(schema, dict):
        return AnswerFormat(plain, _AS_JSON, needs_word=True)
    schema = standard_schema(schema)
    if not is_object(schema):
        notes.add(f"the schema of the answer is sent to {host.provider} as text: it does not describe an object")
        return AnswerFormat(None, _described(schema))
    if not _enforces_schemas(host, quirks):
        notes.add(f"the schema of the answer is sent to {host.provider} as text")
        return AnswerFormat(plain, _described(schema))
    strict = strict_schema(schema) if wanted.get("strict") else None
    if wanted.get("strict") and strict is None:
        notes.add("the schema of the answer is sent without 'strict': it is not closed or has optional keys")
    field: Fields = {"type": "json_schema", "name": ANSWER}
    if strict is not None:
        field["strict"] = True
    return AnswerFormat({**field, "schema": schema if strict is None else strict})


def _enforces_schemas(host: Host, quirks: Iterable[str]) -> bool:
    if quirk.JSON_SCHEMA not in quirks:
        return False
    return quirk.ANY_MODEL_SCHEMA in quirks or host.flags.get("structured_output", "native") in ("native", "tool_use")


def _described(schema: Fields) -> str:
    return _WITH_SCHEMA.format(schema=json_text(schema))


# The options of a provider


def with_own(body: Fields, request: ChatRequest, notes: Notes, handled: Iterable[str] = ()) -> Fields:
    """Return the body with the fields that a script specifies for this provider."""
    known = _HANDLED | _LOCAL | {*_ELSEWHERE, *handled}
    for name in _ELSEWHERE:
        if request.options.get(name):
            notes.unsent(name)
    extra = {name: value for name, value in request.options.items() if name not in known}
    return merged(body, {name: value for name, value in extra.items() if not name.startswith(("_", "x-harn-"))})
