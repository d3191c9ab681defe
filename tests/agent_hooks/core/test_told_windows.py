"""The size of the context window that an agent tells at one event holds for the later ones."""

import json

from harnlite.agent_hooks.counters import Counters
from harnlite.agent_hooks.formats.table import format_of
from tests.agent_hooks.core.sessions import AgentSession

HALF = 'register_persona_hook("*", "OnBudgetThreshold(40)", { ctx -> {reminder: {body: "of ${ctx.context_window}"}} })'


def test_the_window_that_qwen_tells_at_a_stop_is_used_with_its_transcript(tmp_path):
    chat = tmp_path / "chat.jsonl"
    chat.write_text(json.dumps({"type": "assistant", "usageMetadata": {"promptTokenCount": 90_000}}) + "\n")
    session = AgentSession(HALF, format_of("qwen"))
    named = {"transcript_path": str(chat)}

    before = session.say("UserPromptSubmit", prompt="a", submitted_prompt="a", **named)
    session.reply("Stop", context_limit=200_000, input_tokens=90_000, **named)
    after = session.say("UserPromptSubmit", prompt="b", submitted_prompt="b", **named)

    assert (before, after) == ("", "of 200000")


def test_a_window_is_noted_by_a_call_that_has_nothing_to_say():
    counters = Counters()
    data = {"session_id": "s", "context_limit": 200_000, "input_tokens": 90_000}
    call = format_of("qwen").read(data, "Stop", {})

    assert counters.is_counting(call)
    counters.advance(call)
    assert (counters.told_window, counters.is_counting(call)) == (200_000, False)
