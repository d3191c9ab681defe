"""The hosts that speak the API of OpenAI: their quirks, their addresses, and which of the two APIs a request uses."""

from __future__ import annotations

from urllib.parse import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.dialect import Host

AZURE, OPENROUTER, LOCAL = "azure_openai", "openrouter", "local"
_NONE: frozenset[str] = frozenset()

# What a host accepts beyond the smallest common set: model, messages, max_tokens, temperature, top_p, stop, stream,
# tools and tool_choice.
CONTENT_PARTS = "content_parts"
"""Text may be a list of parts."""
IMAGES, AUDIO, FILES = "images", "audio", "files"
"""User messages may contain parts of these kinds."""
NAMES = "names"
"""Messages of users may have a name."""
DEVELOPER = "developer"
"""Reasoning models take the role `developer` instead of `system`."""
STREAM_USAGE = "stream_usage"
"""`stream_options.include_usage` adds the usage to a stream."""
PENALTIES, LOGPROBS, TOP_K = "penalties", "logprobs", "top_k"
SEED, RANDOM_SEED = "seed", "random_seed"
"""The seed is sent as `seed`, or as `random_seed`."""
JSON_OBJECT, JSON_SCHEMA = "json_object", "json_schema"
"""The values of `response_format.type` that the host takes."""
ANY_MODEL_SCHEMA = "any_model_schema"
"""The host enforces schemas itself, so that every model takes one."""
JSON_WITHOUT_TOOLS = "json_without_tools"
"""`json_object` is refused in a request with tools."""

# Deviations from the form that the other hosts accept.
COMPLETION_TOKENS = "completion_tokens"
"""The output limit is always sent as `max_completion_tokens`."""
PLAIN_REASONING = "plain_reasoning"
"""Models from grok-4 on take neither penalties nor stop sequences nor an effort."""
MERGED_SYSTEM = "merged_system"
"""There is one system message, and it is the first message."""
SHORT_CALL_IDS = "short_call_ids"
"""The ids of tool calls have nine letters and digits."""
LIMITED_CALL_IDS = "limited_call_ids"
"""The ids of tool calls have at most forty characters."""
ASSISTANT_AFTER_RESULTS = "assistant_after_results"
"""The results of tools are followed by a message of the assistant."""
PREFIX_FLAG = "prefix_flag"
"""An assistant message at the end has `prefix: true`."""
CACHE_MARKS = "cache_marks"
"""Parts of the messages to Anthropic models may have `cache_control`."""
REASONING_REPLAY = "reasoning_replay"
"""`reasoning_content` goes back within a tool turn."""
REASONING_DETAILS = "reasoning_details"
"""`reasoning_details` go back unchanged within a tool turn."""
EXACT_END = "exact_end"
"""A complete stream ends with `[DONE]`."""

# The form in which a host takes the option `thinking`; without one of these it is not sent.
EFFORT = "effort"
"""`reasoning_effort`."""
REASONING = "reasoning"
"""`reasoning: {effort | max_tokens | enabled}`."""
THINKING_TYPE = "thinking_type"
"""`thinking: {type}`."""
ENABLE_THINKING = "enable_thinking"
"""`enable_thinking` and `thinking_budget`."""
TEMPLATE_THINKING = "template_thinking"
"""`chat_template_kwargs.enable_thinking`; models whose template has efforts take `reasoning_effort`."""
PROMPT_MODE = "prompt_mode"
"""`prompt_mode` of reasoning models, `reasoning_effort: "high"` of others."""

_USUAL = frozenset(
    {CONTENT_PARTS, IMAGES, STREAM_USAGE, PENALTIES, SEED, LOGPROBS, JSON_OBJECT, JSON_SCHEMA, EXACT_END}
)
_OPENAI = _USUAL | {AUDIO, NAMES, DEVELOPER, EFFORT, LIMITED_CALL_IDS}

