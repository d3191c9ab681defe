"""The shapes of chat requests, as OpenAI and the hosts that follow it take them."""

from tests.vendors.checks import (
    Check,
    Record,
    anything,
    array,
    between,
    boolean,
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
    values_of,
)  # fmt: skip

TYPE = {"type": string}
ROLE = {"role": string}
NAME = matching(r"[a-zA-Z0-9_-]{1,64}")
PERSON = matching(r"[^\s<|\\/>]{1,64}")
EFFORT = nullable(one_of("none", "minimal", "low", "medium", "high", "xhigh", "max"))
MARK = record({"type": one_of("ephemeral")}, ttl=one_of("5m", "1h"))

TEXT_PART = record({**TYPE, "text": string})
IMAGE_PART = record(
    {
        **TYPE,
        "image_url": record({"url": matching(r"(https?://|data:image/).+")}, detail=one_of("auto", "low", "high")),
    }
)
AUDIO_PART = record({**TYPE, "input_audio": record({"data": filled_string, "format": one_of("wav", "mp3")})})
FILE_PART = record({**TYPE, "file": record(file_data=string, file_id=string, filename=string)})
CALL = record(
    {"id": filled_string, "type": one_of("function"), "function": record({"name": NAME, "arguments": string})}
)
FUNCTION = record({"name": NAME}, description=string, parameters=mapping, strict=nullable(boolean))
FUNCTION_TOOL = record({"type": one_of("function"), "function": FUNCTION})
TOOL_CHOICE = text_or(
    record({"type": one_of("function"), "function": record({"name": string})}), one_of("none", "auto", "required")
)
RESPONSE_FORMAT = tagged(
    "type",
    {
        "text": record(TYPE),
        "json_object": record(TYPE),
        "json_schema": record(
            {
                **TYPE,
                "json_schema": record({"name": NAME}, description=string, schema=mapping, strict=nullable(boolean)),
            }
        ),
    },
)
STOP = nullable(text_or(array(string, most=4)))
STREAM_OPTIONS = nullable(record(include_usage=boolean, include_obfuscation=boolean))


def messages(
    *,
    developer: bool = True,
    name: Check | None = PERSON,
    assistant: dict[str, Check] | None = None,
    marks: bool = False,
) -> Check:
    """Return the shape of the messages; `assistant` adds fields to messages of the model."""
    text = record({**TYPE, "text": string}, cache_control=MARK) if marks else TEXT_PART
    named: dict[str, Check] = {"name": name} if name else {}
    texts = text_or(array(tagged("type", {"text": text}), 1))
    parts = tagged("type", {"text": text, "image_url": IMAGE_PART, "input_audio": AUDIO_PART, "file": FILE_PART})
    refusal = record({**TYPE, "refusal": string})
    answer = nullable(text_or(array(tagged("type", {"text": text, "refusal": refusal}), 1)))
    roles = {
        "system": record({**ROLE, "content": texts}, **named),
        "user": record({**ROLE, "content": text_or(array(parts, 1))}, **named),
        "assistant": record(
            ROLE,
            content=answer,
            refusal=nullable(string),
            tool_calls=array(CALL, 1),
            **named,
            **(assistant or {}),
        ),
        "tool": record({**ROLE, "content": texts, "tool_call_id": filled_string}),
    }
    if developer:
        roles["developer"] = roles["system"]
    return array(tagged("role", roles), 1)


# What every host takes.
COMMON: dict[str, Check] = {
    "temperature": nullable(between(0, 2)),
    "top_p": nullable(between(0, 1)),
    "max_tokens": nullable(between(1, 10_000_000, integer)),
    "stop": STOP,
    "stream": nullable(boolean),
    "tools": array(FUNCTION_TOOL, 1, 128),
    "tool_choice": TOOL_CHOICE,
    "response_format": RESPONSE_FORMAT,
    "presence_penalty": nullable(between(-2, 2)),
    "frequency_penalty": nullable(between(-2, 2)),
}
USUAL: dict[str, Check] = {
    **COMMON,
    "seed": nullable(integer),
    "n": nullable(between(1, 128, integer)),
    "stream_options": STREAM_OPTIONS,
    "parallel_tool_calls": boolean,
    "user": string,
    "logprobs": nullable(boolean),
    "top_logprobs": nullable(between(0, 20, integer)),
    "logit_bias": nullable(mapping),
}
OPENAI: dict[str, Check] = {
    **USUAL,
    "max_completion_tokens": nullable(between(1, 10_000_000, integer)),
    "reasoning_effort": EFFORT,
    "verbosity": nullable(one_of("low", "medium", "high")),
    "store": nullable(boolean),
    "metadata": nullable(values_of(string)),
    "service_tier": nullable(one_of("auto", "default", "flex", "scale", "priority", "fast")),
    "prompt_cache_key": string,
    "prompt_cache_retention": nullable(one_of("in_memory", "24h")),
    "prompt_cache_options": anything,
    "safety_identifier": string,
    "modalities": nullable(array(one_of("text", "audio"))),
    "audio": nullable(mapping),
    "moderation": anything,
    "prediction": nullable(mapping),
    "web_search_options": mapping,
    "functions": array(mapping),
    "function_call": anything,
}
SAMPLERS: dict[str, Check] = {
    "top_k": nullable(integer), "min_p": nullable(between(0, 1)), "repetition_penalty": nullable(between(0, 2)),
}  # fmt: skip


def body(optional: dict[str, Check], message_list: Check) -> Record:
    """Return the shape of a whole request."""
    return record({"model": filled_string, "messages": message_list}, **optional)
