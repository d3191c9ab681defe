"""The mock's record of its calls, and the cost of keeping it."""

import tracemalloc

from harnlite.llm.backend import ChatRequest
from harnlite.llm.mock import mocks_of
from harnlite.llm.mock_matching import Pools, leaves
from harnlite.llm.model_call import call

from .running import queue, within


def request(ordinary, placed=None):
    messages = ordinary if placed is None else placed
    return ChatRequest(provider="mock", model="m", messages=messages, ordinary=ordinary)


def message(text, role="user"):
    return {"role": role, "content": text}


def test_what_is_kept_of_a_request_is_what_was_sent():
    pools = Pools()
    first, second, third = message("one"), message("two", "assistant"), message([{"type": "text", "text": "drei é"}])
    developer = message("System reminder:\nx", "developer")
    changed = {**first, "content": [{"type": "text", "text": "b"}, {"type": "text", "text": "one"}]}
    requests = [
        request([first]),
        request([first, second], [developer, first, second]),
        request([first, second, third], [developer, changed, second, third]),
        request([first, second]),
        request([second, third]),
        request([]),
        request([], [developer]),
        request([first, third], [changed, third]),
    ]
    kept = [pools.sent(each) for each in requests]
    for sent, each in zip(kept, requests, strict=True):
        text = "\n".join(leaves(list(each.messages)))
        assert sent.messages() == list(each.messages)
        assert sent.text() == text
        assert sent.text_bytes() == len(text.encode())


def test_memory_grows_with_the_conversation_and_not_with_its_square():
    def grown(turns):
        def work(run):
            messages = [message("go")]
            before = tracemalloc.get_traced_memory()[0]
            for turn in range(turns):
                queue(run, f"answer {turn}")
                call(run, "x", None, {"provider": "mock", "messages": messages})
                messages = [*messages, message(f"answer {turn}", "assistant"), message("go on")]
            return tracemalloc.get_traced_memory()[0] - before

        return within(work)

    tracemalloc.start()
    try:
        short, long = grown(100), grown(400)
    finally:
        tracemalloc.stop()
    assert long < 5 * short


def test_a_row_shows_messages_system_and_tools_as_sent():
    def work(run):
        tool = {"name": "read", "description": "Reads.", "parameters": {"path": {"type": "string"}}}
        options = {"provider": "mock", "tools": [tool], "tool_format": "native"}
        call(run, "hi", "P", {**options, "tool_choice": "auto", "thinking": "low"})
        return mocks_of(run).calls()[0]

    row = within(work)
    assert row["messages"] == [{"role": "user", "content": "hi"}]
    assert row["system"].startswith("P\n\n## Native tool protocol")
    assert row["tools"][0]["name"] == "read"
    assert (row["tool_choice"], row["thinking"]) == ("auto", {"mode": "effort", "level": "low"})
    assert (row["output_format"], row["api_mode"], row["store"]) == ({"kind": "text"}, None, None)


def test_tool_search_of_our_own_hides_deferred_tools():
    def work(run):
        tools = [{"name": "read"}, {"name": "rare", "defer_loading": True}]
        options = {"provider": "mock", "tools": tools, "tool_format": "text", "tool_search": True}
        call(run, "hi", None, options)
        return mocks_of(run).calls()[0]["system"]

    system = within(work)
    assert "### read" in system
    assert "### __harn_tool_search" in system
    assert "### rare" not in system
