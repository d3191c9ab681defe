"""The updates of a turn: their fields, their order, and what is redacted."""

import pytest

from tests.serve.acp_client import is_update, prompt_params, text_block
from tests.serve.models import ToolCall, Usage
from tests.vendors.replies import Reply


def turn(client, session, text="Do it."):
    """Run a turn; return its updates and the line that answers the prompt."""
    after = len(client.lines) - 1
    line = client.call("session/prompt", prompt_params(session, text))
    assert line["result"] == {"stopReason": "end_turn"}, line.message
    lines = client.matching(is_update(None, session), after)
    assert all(one.index < line.index for one in lines), "all updates come before the answer"
    return [one.update for one in lines], line


def kinds(updates):
    return [update["sessionUpdate"] for update in updates]


def of_kind(updates, kind):
    return [update for update in updates if update["sessionUpdate"] == kind]


def test_text_is_streamed_piece_by_piece(client, session, model):
    held = model.queue("One ", "two ", "three.", hold=True)
    prompt = client.start_prompt(session, "Count.")
    held.wait()
    for count, text in enumerate(("One ", "two ", "three."), 1):
        held.allow()
        client.wait_for(is_update("agent_message_chunk", session, content=text_block(text)))
        assert len(client.updates(session, "agent_message_chunk")) == count
    held.release()
    client.answer(prompt)
    chunks = client.updates(session, "agent_message_chunk")
    assert len({chunk["messageId"] for chunk in chunks}) == 1
    assert all(set(chunk) == {"sessionUpdate", "content", "messageId"} for chunk in chunks)
    assert isinstance(chunks[0]["messageId"], str)


def test_each_answer_of_the_model_has_a_message_id(client, session, model):
    model.queue("I look.", ToolCall("look", {"path": "a"}))
    model.queue("I see.")
    updates, _ = turn(client, session)
    ids = [update["messageId"] for update in of_kind(updates, "agent_message_chunk")]
    assert len(set(ids)) == 2
    model.queue("More.")
    updates, _ = turn(client, session)
    assert of_kind(updates, "agent_message_chunk")[0]["messageId"] not in ids


THINKER = 'pipeline main(task) {\n  return agent_loop(task, nil, {provider: "mock", model: "mock"})\n}\n'


def test_thoughts(start, tmp_path):
    script = 'llm_mock({text: "I say.", thinking: "I think."})\n' + THINKER
    client = start(script)
    session = client.new_session(tmp_path)
    updates, _ = turn(client, session)
    (thought,) = of_kind(updates, "agent_thought_chunk")
    (text,) = of_kind(updates, "agent_message_chunk")
    assert thought["content"] == text_block("I think.")
    assert text["content"] == text_block("I say.")
    assert isinstance(thought["messageId"], str)
    assert updates.index(thought) < updates.index(text)


def test_a_tool_call_in_order(client, session, model):
    model.queue(ToolCall("look", {"path": "a.py"}, id="call_7"))
    model.queue("I see.")
    updates, _ = turn(client, session)
    (call,) = of_kind(updates, "tool_call")
    assert call == {
        "sessionUpdate": "tool_call",
        "toolCallId": "call_7",
        "title": "look",
        "kind": "other",
        "status": "pending",
        "rawInput": {"path": "a.py"},
    }
    changes = of_kind(updates, "tool_call_update")
    assert [change["status"] for change in changes] == ["in_progress", "completed"]
    assert {change["toolCallId"] for change in changes} == {"call_7"}
    last = changes[-1]
    assert last["rawOutput"] == "seen a.py"
    assert last["content"] == [{"type": "content", "content": text_block("seen a.py")}]
    assert last["_meta"]["harn"]["durationMs"] >= 0
    assert "executor" in last["_meta"]["harn"]
    assert "errorCategory" not in last["_meta"]["harn"]
    assert updates.index(call) < updates.index(changes[0]) < updates.index(last)
    assert updates.index(last) < updates.index(of_kind(updates, "agent_message_chunk")[0])


