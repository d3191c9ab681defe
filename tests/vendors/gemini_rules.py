"""What the Gemini API accepts."""

import re
import typing

from tests.vendors.api import Body
from tests.vendors.checks import (
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
    number,
    one_of,
    record,
    string,
    values_of,
)  # fmt: skip

INVALID = "INVALID_ARGUMENT"
NAMES: dict[str, str] = {"string": "TYPE_STRING", "integer": "TYPE_INT32", "number": "TYPE_FLOAT",
                         "boolean": "TYPE_BOOL",
                         "object": "object", "array": "list"}  # fmt: skip


def schema(value: object, path: tuple[str | int, ...]) -> None:
    """Check a schema: a subset of OpenAPI, without `additionalProperties`, `$ref` and `$schema`."""
    FIELDS(value, path)


FIELDS = record(
    type=one_of(*("STRING NUMBER INTEGER BOOLEAN ARRAY OBJECT NULL".lower().split()),
                    *(["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"])),
    format=string, title=string, description=string, nullable=boolean, enum=array(string),
    maxItems=anything, minItems=anything, properties=values_of(schema), required=array(string),
    minProperties=anything, maxProperties=anything, minLength=anything, maxLength=anything, pattern=string,
    example=anything, anyOf=array(schema), propertyOrdering=array(string), default=anything, items=schema,
    minimum=number, maximum=number,
)  # fmt: skip
_BLOB = record(
    {"mimeType": matching(r"[\w.+-]+/[\w.+-]+"), "data": matching(r"[A-Za-z0-9+/_-]+={0,2}")}, displayName=string
)
PART = record(
    text=string,
    thought=boolean,
    thoughtSignature=matching(r"[A-Za-z0-9+/_-]+={0,2}"),
    inlineData=_BLOB,
    fileData=record({"fileUri": string}, mimeType=string, displayName=string),
    functionCall=record({"name": filled_string}, args=mapping, id=string),
    functionResponse=record(
        {"name": filled_string, "response": mapping}, id=string, parts=array(mapping), scheduling=string,
        willContinue=boolean,
    ),
    executableCode=mapping, codeExecutionResult=mapping, videoMetadata=mapping, mediaResolution=anything,
    partMetadata=mapping,
)  # fmt: skip
CONTENT = record({"parts": array(PART)}, role=string)
DECLARATION = record(
    {"name": matching(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")}, description=string, parameters=schema,
    parametersJsonSchema=mapping, response=schema, responseJsonSchema=mapping, behavior=string,
)  # fmt: skip
TOOL = record(
    functionDeclarations=array(DECLARATION), googleSearch=mapping, googleSearchRetrieval=mapping, codeExecution=mapping,
    urlContext=mapping, computerUse=mapping, googleMaps=mapping, fileSearch=mapping, mcpServers=array(mapping),
)  # fmt: skip
LEVEL = one_of("MINIMAL", "LOW", "MEDIUM", "HIGH", "minimal", "low", "medium", "high")
GENERATION = record(
    temperature=between(0, 2), topP=between(0, 1), topK=number, candidateCount=integer, maxOutputTokens=integer,
    stopSequences=array(string, most=5), responseMimeType=one_of("text/plain", "application/json", "text/x.enum"),
    responseSchema=schema, responseJsonSchema=mapping, presencePenalty=number, frequencyPenalty=number,
    seed=integer, responseLogprobs=boolean, logprobs=integer, responseModalities=array(string), speechConfig=mapping,
    thinkingConfig=record(includeThoughts=boolean, thinkingBudget=integer, thinkingLevel=LEVEL),
    mediaResolution=string, imageConfig=mapping, enableEnhancedCivicAnswers=boolean,
)  # fmt: skip
BODY = record(
    {"contents": array(CONTENT)},
    systemInstruction=record({"parts": array(PART)}, role=string),
    tools=array(TOOL),
    toolConfig=record(
        functionCallingConfig=record(
            mode=one_of("AUTO", "ANY", "NONE", "VALIDATED"), allowedFunctionNames=array(string)
        ),
        retrievalConfig=mapping,
        includeServerSideToolInvocations=boolean,
    ),
    generationConfig=GENERATION,
    safetySettings=array(record({"category": string, "threshold": string})),
    cachedContent=string,
    serviceTier=string,
    store=boolean,
)
SNAKE = re.compile(r"_([a-z])")


def camel(value: object, *, free: bool = False) -> object:
    """Return the body with the names in camel case; protocol buffers accept both forms."""
    if isinstance(value, list):
        return [camel(item, free=free) for item in value]
    if not isinstance(value, dict) or free:
        return value
    found: Body = {}
    for name, item in value.items():
        key = SNAKE.sub(lambda match: match[1].upper(), name)
        is_free = key in {"args", "response", "parametersJsonSchema", "responseJsonSchema", "default", "example"}
        if key == "properties" and isinstance(item, dict):
            found[key] = {inner: camel(part) for inner, part in item.items()}
        else:
            found[key] = camel(item, free=is_free)
    return found


def explain(finding: Invalid) -> Refused:
    """Return the vendor's answer to a body of the wrong shape."""
    *parents, name = finding.path or ("",)
    place = ""
    for step in parents:
        place += f"[{step}]" if isinstance(step, int) else f".{step}"
    at = f" at '{place.removeprefix('.')}'" if place else ""
    full = f"{place}.{name}".removeprefix(".")
    if finding.kind == "unknown":
        text = f'Invalid JSON payload received. Unknown name "{name}"{at}: Cannot find field.'
    elif finding.kind == "type":
        text = f"Invalid value at '{full}' ({NAMES[finding.detail]}), {finding.given!r}"
    elif finding.kind == "missing" and name == "contents":
        text = "* GenerateContentRequest.contents: contents is not specified\n"
    elif finding.kind == "missing":
        text = f"* GenerateContentRequest.{full}: required field is missing\n"
    else:
        text = f"Invalid value at '{full}': {finding.detail}, {finding.given!r}"
    return Refused(400, text, code=INVALID)


def check_body(body: Body, model: str) -> None:
    """Check what the shape cannot express; raise Refused."""
    _check_contents(body["contents"])
    if "systemInstruction" in body and not body["systemInstruction"]["parts"]:
        _refuse("* GenerateContentRequest.system_instruction.parts: contents.parts must not be empty.\n")
    _check_tools(body)
    _check_turns(body["contents"])
    _check_generation(body.get("generationConfig", {}), model, body)
    if version_of(model) >= 3:
        _check_signatures(body["contents"])


def version_of(model: str) -> float:
    """Return the version in the name of a Gemini model."""
    match = re.search(r"gemini-(\d+(?:\.\d+)?)", model)
    return float(match[1]) if match else 0.0


def _refuse(text: str) -> typing.NoReturn:
    raise Refused(400, text, code=INVALID)


def _check_contents(contents: list[Body]) -> None:
    if not contents:
        _refuse("* GenerateContentRequest.contents: contents is not specified\n")
    for index, content in enumerate(contents):
        if content.get("role", "user") not in {"user", "model", "function"}:
            _refuse("Please use a valid role: user, model.")
        if not content["parts"]:
            _refuse(f"* GenerateContentRequest.contents[{index}].parts: contents.parts must not be empty.\n")
        for at, part in enumerate(content["parts"]):
            data = part.keys() - {"thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"}
            if not data and "thoughtSignature" not in part:
                place = f"contents[{index}].parts[{at}].data"
                _refuse(
                    f"* GenerateContentRequest.{place}: required oneof field 'data' must have one initialized field\n"
                )
            if len(data) > 1:
                _refuse(f"Invalid value at 'contents[{index}].parts[{at}]' (oneof), oneof field 'data' is already set.")
            role = content.get("role", "user")
            if ("functionCall" in part and role != "model") or ("functionResponse" in part and role == "model"):
                _refuse("Please ensure that function call parts have the role model and responses the role user.")


def _check_tools(body: Body) -> None:
    declarations = [each for tool in body.get("tools", []) for each in tool.get("functionDeclarations", [])]
    names = [each["name"] for each in declarations]
    for name in names:
        if names.count(name) > 1:
            _refuse(f"Duplicate function declaration found: {name}")
    for index, each in enumerate(declarations):
        place = f"GenerateContentRequest.tools[0].function_declarations[{index}].parameters"
        _check_schema(each.get("parameters", {}), place)
        if each.get("parameters", {}).get("type", "OBJECT").upper() != "OBJECT":
            _refuse(f"* {place}.type: should be OBJECT\n")
        if "parameters" in each and "parametersJsonSchema" in each:
            _refuse(f"* {place}: only one of parameters and parameters_json_schema may be set\n")
    config = body.get("toolConfig", {}).get("functionCallingConfig", {})
    for name in config.get("allowedFunctionNames", []):
        if config.get("mode") not in {"ANY", "VALIDATED"}:
            _refuse("Allowed function names can only be set when the function calling mode is ANY or VALIDATED.")
        if name not in names:
            _refuse(f"Allowed function name {name} is not among the function declarations.")
    if config.get("mode") == "ANY" and not names:
        _refuse("Function calling mode is ANY but no function_declarations are provided.")


def _check_schema(each: Body, place: str) -> None:
    kind = str(each.get("type", "")).upper()
    if each and not kind and "anyOf" not in each:
        _refuse(f"* {place}.type: must be specified\n")
    if kind == "ARRAY" and "items" not in each:
        _refuse(f"* {place}.items: missing field.\n")
    for name in each.get("required", []):
        if name not in each.get("properties", {}):
            _refuse(f"* {place}.required: property is not defined: {name}\n")
    if "enum" in each and kind != "STRING":
        _refuse(f"* {place}.enum: only allowed for STRING type\n")
    for name, inner in each.get("properties", {}).items():
        _check_schema(inner, f"{place}.properties[{name}]")
    if "items" in each:
        _check_schema(each["items"], f"{place}.items")


def _check_turns(contents: list[Body]) -> None:
    previous: Body = {"parts": [], "role": "user"}
    for index, content in enumerate(contents):
        calls = [part["functionCall"]["name"] for part in content["parts"] if "functionCall" in part]
        results = [part["functionResponse"]["name"] for part in content["parts"] if "functionResponse" in part]
        open_calls = [part["functionCall"]["name"] for part in previous["parts"] if "functionCall" in part]
        if calls and (index == 0 or previous.get("role", "user") == "model"):
            _refuse(
                "Please ensure that function call turn comes immediately after a user turn or after a function "
                "response turn."
            )
        if len(results) != len(open_calls):
            _refuse(
                "Please ensure that the number of function response parts is equal to the number of function call "
                "parts "
                "of the function call turn."
            )
        if sorted(results) != sorted(open_calls):
            _refuse("Please ensure that function response turn comes immediately after a function call turn.")
        previous = content
    if any("functionCall" in part for part in previous["parts"]):
        _refuse("Please ensure that function call turn is followed by a function response turn.")


def _check_generation(config: Body, model: str, body: Body) -> None:
    if config.get("candidateCount", 1) < 1 or config.get("maxOutputTokens", 1) < 1:
        _refuse("* GenerateContentRequest.generation_config: max_output_tokens must be positive.\n")
    has_schema = "responseSchema" in config or "responseJsonSchema" in config
    if has_schema and config.get("responseMimeType", "text/plain") == "text/plain":
        _refuse("* GenerateContentRequest.generation_config.response_schema: only allowed when mimetype is "
                "application/json or text/x.enum.\n")  # fmt: skip
    _check_schema(config.get("responseSchema", {}), "GenerateContentRequest.generation_config.response_schema")
    uses_json = config.get("responseMimeType") == "application/json"
    if uses_json and version_of(model) < 3 and any(tool.get("functionDeclarations") for tool in body.get("tools", [])):
        _refuse("Function calling with a response mime type: 'application/json' is unsupported")
    thinking = config.get("thinkingConfig", {})
    if thinking and version_of(model) < 2.5:
        _refuse("Thinking is not enabled for this model")
    if "thinkingLevel" in thinking and version_of(model) < 3:
        _refuse("Thinking level is not supported for this model.")
    if "thinkingLevel" in thinking and "thinkingBudget" in thinking:
        _refuse("You can only set only one of thinking budget and thinking level.")


def _check_signatures(contents: list[Body]) -> None:
    """Each step of the current turn needs the signature of its first function call."""
    texts = [
        index
        for index, content in enumerate(contents)
        if content.get("role", "user") == "user" and any("functionResponse" not in part for part in content["parts"])
    ]
    start = texts[-1] if texts else 0
    for index, content in enumerate(contents[start:], start):
        calls = [(at, part) for at, part in enumerate(content["parts"]) if "functionCall" in part]
        if calls and not calls[0][1].get("thoughtSignature"):
            at, part = calls[0]
            _refuse(
                f"Function call is missing a thought_signature in functionCall parts. Function call "
                f"`default_api:{part['functionCall']['name']}`, position {at + 1} of contents {index}."
            )
