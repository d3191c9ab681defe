"""What Anthropic's Messages API accepts."""

import re
from collections.abc import Mapping

from tests.vendors.api import Body, blocks_of, dotted
from tests.vendors.checks import (
    Check,
    Invalid,
    Record,
    Refused,
    anything,
    array,
    between,
    boolean,
    either,
    filled_string,
    integer,
    mapping,
    matching,
    nullable,
    one_of,
    record,
    string,
    tagged,
    text_or,
)  # fmt: skip

MARK = nullable(record({"type": one_of("ephemeral")}, ttl=one_of("5m", "1h")))
TYPE = {"type": string}
ID = matching(r"[a-zA-Z0-9_-]+")
TOOL_NAME = matching(r"[a-zA-Z0-9_-]{1,128}")
IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
MESSAGES_LIMIT = 100_000
MARKS_LIMIT = 4
LEAST_BUDGET = 1024

TEXT = record({**TYPE, "text": string}, cache_control=MARK, citations=nullable(array(mapping)))
IMAGE = record(
    {
        **TYPE,
        "source": tagged(
            "type",
            {
                "base64": record(
                    {**TYPE, "media_type": one_of(*IMAGE_TYPES), "data": matching(r"[A-Za-z0-9+/]+={0,2}")}
                ),
                "url": record({**TYPE, "url": matching(r"https?://.+")}),
                "file": record({**TYPE, "file_id": string}),
            },
        ),
    },
    cache_control=MARK,
)
DOCUMENT = record(
    {
        **TYPE,
        "source": tagged(
            "type",
            {
                "base64": record({**TYPE, "media_type": one_of("application/pdf"), "data": filled_string}),
                "text": record({**TYPE, "media_type": one_of("text/plain"), "data": filled_string}),
                "url": record({**TYPE, "url": matching(r"https?://.+")}),
                "file": record({**TYPE, "file_id": string}),
                "content": record({**TYPE, "content": anything}),
            },
        ),
    },
    cache_control=MARK,
    title=nullable(string),
    context=nullable(string),
    citations=nullable(record(enabled=boolean)),
)
RESULT = record(
    {**TYPE, "tool_use_id": ID},
    content=text_or(array(tagged("type", {"text": TEXT, "image": IMAGE, "document": DOCUMENT}))),
    is_error=boolean,
    cache_control=MARK,
)
USER_BLOCK = tagged("type", {"text": TEXT, "image": IMAGE, "document": DOCUMENT, "tool_result": RESULT})
ASSISTANT_BLOCK = tagged(
    "type",
    {
        "text": TEXT,
        "tool_use": record({**TYPE, "id": ID, "name": TOOL_NAME, "input": mapping}, cache_control=MARK, caller=mapping),
        "thinking": record({**TYPE, "thinking": string, "signature": filled_string}),
        "redacted_thinking": record({**TYPE, "data": filled_string}),
    },
)
ROLES = {
    "user": record({"role": string, "content": text_or(array(USER_BLOCK))}),
    "assistant": record({"role": string, "content": text_or(array(ASSISTANT_BLOCK))}),
}
SYSTEM_ROLE = {"system": record({"role": string, "content": text_or(array(TEXT))})}
TOOL = record(
    {"name": TOOL_NAME, "input_schema": mapping},
    type=nullable(one_of("custom")),
    description=string,
    strict=boolean,
    cache_control=MARK,
    defer_loading=boolean,
    eager_input_streaming=nullable(boolean),
    input_examples=array(mapping),
    allowed_callers=array(string),
)
SERVER_TOOL = record(
    {"type": matching(r"(web_search|web_fetch|code_execution|bash|text_editor|memory|tool_search_tool\w*)_\d{8}"),
     "name": TOOL_NAME},
    cache_control=MARK, max_uses=integer, allowed_domains=array(string), blocked_domains=array(string),
    user_location=mapping,
)  # fmt: skip
PARALLEL = {"disable_parallel_tool_use": boolean}
REQUIRED = {"model": filled_string, "max_tokens": integer}
OPTIONAL: dict[str, Check] = {
    "system": text_or(array(TEXT)),
    "stop_sequences": array(string),
    "stream": boolean,
    "metadata": record(user_id=nullable(string)),
    "service_tier": one_of("auto", "standard_only"),
    "cache_control": MARK,
    "thinking": tagged(
        "type",
        {
            "enabled": record({**TYPE, "budget_tokens": integer}, display=nullable(one_of("summarized", "omitted"))),
            "adaptive": record(TYPE, display=nullable(one_of("summarized", "omitted"))),
            "disabled": record(TYPE),
            "between_tools": record(TYPE),
        },
    ),
    "tool_choice": tagged(
        "type",
        {
            "auto": record(TYPE, **PARALLEL),
            "any": record(TYPE, **PARALLEL),
            "tool": record({**TYPE, "name": string}, **PARALLEL),
            "none": record(TYPE),
        },
    ),
    "tools": array(either(SERVER_TOOL, TOOL)),
    "output_config": record(
        effort=nullable(one_of("low", "medium", "high", "xhigh", "max")),
        format=nullable(record({"type": one_of("json_schema"), "schema": mapping})),
    ),
    "container": nullable(anything),
    "inference_geo": nullable(string),
    "speed": nullable(one_of("standard", "fast")),
    "diagnostics": nullable(mapping),
}
SAMPLING = {"temperature": between(0, 1), "top_p": between(0, 1), "top_k": integer}


