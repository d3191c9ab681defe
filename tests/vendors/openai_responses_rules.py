"""What OpenAI's Responses API accepts."""

import json
import re
from collections.abc import Iterator

from tests.vendors.api import Body, blocks_of, indexed
from tests.vendors.checks import (
    Check,
    Invalid,
    Refused,
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
from tests.vendors.openai_rules import REASONING, explain, refuse_parameter, refuse_schema
from tests.vendors.openai_shapes import EFFORT, NAME, TYPE

MOVED = {"max_tokens": "max_output_tokens", "max_completion_tokens": "max_output_tokens",
         "response_format": "text.format", "reasoning_effort": "reasoning.effort", "messages": "input"}  # fmt: skip
LEAST_OUTPUT = 16
STATUS = nullable(one_of("in_progress", "completed", "incomplete"))

TEXT = record({**TYPE, "text": string})
IMAGE = record(
    TYPE, image_url=matching(r"(https?://|data:image/).+"), file_id=string, detail=one_of("auto", "low", "high")
)
FILE = record(TYPE, file_data=string, file_id=string, file_url=string, filename=string)
INPUT_PARTS = {"input_text": TEXT, "input_image": IMAGE, "input_file": FILE}
INPUT = text_or(array(tagged("type", INPUT_PARTS)))
OUTPUT_PARTS = {
    "output_text": record({**TYPE, "text": string}, annotations=array(mapping), logprobs=array(mapping)),
    "refusal": record({**TYPE, "refusal": string}),
}
_ROLE: dict[str, Check] = {"role": string}
_MESSAGE: dict[str, Check] = {"type": one_of("message"), "id": string, "status": STATUS, "phase": nullable(string)}
MESSAGE = tagged(
    "role",
    {
        **dict.fromkeys(("user", "system", "developer"), record({**_ROLE, "content": INPUT}, **_MESSAGE)),
        "assistant": record({**_ROLE, "content": text_or(array(tagged("type", OUTPUT_PARTS)))}, **_MESSAGE),
    },
)
ITEM = tagged(
    "type",
    {
        "message": MESSAGE,
        "function_call": record(
            {**TYPE, "call_id": filled_string, "name": NAME, "arguments": string}, id=matching(r"fc_.+"), status=STATUS
        ),
        "function_call_output": record(
            {**TYPE, "call_id": filled_string, "output": INPUT}, id=nullable(matching(r"fc_.+")), status=STATUS
        ),
        "reasoning": record(
            {**TYPE, "id": matching(r"rs_.+"), "summary": array(record({**TYPE, "text": string}))},
            encrypted_content=nullable(string),
            content=nullable(array(record({**TYPE, "text": string}))),
            status=STATUS,
        ),
        "item_reference": record({"id": string}, type=string),
    },
    default="message",
)
TOOL = tagged(
    "type",
    {
        "function": record(
            {**TYPE, "name": NAME, "parameters": nullable(mapping)},
            description=nullable(string),
            strict=nullable(boolean),
        ),
        "web_search": anything,
        "file_search": anything,
        "code_interpreter": anything,
    },
)
FORMAT = tagged(
    "type",
    {
        "text": record(TYPE),
        "json_object": record(TYPE),
        "json_schema": record({**TYPE, "name": NAME, "schema": mapping}, description=string, strict=nullable(boolean)),
    },
)
INCLUDABLE = one_of(
    "file_search_call.results", "web_search_call.results", "web_search_call.action.sources",
    "message.input_image.image_url", "computer_call_output.output.image_url", "code_interpreter_call.outputs",
    "reasoning.encrypted_content", "message.output_text.logprobs",
)  # fmt: skip
SUMMARY = nullable(one_of("auto", "concise", "detailed"))
BODY = record(
    {"model": filled_string, "input": text_or(array(ITEM, 1), filled_string)},
    instructions=nullable(string),
    max_output_tokens=nullable(integer),
    max_tool_calls=nullable(integer),
    temperature=nullable(between(0, 2)),
    top_p=nullable(between(0, 1)),
    top_logprobs=nullable(between(0, 20, integer)),
    stream=nullable(boolean),
    stream_options=nullable(record(include_obfuscation=boolean)),
    store=nullable(boolean),
    include=nullable(array(INCLUDABLE)),
    tools=array(TOOL),
    tool_choice=text_or(record({"type": one_of("function"), "name": string}), one_of("none", "auto", "required")),
    parallel_tool_calls=nullable(boolean),
    reasoning=nullable(record(effort=EFFORT, summary=SUMMARY, generate_summary=SUMMARY, context=string, mode=string)),
    text=record(format=FORMAT, verbosity=nullable(one_of("low", "medium", "high"))),
    truncation=nullable(one_of("auto", "disabled")),
    metadata=nullable(values_of(string)),
    previous_response_id=nullable(string),
    prompt_cache_key=string,
    prompt_cache_retention=nullable(one_of("in_memory", "24h")),
    safety_identifier=string,
    service_tier=nullable(one_of("auto", "default", "flex", "scale", "priority", "fast")),
    user=string,
    background=nullable(boolean),
    conversation=anything,
    prompt=anything,
    context_management=anything,
)


def explain_response(finding: Invalid) -> Refused:
    """Return the API's answer to a body of the wrong shape."""
    place = indexed(finding.path)
    if finding.kind == "unknown":
        if place in MOVED:
            text = (
                f"Unsupported parameter: '{place}'. In the Responses API, this parameter has moved to '{MOVED[place]}'."
            )
            return Refused(400, text, code="unsupported_parameter", param=place)
        return Refused(400, f"Unknown parameter: '{place}'.", code="unknown_parameter", param=place)
    if finding.kind == "value" and finding.path[-1:] == ("type",):
        supported = finding.detail.removeprefix("should be one of ")
        text = f"Invalid value: '{finding.given}'. Supported values are: {supported}."
        return Refused(400, text, code="invalid_value", param=place)
    return explain(finding)


def check_body(body: Body) -> None:
    """Check what the shape cannot express; raise Refused."""
    model = body["model"]
    if not re.match(r"(gpt-|o\d|chatgpt-|ft:|codex-|computer-)", model):
        raise Refused(
            404, f"The model `{model}` does not exist or you do not have access to it.", code="model_not_found"
        )
    limit = body.get("max_output_tokens")
    if limit is not None and limit < LEAST_OUTPUT:
        text = f"Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got {limit}."
        raise Refused(400, text, code="integer_below_min_value", param="max_output_tokens")
    if REASONING.match(model):
        for name in ("temperature", "top_p"):
            if body.get(name) not in {None, 1}:
                refuse_parameter(name)
    else:
        for name in body.get("reasoning") or {}:
            refuse_parameter(f"reasoning.{name}")
        if "reasoning.encrypted_content" in (body.get("include") or []):
            raise Refused(400, "Encrypted content is not supported with this model.", param="include")
    _check_tools(body)
    _check_format(body)


def _check_tools(body: Body) -> None:
    tools = body.get("tools", [])
    for index, tool in enumerate(tools):
        if tool["type"] == "function":
            refuse_schema(
                f"function '{tool['name']}'",
                tool["parameters"] or {"type": "object", "properties": {}, "additionalProperties": False},
                strict=bool(tool.get("strict")),
                param=f"tools[{index}].parameters",
            )
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and choice["name"] not in [tool.get("name") for tool in tools]:
        raise Refused(400, f"Tool choice '{choice['name']}' not found in 'tools' parameter.", param="tool_choice")
    if choice == "required" and not tools:
        raise Refused(400, "Tool choice 'required' must be specified with 'tools' parameter.", param="tool_choice")


def _check_format(body: Body) -> None:
    form = (body.get("text") or {}).get("format") or {"type": "text"}
    if form["type"] == "json_schema":
        name = f"response_format '{form['name']}'"
        refuse_schema(name, form["schema"], strict=bool(form.get("strict")), param="text.format.schema")
    if form["type"] == "json_object" and "json" not in json.dumps([*_texts(body["input"])]).lower():
        raise Refused(
            400,
            "Response input messages must contain the word 'json' in some form to use 'text.format' "
            "of type 'json_object'.",
            param="input",
        )


def _texts(items: str | list[Body]) -> Iterator[str]:
    for item in [{"content": items}] if isinstance(items, str) else items:
        for part in blocks_of(item.get("content")):
            yield part.get("text", "")