QUIRKS: Mapping[str, frozenset[str]] = {
    "openai": _OPENAI | {FILES},
    AZURE: _OPENAI,
    OPENROUTER: _USUAL
    | {AUDIO, FILES, NAMES, DEVELOPER, TOP_K, CACHE_MARKS, REASONING, REASONING_DETAILS, LIMITED_CALL_IDS},
    # Its reference has penalties and log probabilities, but none of its models does.
    "groq": _USUAL - {PENALTIES, LOGPROBS} | {COMPLETION_TOKENS, JSON_WITHOUT_TOOLS, EFFORT},
    "together": _USUAL | {NAMES, TOP_K, EFFORT},
    "deepseek": _USUAL - {CONTENT_PARTS, IMAGES, SEED, JSON_SCHEMA} | {NAMES, THINKING_TYPE, REASONING_REPLAY},
    "fireworks": _USUAL | {NAMES, TOP_K, EFFORT, REASONING_REPLAY},
    "mistral": _USUAL - {STREAM_USAGE, SEED, LOGPROBS}
    | {RANDOM_SEED, SHORT_CALL_IDS, MERGED_SYSTEM, ASSISTANT_AFTER_RESULTS, PREFIX_FLAG, PROMPT_MODE},
    "xai": _USUAL | {NAMES, EFFORT, PLAIN_REASONING},
    "cerebras": _USUAL - {IMAGES, PENALTIES} | {COMPLETION_TOKENS, EFFORT},
    "dashscope": _USUAL - {PENALTIES} | {TOP_K, ENABLE_THINKING},
    "huggingface": _USUAL | {EFFORT},
    LOCAL: _USUAL | {NAMES, TOP_K, MERGED_SYSTEM, ANY_MODEL_SCHEMA, TEMPLATE_THINKING},
}
"""The quirks of the known hosts; a host without a row gets the smallest common set."""


def quirks_of(host: Host) -> frozenset[str]:
    """Return the quirks of a host, which default to those of its provider."""
    return host.quirks or QUIRKS.get(host.provider, _NONE)


# Addresses


def with_version(base_url: str) -> str:
    """Return the address of a local server with the path `/v1` if it has no version: `http://localhost:8000/v1`."""
    base, mark, query = base_url.partition("?")
    base = base.rstrip("/")
    last = base.rpartition("/")[2]
    has_version = last[:1] == "v" and last[1:2].isdecimal()
    return f"{base if has_version else f'{base}/v1'}{mark}{query}"


AZURE_VERSION, AZURE_RESPONSES_VERSION = "2024-10-21", "2025-04-01-preview"
"""The versions of the API that are requested if the address contains none; the older one has no responses."""
CHAT_PATH, RESPONSES_PATH = "/chat/completions", "/responses"


def url_of(request: ChatRequest, host: Host, path: str) -> str:
    """Return the address for a request; a query of the base URL, as in `?api-version=...`, is kept at the end."""
    if host.provider == AZURE:
        return _azure_url(request.model, host.base_url, path)
    base = with_version(host.base_url) if host.provider == LOCAL else host.base_url
    base, mark, query = base.partition("?")
    base = base.rstrip("/")
    own = host.chat_endpoint
    if own.endswith(path):
        path = own if own.startswith("/") else f"/{own}"
    version = base.rpartition("/")[2]
    if path.startswith(f"/{version}/"):
        path = path[len(version) + 1 :]
    return f"{base}{path}{mark}{query}"


def _azure_url(model: str, endpoint: str, path: str) -> str:
    """Return an address of Azure: in the form without versions if the endpoint has it, else that of a deployment."""
    base, _, query = endpoint.partition("?")
    base = base.rstrip("/")
    if base.endswith("/openai/v1"):
        return f"{base}{path}{f'?{query}' if query else ''}"
    if "api-version=" not in query:
        version = AZURE_RESPONSES_VERSION if path == RESPONSES_PATH else AZURE_VERSION
        query = "&".join([*filter(None, [query]), f"api-version={version}"])
    if path == RESPONSES_PATH:
        return f"{base.removesuffix('/openai')}/openai{path}?{query}"
    if "/openai/deployments/" not in base:
        base = f"{base.removesuffix('/openai')}/openai/deployments/{quote(model, safe='')}"
    return f"{base}{path}?{query}"