def _body(roles: Mapping[str, Check], optional: dict[str, Check]) -> Record:
    return record({**REQUIRED, "messages": array(tagged("role", roles), 1, MESSAGES_LIMIT)}, **optional)


# The version of the official client 2.x has no sampling options, but system messages inside the conversation.
SHAPES = {
    "2023-06-01": _body(ROLES, {**OPTIONAL, **SAMPLING}),
    "2026-10-21": _body({**ROLES, **SYSTEM_ROLE}, OPTIONAL),
}
OUTPUT_LIMITS = {(3, 0): 4096, (3, 5): 8192, (4, 1): 32_000, (4, 5): 64_000}
NOT_IN_STRICT_SCHEMAS = {
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems",
}  # fmt: skip


def explain(finding: Invalid) -> Refused:
    """Return the vendor's answer to a body of the wrong shape."""
    detail = {"type": f"Input should be a valid {finding.detail}"}.get(finding.kind, finding.detail)
    if finding.path[-1:] == ("role",) and finding.given == "system":
        detail = (
            'Unexpected role "system". The Messages API accepts a top-level `system` parameter, '
            'not "system" as an input message role.'
        )
        return Refused(400, f"messages: {detail}")
    return Refused(400, f"{dotted(finding.path)}: {detail}")


def version_of(model: str) -> tuple[int, int]:
    """Return the version in the name of a Claude model."""
    match = re.match(r"claude-(?:[a-z]+-)?(\d+)(?:-(\d{1,2})(?!\d))?", model)
    return (int(match[1]), int(match[2] or 0)) if match else (0, 0)


def check_body(body: Body, beta: str) -> None:
    """Check what the shape cannot express; raise Refused."""
    model = body["model"]
    if not model.startswith("claude-"):
        raise Refused(404, f"model: {model}")
    if body["max_tokens"] < 0:
        raise Refused(400, "max_tokens: Input should be greater than or equal to 1")
    limit = OUTPUT_LIMITS.get(version_of(model))
    if limit and body["max_tokens"] > limit:
        text = f"max_tokens: {body['max_tokens']} > {limit}, which is the maximum allowed number of output tokens for"
        raise Refused(400, f"{text} {model}")
    _check_sampling(body, version_of(model))
    _check_thinking(body, version_of(model), beta)
    _check_tools(body)
    _check_marks(body)
    _check_messages(body)
    _check_tool_turns(body["messages"])
    _check_prefill(body, version_of(model))