def test_the_kind_comes_from_the_annotations(client, session, model):
    model.queue(ToolCall("read", {"path": "a.py"}))
    updates, _ = turn(client, session)
    assert of_kind(updates, "tool_call")[0]["kind"] == "read"


BROKEN = {
    "a tool that throws": (ToolCall("broken", {}), "it is broken"),
    "a tool that does not exist": (ToolCall("nothing", {}), "nothing"),
    "a missing argument": (ToolCall("look", {}), "path"),
}


@pytest.mark.parametrize(("call", "text"), BROKEN.values(), ids=BROKEN)
def test_a_failed_tool(client, session, model, call, text):
    model.queue(call)
    updates, _ = turn(client, session)
    last = of_kind(updates, "tool_call_update")[-1]
    assert last["status"] == "failed"
    assert text in str(last["content"])
    assert last["_meta"]["harn"]["errorCategory"]
    assert kinds(updates).count("tool_call") == 1


def test_several_tools_in_one_answer(client, session, model):
    model.queue(
        ToolCall("look", {"path": "a"}, id="a"), ToolCall("broken", {}, id="b"), ToolCall("look", {"path": "c"}, id="c")
    )
    updates, _ = turn(client, session)
    final = {u["toolCallId"]: u["status"] for u in of_kind(updates, "tool_call_update")}
    assert final == {"a": "completed", "b": "failed", "c": "completed"}


def test_secrets_of_tools_are_redacted_and_the_model_gets_them(client, session, model):
    model.queue(ToolCall("secretive", {"text": "token: sk-abcdefghijklmnopqrstuv"}))
    updates, _ = turn(client, session)
    wire = str(of_kind(updates, "tool_call") + of_kind(updates, "tool_call_update"))
    assert "hunter2" not in wire
    assert "abcdefghijklmnopqrstuv" not in wire
    assert "password=[redacted]" in wire
    assert "hunter2hunter2" in str(model.requests[-1]["messages"])


def test_a_plan(client, session, model):
    steps = [
        {"step": "look", "status": "done"},
        {"step": "think", "status": "in_progress"},
        {"step": "act", "status": "?"},
    ]
    model.queue(ToolCall("update_plan", {"plan": steps}))
    updates, _ = turn(client, session)
    (plan,) = of_kind(updates, "plan")
    assert plan["entries"] == [
        {"content": "look", "priority": "medium", "status": "completed"},
        {"content": "think", "priority": "medium", "status": "in_progress"},
        {"content": "act", "priority": "medium", "status": "pending"},
    ]


def test_usage_after_each_model_call(client, session, model):
    model.queue(Reply(ToolCall("look", {"path": "a"}), usage=Usage(input_tokens=1000, output_tokens=20)))
    model.queue(Reply("Done.", usage=Usage(input_tokens=1100, output_tokens=30)))
    updates, _ = turn(client, session)
    usage = of_kind(updates, "usage_update")
    assert len(usage) == 2
    assert all(set(one) == {"sessionUpdate", "used", "size"} for one in usage)
    assert all(one["size"] == 128_000 for one in usage)
    assert usage[0]["used"] < usage[1]["used"]


def test_nothing_else_is_sent(client, session, model):
    model.queue("I look.", ToolCall("look", {"path": "a"}))
    model.queue("I see.")
    updates, _ = turn(client, session)
    assert set(kinds(updates)) == {
        "agent_message_chunk", "tool_call", "tool_call_update", "usage_update", "session_info_update"
    }  # fmt: skip
    assert updates[-1]["sessionUpdate"] == "session_info_update"


