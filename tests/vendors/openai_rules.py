"""What OpenAI and the hosts that follow it refuse beyond the shape of a request."""

import json
import re

from tests.vendors.api import Body, blocks_of, indexed
from tests.vendors.checks import Invalid, Refused, open_places

RESPONSES_ONLY = re.compile(r"(o1-pro|o3-pro|gpt-\d[\d.]*-pro|.*-codex|codex-|.*deep-research)")
REASONING = re.compile(r"(o\d|gpt-([5-9]|\d\d)(?!.*chat))")
FIXED = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}
ID_LIMIT = 40
JSON_NAMES = {"string": "a string", "integer": "an integer", "number": "a decimal", "boolean": "a boolean",
              "object": "an object", "array": "an array"}  # fmt: skip
GIVEN_NAMES = {str: "a string", bool: "a boolean", int: "an integer", float: "a decimal", dict: "an object",
               list: "an array", type(None): "null"}  # fmt: skip


def explain(finding: Invalid) -> Refused:
    """Return OpenAI's answer to a body of the wrong shape."""
    place = indexed(finding.path)
    if finding.kind == "unknown":
        if len(finding.path) == 1:
            return Refused(400, f"Unrecognized request argument supplied: {place}")
        return Refused(400, f"Unknown parameter: '{place}'.", code="unknown_parameter", param=place)
    if finding.kind == "missing":
        return Refused(400, f"Missing required parameter: '{place}'.", code="missing_required_parameter", param=place)
    if finding.kind == "type":
        text = (
            f"Invalid type for '{place}': expected {JSON_NAMES[finding.detail]}, "
            f"but got {GIVEN_NAMES[type(finding.given)]} instead."
        )
        return Refused(400, text, code="invalid_type", param=place)
    if finding.given == []:
        text = (
            f"Invalid '{place}': empty array. Expected an array with minimum length 1, but got an empty array instead."
        )
        return Refused(400, text, code="empty_array", param=place)
    text = f"Invalid value for '{place}': {json.dumps(finding.given)[:80]} {finding.detail}."
    return Refused(400, text, code="invalid_value", param=place)


def refuse_schema(name: str, schema: object, *, strict: bool, param: str) -> None:
    """Refuse a schema that is not an object, or not closed although it is strict."""
    code = "invalid_json_schema" if "format" in param else "invalid_function_parameters"
    if not isinstance(schema, dict) or schema.get("type") != "object":
        given = schema.get("type") if isinstance(schema, dict) else None
        text = (
            f"Invalid schema for {name}: schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{given}\"'."
        )
        raise Refused(400, text, code=code, param=param)
    if strict:
        for path, detail in open_places(schema):
            raise Refused(400, f"Invalid schema for {name}: In context={path}, {detail}.", code=code, param=param)


def check_tools(body: Body) -> None:
    """Check the tools and the choice among them."""
    tools = body.get("tools") or []
    for name in ("tool_choice", "parallel_tool_calls"):
        if name in body and not tools:
            raise Refused(400, f"'{name}' is only allowed when 'tools' are specified.", param=name)
    names = [tool["function"]["name"] for tool in tools]
    for index, tool in enumerate(tools):
        function = tool["function"]
        if "parameters" in function or function.get("strict"):
            refuse_schema(
                f"function '{function['name']}'",
                function.get("parameters"),
                strict=bool(function.get("strict")),
                param=f"tools[{index}].function.parameters",
            )
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and choice["function"]["name"] not in names:
        raise Refused(400, f"Tool choice '{choice['function']['name']}' not found in 'tools'.", param="tool_choice")


def check_format(body: Body) -> None:
    """Check the response format."""
    form = body.get("response_format") or {"type": "text"}
    if form["type"] == "json_object":
        texts = [block.get("text", "") for message in body["messages"] for block in blocks_of(message.get("content"))]
        if not any("json" in text.lower() for text in texts):
            raise Refused(
                400,
                "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
                param="messages",
            )
    if form["type"] == "json_schema":
        schema = form["json_schema"]
        strict = bool(schema.get("strict"))
        name = f"response_format '{schema['name']}'"
        refuse_schema(name, schema.get("schema"), strict=strict, param="response_format")


def check_turns(messages: list[Body]) -> None:
    """Check that calls and results of tools belong together."""
    waiting: dict[str, int] = {}
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                raise Refused(
                    400,
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                    "'tool_calls'.",
                    param=f"messages.[{index}].role",
                )
            del waiting[message["tool_call_id"]]
            continue
        _refuse_waiting(waiting, index)
        if message["role"] == "assistant":
            calls = message.get("tool_calls", [])
            if not calls and message.get("content") is None and message.get("refusal") is None:
                raise Refused(
                    400,
                    "Invalid value for 'content': expected a string, got null.",
                    param=f"messages.[{index}].content",
                )
            waiting = {call["id"]: index for call in calls}
    _refuse_waiting(waiting, len(messages))


def _refuse_waiting(waiting: dict[str, int], index: int) -> None:
    if waiting:
        raise Refused(
            400,
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}",
            param=f"messages.[{index}].role",
        )


def check_openai_model(body: Body) -> None:
    """Check what OpenAI's own models refuse."""
    model = body["model"]
    if not re.match(r"(gpt-|o\d|chatgpt-|ft:|codex-)", model):
        text = f"The model `{model}` does not exist or you do not have access to it."
        raise Refused(404, text, code="model_not_found")
    if RESPONSES_ONLY.match(model):
        text = "This model is only supported in v1/responses and not in v1/chat/completions."
        raise Refused(404, text, param="model")
    if REASONING.match(model):
        _check_reasoning_model(body)
    elif body.get("reasoning_effort"):
        raise Refused(400, "Unrecognized request argument supplied: reasoning_effort")
    if body.get("max_tokens") and body.get("max_completion_tokens"):
        raise Refused(400, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
    for index, message in enumerate(body["messages"]):
        for at, call in enumerate(message.get("tool_calls", [])):
            if len(call["id"]) > ID_LIMIT:
                place = f"messages[{index}].tool_calls[{at}].id"
                text = f"Invalid '{place}': string too long. Expected a string with maximum length 40."
                raise Refused(400, text, code="string_above_max_length", param=place)


def _check_reasoning_model(body: Body) -> None:
    if body.get("max_tokens") is not None:
        raise Refused(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            code="unsupported_parameter",
            param="max_tokens",
        )
    refuse_sampling(body)
    for name in ("stop", "logprobs", "top_logprobs", "logit_bias"):
        if body.get(name):
            refuse_parameter(name)
    for index, message in enumerate(body["messages"]):
        if message["role"] == "system" and re.match(r"o1($|-)", body["model"]):
            place = f"messages[{index}].role"
            text = f"Unsupported value: '{place}' does not support 'system' with this model."
            raise Refused(400, text, code="unsupported_value", param=place)


def refuse_sampling(body: Body) -> None:
    """Refuse sampling options other than the defaults."""
    for name, default in FIXED.items():
        if body.get(name) not in {None, default}:
            raise Refused(
                400,
                f"Unsupported value: '{name}' does not support {body[name]} with this model. Only the default "
                f"({default}) value is supported.",
                code="unsupported_value",
                param=name,
            )


def refuse_parameter(name: str) -> None:
    """Refuse a parameter that the model does not take."""
    text = f"Unsupported parameter: '{name}' is not supported with this model."
    raise Refused(400, text, code="unsupported_parameter", param=name)