def _check_sampling(body: Body, version: tuple[int, int]) -> None:
    if version >= (4, 7):
        for name, default in (("temperature", 1), ("top_p", None), ("top_k", None)):
            if name in body and body[name] != default:
                raise Refused(400, f"`{name}` is deprecated for this model.")
    if version >= (4, 5) and "temperature" in body and "top_p" in body:
        raise Refused(400, "`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
    for index, stop in enumerate(body.get("stop_sequences", [])):
        if not stop.strip():
            raise Refused(400, f"stop_sequences.{index}: each stop sequence must contain non-whitespace")


def _check_thinking(body: Body, version: tuple[int, int], beta: str) -> None:
    thinking = body.get("thinking", {"type": "disabled"})
    kind = thinking["type"]
    if kind in {"disabled", "between_tools"}:
        return
    if kind == "adaptive" and version < (4, 6):
        raise Refused(400, "adaptive thinking is not supported on this model")
    if kind == "enabled":
        if version >= (4, 7):
            raise Refused(
                400,
                '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
                '"output_config.effort" to control thinking behavior.',
            )
        budget = thinking["budget_tokens"]
        if budget < LEAST_BUDGET:
            raise Refused(400, "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
        if budget >= body["max_tokens"] and "interleaved-thinking" not in beta:
            raise Refused(400, "`max_tokens` must be greater than `thinking.budget_tokens`.")
    link = "Please consult our documentation on extended thinking."
    if body.get("temperature", 1) != 1:
        raise Refused(400, f"`temperature` may only be set to 1 when thinking is enabled. {link}")
    if "top_k" in body:
        raise Refused(400, f"`top_k` must be unset when thinking is enabled. {link}")
    if body.get("top_p", 1) < 0.95:
        raise Refused(400, "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.")
    if body.get("tool_choice", {}).get("type") in {"any", "tool"}:
        raise Refused(400, "Thinking may not be enabled when tool_choice forces tool use.")


def _check_tools(body: Body) -> None:
    tools = body.get("tools", [])
    names = [tool["name"] for tool in tools]
    if len(set(names)) != len(names):
        raise Refused(400, "tools: Tool names must be unique.")
    for index, tool in enumerate(tools):
        schema = tool.get("input_schema", {"type": "object"})
        if schema.get("type") != "object":
            raise Refused(400, f"tools.{index}.custom.input_schema.type: Input should be 'object'")
        if {"oneOf", "anyOf", "allOf"} & schema.keys():
            raise Refused(
                400,
                f"tools.{index}.custom.input_schema: oneOf, allOf, anyOf are not supported at the top level",
            )
        if tool.get("strict"):
            _check_strict(schema, f"tools.{index}.custom")
    output = (body.get("output_config") or {}).get("format")
    if output:
        _check_strict(output["schema"], "output_config.format.schema")
    choice = body.get("tool_choice")
    if choice and not tools:
        raise Refused(400, "tool_choice: tool_choice may only be specified while providing tools.")
    if choice and choice["type"] == "tool" and choice["name"] not in names:
        raise Refused(400, f"tool_choice.tool.name: Tool '{choice['name']}' not found in provided tools")


def _check_strict(schema: object, path: str) -> None:
    if isinstance(schema, list):
        for part in schema:
            _check_strict(part, path)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        raise Refused(400, f"{path}: For 'object' type, 'additionalProperties' must be explicitly set to false")
    if refused := sorted(NOT_IN_STRICT_SCHEMAS & schema.keys()):
        raise Refused(
            400, f"{path}: For '{schema.get('type')}' type, properties {', '.join(refused)} are not supported"
        )
    for name, part in schema.items():
        if name in {"properties", "$defs", "definitions"} and isinstance(part, dict):
            for inner in part.values():
                _check_strict(inner, path)
        elif name in {"items", "anyOf", "allOf"}:
            _check_strict(part, path)


def _marks(body: Body) -> list[str]:
    """Return the lifetimes of the cache marks, in the order of the prompt: tools, system, messages."""
    found = [tool.get("cache_control") for tool in body.get("tools", [])]
    found += [block.get("cache_control") for block in blocks_of(body.get("system"))]
    for message in body["messages"]:
        for block in blocks_of(message["content"]):
            if block["type"] == "tool_result":
                found += [inner.get("cache_control") for inner in blocks_of(block.get("content"))]
            found.append(block.get("cache_control"))
    found.append(body.get("cache_control"))
    return [mark.get("ttl", "5m") for mark in found if mark]


def _check_marks(body: Body) -> None:
    marks = _marks(body)
    if len(marks) > MARKS_LIMIT:
        raise Refused(400, f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}.")
    if marks != sorted(marks, key=["1h", "5m"].index):
        raise Refused(400, "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' block.")


def _check_messages(body: Body) -> None:
    messages = body["messages"]
    if messages[0]["role"] != "user":
        raise Refused(400, 'messages: first message must use the "user" role')
    for block in blocks_of(body.get("system") or []):
        if not block["text"]:
            raise Refused(400, "system: text content blocks must be non-empty")
    for index, message in enumerate(messages):
        is_prefill = index == len(messages) - 1 and message["role"] == "assistant"
        if not message["content"] and not is_prefill:
            raise Refused(
                400,
                f"messages.{index}: all messages must have non-empty content except for the optional final "
                "assistant message",
            )
        for block in blocks_of(message["content"]):
            texts = blocks_of(block.get("content")) if block["type"] == "tool_result" else [block]
            for inner in texts:
                if inner["type"] != "text" or (block["type"] == "tool_result" and isinstance(block["content"], str)):
                    continue
                if not inner["text"]:
                    raise Refused(400, "messages: text content blocks must be non-empty")
                if not inner["text"].strip():
                    raise Refused(400, "messages: text content blocks must contain non-whitespace text")


def _check_tool_turns(messages: list[Body]) -> None:
    seen: set[str] = set()
    for index, message in enumerate(messages):
        blocks = blocks_of(message["content"])
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if len(set(calls)) != len(calls) or seen & set(calls):
            raise Refused(400, f"messages.{index}.content: `tool_use` ids must be unique")
        seen |= set(calls)
        previous = blocks_of(messages[index - 1]["content"]) if index else []
        open_calls = {block["id"] for block in previous if block["type"] == "tool_use"}
        for at, block in enumerate(blocks):
            if block["type"] == "tool_result" and block["tool_use_id"] not in open_calls:
                raise Refused(
                    400,
                    f"messages.{index}.content.{at}: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{block['tool_use_id']}. Each `tool_result` block must have a corresponding `tool_use` block in "
                    "the previous message.",
                )
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if len(set(results)) != len(results):
            raise Refused(
                400,
                f"messages.{index}.content: each tool_use must have a single result. Found multiple results",
            )
        if calls and index + 1 < len(messages):
            _check_results_follow(index, calls, blocks_of(messages[index + 1]["content"]))
        elif calls:
            _refuse_open_calls(index, calls)


def _check_results_follow(index: int, calls: list[str], following: list[Body]) -> None:
    first = [block.get("tool_use_id") for block in following[: len(calls)]]
    missing = [call for call in calls if call not in first]
    if missing:
        _refuse_open_calls(index, missing)


def _refuse_open_calls(index: int, calls: list[str]) -> None:
    raise Refused(
        400,
        f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(calls)}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    )


def _check_prefill(body: Body, version: tuple[int, int]) -> None:
    thinking = body.get("thinking", {}).get("type") == "enabled"
    last = body["messages"][-1]
    if last["role"] == "assistant":
        if version >= (4, 6):
            raise Refused(
                400,
                "This model does not support assistant message prefill. The conversation must end with a user message.",
            )
        if thinking:
            raise Refused(400, "messages: prefilling the response is not supported when thinking is enabled")
        text = blocks_of(last["content"])[-1:]
        if text and text[0]["type"] == "text" and text[0]["text"] != text[0]["text"].rstrip():
            raise Refused(400, "messages: final assistant content cannot end with trailing whitespace")
    if not thinking or len(body["messages"]) < 2:
        return
    before = blocks_of(body["messages"][-2]["content"])
    if any(block["type"] == "tool_use" for block in before) and "thinking" not in before[0]["type"]:
        raise Refused(
            400,
            f"messages.{len(body['messages']) - 2}.content.0.type: Expected `thinking` or `redacted_thinking`, but "
            f"found `{before[0]['type']}`. When `thinking` is enabled, a final `assistant` message must start with a "
            "thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).",
        )
