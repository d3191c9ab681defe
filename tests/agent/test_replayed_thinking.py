"""The thinking that belongs to tool calls stays in the session as the provider wrote it, and nobody sees it as text."""

import json

import pytest

from harnlite import Engine

PROGRAM = """
pipeline default() {
  let tools = tool_define(tool_registry(), "work", "", {parameters: {}, handler: { _ -> "worked" }})
  let call = {id: "c1", type: "tool_call", name: "work", arguments: {}}
  llm_mock({text: "Let me see.", tool_calls: [call], blocks: BLOCKS})
  llm_mock({text: "done", consume_match: true})
  let result = agent_loop("t", nil, {provider: "mock", model: "claude-sonnet-4-6", tools: tools, tool_format: "native"})
  println(json_stringify({messages: llm_mock_calls()[1].messages, text: result.visible_text}))
}
"""
THINKING = (
    '{type: "reasoning", provider: "anthropic", visibility: "private", '
    'native: {type: "thinking", thinking: "hidden", signature: "s"}}'
)
TEXT = '{type: "output_text", text: "Let me see.", visibility: "public"}'
CALL = '{type: "tool_call", id: "c1", name: "work", arguments: {}, visibility: "internal"}'
SIGNED = CALL.replace("arguments: {},", 'arguments: {}, thought_signature: "s",')


def run(*blocks):
    outcome = Engine(cache=False).run(PROGRAM.replace("BLOCKS", f"[{', '.join(blocks)}]"))
    assert outcome.error is None, outcome.error
    return json.loads(outcome.stdout)


@pytest.mark.parametrize("blocks", [(THINKING, TEXT, CALL), (TEXT, SIGNED)])
def test_blocks_that_the_provider_needs_are_the_message(blocks):
    found = run(*blocks)
    assistant, result = found["messages"][1:3]
    assert [block["type"] for block in assistant["content"]] == [
        block.partition('"')[2].partition('"')[0] for block in blocks
    ]
    assert result["content"][0]["tool_use_id"] == "c1"
    assert "hidden" not in (found["text"] or "")


def test_other_replies_are_recorded_in_the_format_of_the_provider():
    assistant = run(TEXT, CALL)["messages"][1]
    assert [block["type"] for block in assistant["content"]] == ["text", "tool_use"]
