"""Transcripts go from OpenAI to other vendors and back."""

import pytest

from harnlite.llm.backend import ChatRequest
from harnlite.llm.dialects import anthropic, gemini, ollama
from harnlite.llm.result import assistant_message

from .openai_replies import CALLED, THOUGHT, chat, read, response, said
from .openai_requests import HI, body, host_of, request_to

CALL = {"id": "call_a", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}
REPLIES = [
    ("chat", chat({"content": "I look.", "reasoning_content": "Hm.", "tool_calls": [CALL]}, "tool_calls")),
    ("responses", response(THOUGHT, said("I look."), CALLED)),
]
OTHERS = [
    ("anthropic", "claude-sonnet-4-6", anthropic.DIALECT),
    ("gemini", "gemini-2.5-pro", gemini.DIALECT),
    ("ollama", "llama3.2", ollama.DIALECT),
]


@pytest.mark.parametrize(("api", "answer"), REPLIES)
@pytest.mark.parametrize(("provider", "model", "dialect"), OTHERS)
def test_other_vendors_take_the_replies_of_openai(api, answer, provider, model, dialect):
    message = assistant_message(read(answer, api=api), request_to("openai", "gpt-4o"))
    result = {"role": "tool", "name": "f", "tool_call_id": "call_a", "content": "sun"}
    request = ChatRequest(
        provider=provider, model=model, messages=[HI, message, result], options={"max_tokens": 99}, wire_format=provider
    )
    sent = str(dialect.wire(request, host_of(provider, base_url="https://host")).body)
    assert "I look." in sent
    assert "sun" in sent
    assert "no result" not in sent
    assert "Hm." not in sent
    assert "Two cities." not in sent


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_openai_takes_the_replies_of_other_vendors(api):
    blocks = [
        {"type": "reasoning", "provider": "gemini", "native": {"thought": True}, "visibility": "private"},
        {"type": "output_text", "text": "", "thought_signature": "s", "visibility": "public"},
        {"type": "output_text", "text": "I look.", "visibility": "public"},
        {"type": "tool_call", "id": "x", "name": "f", "arguments": {"x": 1}, "thought_signature": "s"},
    ]
    result = {"role": "tool_result", "tool_use_id": "x", "content": "sun"}
    sent = body("openai", "o3", HI, {"role": "assistant", "content": blocks}, result, options={"api_mode": api})
    if api == "chat":
        call = {"id": "x", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}
        assert sent["messages"][1:] == [
            {"role": "assistant", "content": "I look.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "x", "content": "sun"},
        ]
    else:
        assert sent["input"][1:] == [
            {"role": "assistant", "content": "I look."},
            {"type": "function_call", "call_id": "x", "name": "f", "arguments": '{"x":1}'},
            {"type": "function_call_output", "call_id": "x", "output": "sun"},
        ]