def test_tools_skipped_by_an_interrupt(client, session, model):
    held = model.queue(ToolCall("read", {"path": "a"}, id="skipped"), hold=True)
    prompt = client.start_prompt(session, "Read.")
    held.wait()
    params = {"sessionId": session, "body": "Stop reading.", "mode": "interrupt_immediate"}
    client.request("session/inject_reminder", params)
    held.release()
    client.answer(prompt)
    updates = [u for u in client.updates(session) if u.get("toolCallId") == "skipped"]
    assert [(u["sessionUpdate"], u["status"]) for u in updates] == [
        ("tool_call", "pending"),
        ("tool_call_update", "failed"),
    ]
    assert (updates[0]["title"], updates[0]["kind"]) == ("read", "read")
    assert "not dispatched" in str(updates[1]["content"])


@pytest.mark.parametrize("declares", [True, False])
def test_compaction_is_reported_to_those_who_declare_it(client, session, declares):
    client.initialize(**({"session": {"compaction": {}}} if declares else {}))
    for text in ("one", "two", "three"):
        client.prompt(session, text)
    client.prompt(session, "compact")
    found = client.updates(session, "compaction_update")
    assert len(found) == declares
    if declares:
        assert set(found[0]) == {"sessionUpdate", "compactionId", "status"}
        assert found[0]["status"] == "completed"
    client.initialize()


# --- the order of lines


def remind(client, session, body, **fields):
    params = {"sessionId": session, "body": body, **fields}
    return client.call("session/inject_reminder", params)


def test_reminders_come_before_the_text_and_expire_after_it(client, session, model):
    remind(client, session, "old", dedupeKey="k", ttlTurns=1)
    remind(client, session, "new", dedupeKey="k", ttlTurns=1)
    remind(client, session, "other", ttlTurns=1)
    updates, _ = turn(client, session)
    names = [kind for kind in kinds(updates) if kind != "usage_update"]
    assert names == [
        "reminder_deduped",
        "reminder_emitted",
        "reminder_emitted",
        "agent_message_chunk",
        "reminder_expired",
        "reminder_expired",
        "session_info_update",
    ]
    assert [u["body"] for u in of_kind(updates, "reminder_emitted")] == ["new", "other"]


def test_a_reminder_is_acknowledged_before_it_is_emitted(client, session, model):
    held = model.queue(ToolCall("look", {"path": "a"}), hold=True)
    prompt = client.start_prompt(session, "Look.")
    held.wait()
    held.release()
    lines = [remind(client, session, f"number {n}", ttlTurns=1) for n in range(20)]
    client.answer(prompt)
    client.prompt(session, "And then?")
    for line in lines:
        emitted = client.wait_for(is_update("reminder_emitted", session, reminderId=line["result"]["reminderId"]))
        assert line.index < emitted.index


def test_the_answers_of_quick_requests_come_in_order(client, session, model):
    held = model.queue("slow", hold=True)
    prompt = client.start_prompt(session, "hello")
    held.wait()
    after = len(client.lines) - 1
    messages = []
    for n in range(60):
        method = ("session/inject_reminder", "session/pending_injections", "session/list", "session/inject")[n % 4]
        params = {
            "session/inject_reminder": {"sessionId": session, "body": f"b{n}", "ttlTurns": 1},
            "session/inject": {"sessionId": session, "mode": "steer", "content": [text_block(f"s{n}")]},
        }.get(method, {} if method == "session/list" else {"sessionId": session})
        messages.append({"jsonrpc": "2.0", "id": f"q{n}", "method": method, "params": params})
    client.send(*messages)
    client.answer("q59")
    ids = [line["id"] for line in client.lines[after + 1 :] if "method" not in line.message]
    assert ids == [f"q{n}" for n in range(60)]
    held.release()
    client.answer(prompt, 30)


def test_one_session_does_not_wait_for_another(client, folder, model):
    slow, quick = client.new_session(folder), client.new_session(folder)
    held = model.on("slow", "late", hold=True)
    prompt = client.start_prompt(slow, "slow")
    held.wait()
    assert client.prompt(quick, "return null") == {"stopReason": "end_turn"}
    client.request("session/pending_injections", {"sessionId": slow})
    held.release()
    client.answer(prompt)
