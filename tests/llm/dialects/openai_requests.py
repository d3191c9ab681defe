"""Requests to OpenAI and compatible hosts for the tests in this folder."""

from harnlite.llm.backend import ChatRequest
from harnlite.llm.dialects.dialect import Host
from harnlite.llm.dialects.openai_chat import OPENAI_CHAT
from harnlite.llm.dialects.openai_responses import OPENAI_RESPONSES

REASONING = {"requires_completion_tokens": True, "accepts_temperature": False, "structured_output": "native"}
HI = {"role": "user", "content": "Hi"}
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
CALLS = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {"id": "call_a", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Rome"}'}},
        {"id": "call_b", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}},
    ],
}
ROME = {"role": "tool", "name": "weather", "tool_call_id": "call_a", "content": "sun"}
OSLO = {"role": "tool", "name": "weather", "tool_call_id": "call_b", "content": "rain"}


def request_to(provider, model, *messages, options=None, **more):
    """Return a request; without messages, a short one."""
    return ChatRequest(provider=provider, model=model, messages=list(messages) or [HI], options=options, **more)


def host_of(provider, flags=None, base_url="https://host/v1", **more):
    return Host(provider=provider, base_url=base_url, flags=flags, **more)


def openai_dialect(request):
    return OPENAI_RESPONSES if request.options.get("api_mode") == "responses" else OPENAI_CHAT


def wire(provider, model, *messages, flags=None, host=None, **more):
    """Return the request on the wire."""
    request = request_to(provider, model, *messages, **more)
    host = host or host_of(provider, flags)
    return openai_dialect(request).wire(request, host)


def body(*given, **more):
    return wire(*given, **more).body


def messages(*given, **more):
    return body(*given, **more)["messages"]
