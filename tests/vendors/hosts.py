"""The hosts that follow OpenAI's chat API, with what each of them does differently."""

import dataclasses
import re
import typing
from collections.abc import Callable

from tests.vendors import openai_shapes as shapes
from tests.vendors.api import Body
from tests.vendors.checks import (
    Check,
    Invalid,
    Record,
    Refused,
    anything,
    array,
    between,
    boolean,
    integer,
    mapping,
    nullable,
    one_of,
    record,
    string,
    tagged,
    text_or,
)  # fmt: skip
from tests.vendors.openai_rules import check_format, check_openai_model, check_tools, check_turns, explain

ErrorStyle = typing.Literal["openai", "openrouter", "mistral", "vllm"]
Rule = Callable[[Body], None]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What distinguishes a host."""

    mount: str
    models: tuple[str, ...]
    shape: Record
    rules: tuple[Rule, ...]
    reasoning_field: str | None = None
    error_style: ErrorStyle = "openai"
    ids: tuple[str, int] = ("call_", 24)
    ping: bytes = b""
    key_required: bool = True
    usage_always: bool = False  # the last chunk of a stream has the usage without being asked
    explain: Callable[[Invalid], Refused] = explain


def _stream_options(body: Body) -> None:
    if body.get("stream_options") and not body.get("stream"):
        text = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        raise Refused(400, text, param="stream_options")


def _turns(body: Body) -> None:
    check_turns(body["messages"])


def _groq_names(finding: Invalid) -> Refused:
    if finding.kind == "unknown" and len(finding.path) == 3 and finding.path[0] == "messages":
        place = f"messages.{finding.path[1]}"
        return Refused(
            400,
            f"'{place}' : for 'role:user' the following must be satisfied[('{place}' : property '{finding.path[2]}' is "
            "unsupported)]",
        )
    if finding.kind == "unknown":
        return Refused(400, f"property '{finding.path[-1]}' is unsupported")
    return explain(finding)


def _groq(body: Body) -> None:
    if (body.get("response_format") or {}).get("type") == "json_object" and body.get("tools"):
        raise Refused(400, "json mode cannot be combined with tool/function calling", param="response_format")
    for name in ("logprobs", "top_logprobs", "logit_bias"):
        if body.get(name):
            raise Refused(400, f"property '{name}' is unsupported")
    if body.get("n", 1) != 1:
        raise Refused(400, "'n' : number must be at most 1")


def _one_system_message_first(body: Body) -> None:
    for index, message in enumerate(body["messages"]):
        if message["role"] == "system" and index:
            raise Refused(400, "System message must be at the beginning.")


def _deepseek(body: Body) -> None:
    messages = body["messages"]
    users = [index for index, message in enumerate(messages) if message["role"] == "user"]
    thinks = body["model"] == "deepseek-reasoner" or (body.get("thinking") or {}).get("type") == "enabled"
    for index, message in enumerate(messages[users[-1] :] if users else [], users[-1] if users else 0):
        if thinks and message.get("tool_calls") and "reasoning_content" not in message:
            raise Refused(400, f"Missing `reasoning_content` field in the assistant message at message index {index}")


def _xai(body: Body) -> None:
    if re.match(r"grok-(4|[5-9])", body["model"]):
        for name in ("presence_penalty", "frequency_penalty", "stop"):
            if body.get(name):
                raise Refused(400, f"Argument not supported on this model: {name}")


def _openrouter(body: Body) -> None:
    parts = [
        part
        for message in body["messages"]
        if isinstance(message.get("content"), list)
        for part in message["content"]
        if part.get("cache_control")
    ]
    if body["model"].startswith("anthropic/") and len(parts) > 4:
        raise Refused(400, f"A maximum of 4 blocks with cache_control may be provided. Found {len(parts)}.")


def _mistral_explain(finding: Invalid) -> Refused:
    return Refused(422, finding.detail, code=finding.kind, param="\0".join(["body", *map(str, finding.path)]))


def _mistral(body: Body) -> None:
    messages = body["messages"]
    order = "invalid_request_message_order"
    previous = ""
    for message in messages:
        role = message["role"]
        for call in message.get("tool_calls") or []:
            _nine_characters(call["id"])
        if role == "tool":
            _nine_characters(message["tool_call_id"])
        if (previous, role) in {("tool", "user"), ("tool", "system"), ("user", "system"), ("assistant", "system")}:
            raise Refused(400, f"Unexpected role '{role}' after role '{previous}'", code=order)
        previous = role
    if previous not in {"user", "tool"} and not messages[-1].get("prefix"):
        raise Refused(
            400,
            f"Expected last role User or Tool (or Assistant with prefix True) for serving but got {previous}",
            code=order,
        )


def _nine_characters(identifier: str) -> None:
    if not re.fullmatch(r"[a-zA-Z0-9]{9}", identifier):
        text = f"Tool call id was {identifier} but must be a-z, A-Z, 0-9, with a length of 9."
        raise Refused(400, text, code="invalid_function_call")


_MISTRAL_CALL = record(
    {"id": string, "function": record({"name": string, "arguments": text_or(mapping)})},
    type=one_of("function"),
    index=integer,
)
_MISTRAL_TEXT = record({**shapes.TYPE, "text": string})
_MISTRAL_PART = tagged(
    "type",
    {
        "text": _MISTRAL_TEXT,
        "image_url": record({**shapes.TYPE, "image_url": text_or(record({"url": string}, detail=string))}),
        "thinking": record({**shapes.TYPE, "thinking": array(_MISTRAL_TEXT)}, closed=boolean),
    },
)
_MISTRAL_CONTENT = {"content": text_or(array(_MISTRAL_PART))}
_MISTRAL_MESSAGES = array(
    tagged(
        "role",
        {
            "system": record({**shapes.ROLE, **_MISTRAL_CONTENT}),
            "user": record({**shapes.ROLE, **_MISTRAL_CONTENT}),
            "assistant": record(
                shapes.ROLE,
                content=nullable(_MISTRAL_CONTENT["content"]),
                tool_calls=nullable(array(_MISTRAL_CALL)),
                prefix=boolean,
            ),
            "tool": record({**shapes.ROLE, **_MISTRAL_CONTENT}, tool_call_id=nullable(string), name=nullable(string)),
        },
    ),
    1,
)
_MISTRAL_BODY = shapes.body(
    {
        **shapes.COMMON,
        "tools": nullable(array(shapes.FUNCTION_TOOL)),
        "tool_choice": text_or(mapping, one_of("auto", "none", "any", "required")),
        "random_seed": nullable(integer),
        "metadata": nullable(mapping),
        "n": nullable(integer),
        "prediction": mapping,
        "parallel_tool_calls": boolean,
        "reasoning_effort": nullable(string),
        "prompt_mode": nullable(string),
        "safe_prompt": boolean,
    },
    _MISTRAL_MESSAGES,
)
_RULES = (_stream_options, check_tools, check_format, _turns)
_DEFAULT = shapes.messages()
_REASONING: dict[str, Check] = {"reasoning": nullable(mapping), "reasoning_effort": shapes.EFFORT}
_VLLM_ONLY: dict[str, Check] = {"chat_template_kwargs": mapping, "ignore_eos": boolean}

HOSTS: dict[str, Host] = {
    "openai": Host(
        mount="/v1",
        models=("gpt-4o", "gpt-5", "o3"),
        shape=shapes.body(shapes.OPENAI, _DEFAULT),
        rules=(check_openai_model, *_RULES),
    ),
    "local": Host(
        mount="/v1",
        models=("Qwen/Qwen3-8B",),
        shape=shapes.body(
            {**shapes.USUAL, **shapes.SAMPLERS, **_VLLM_ONLY},
            shapes.messages(developer=False, assistant={"reasoning": string, "reasoning_content": string}),
        ),
        rules=(*_RULES, _one_system_message_first),
        reasoning_field="reasoning_content",
        error_style="vllm",
        ids=("chatcmpl-tool-", 32),
        key_required=False,
    ),
    "openrouter": Host(
        mount="/api/v1",
        models=("anthropic/claude-sonnet-4.6", "openai/gpt-4o"),
        shape=shapes.body(
            {
                **shapes.USUAL, **shapes.SAMPLERS, **_REASONING, "max_completion_tokens": integer,
                "models": array(string),
                "provider": mapping, "plugins": array(mapping), "transforms": array(string), "route": string,
                "usage": record(include=boolean), "verbosity": string, "top_a": between(0, 1), "metadata": mapping,
                "cache_control": shapes.MARK, "session_id": string,
            },
            shapes.messages(
                marks=True, assistant={"reasoning": nullable(string), "reasoning_details": array(mapping)}
            ),
        ),
        rules=(_stream_options, check_tools, _turns, _openrouter),
        reasoning_field="reasoning",
        error_style="openrouter",
        ping=b": OPENROUTER PROCESSING\n\n",
        usage_always=True,
    ),
    "groq": Host(
        mount="/openai/v1",
        models=("llama-3.3-70b-versatile", "openai/gpt-oss-120b"),
        shape=shapes.body(
            {
                **shapes.USUAL, "max_completion_tokens": nullable(integer), "reasoning_effort": nullable(string),
                "reasoning_format": nullable(one_of("hidden", "raw", "parsed")),
                "include_reasoning": nullable(boolean),
                "service_tier": nullable(string), "store": nullable(boolean), "metadata": nullable(mapping),
                "search_settings": nullable(mapping), "documents": nullable(array(mapping)),
                "citation_options": anything,
                "disable_tool_validation": boolean, "compound_custom": anything,
            },
            shapes.messages(name=None, assistant={"reasoning": nullable(string)}),
        ),
        rules=(*_RULES, _groq),
        reasoning_field="reasoning",
        explain=_groq_names,
        ids=("call_", 24),
        usage_always=True,
    ),
    "together": Host(
        mount="/v1",
        models=("meta-llama/Llama-3.3-70B-Instruct-Turbo",),
        shape=shapes.body(
            {**shapes.USUAL, **shapes.SAMPLERS, **_REASONING},
            shapes.messages(developer=False, assistant={"reasoning": nullable(string)}),
        ),
        rules=_RULES,
        reasoning_field="reasoning",
    ),
    "deepseek": Host(
        mount="/v1",
        models=("deepseek-chat", "deepseek-reasoner"),
        shape=shapes.body(
            {
                **shapes.COMMON, "stream_options": shapes.STREAM_OPTIONS, "logprobs": nullable(boolean),
                "top_logprobs": nullable(integer), "reasoning_effort": shapes.EFFORT,
                "thinking": nullable(record({"type": one_of("enabled", "disabled")})),
            },
            shapes.messages(developer=False, assistant={"reasoning_content": nullable(string), "prefix": boolean}),
        ),
        rules=(*_RULES, _deepseek),
        reasoning_field="reasoning_content",
        ids=("call_00_", 24),
        ping=b": keep-alive\n\n",
    ),
    "fireworks": Host(
        mount="/inference/v1",
        models=("accounts/fireworks/models/llama-v3p3-70b-instruct",),
        shape=shapes.body(
            {**shapes.USUAL, **shapes.SAMPLERS, "reasoning_effort": shapes.EFFORT},
            shapes.messages(developer=False, assistant={"reasoning_content": nullable(string)}),
        ),
        rules=_RULES,
        reasoning_field="reasoning_content",
    ),
    "mistral": Host(
        mount="/v1",
        models=("mistral-large-latest", "magistral-medium-latest"),
        shape=_MISTRAL_BODY,
        rules=(_mistral, _turns),
        reasoning_field="mistral",
        error_style="mistral",
        ids=("", 9),
        usage_always=True,
        explain=_mistral_explain,
    ),
    "xai": Host(
        mount="/v1",
        models=("grok-4", "grok-3-mini"),
        shape=shapes.body(
            {**shapes.USUAL, "max_completion_tokens": nullable(integer), "reasoning_effort": shapes.EFFORT,
             "search_parameters": mapping, "deferred": boolean, "web_search_options": mapping},
            shapes.messages(assistant={"reasoning_content": nullable(string)}),
        ),
        rules=(*_RULES, _xai),
        reasoning_field="reasoning_content",
    ),
}  # fmt: skip
