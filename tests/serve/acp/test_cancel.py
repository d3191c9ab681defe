"""Cancelling: turns, tools, permissions, prompts in line, and single requests."""

import pytest

from tests.serve.acp_client import is_answer, is_request, is_update, text_block
from tests.serve.models import ToolCall, last_user_message

CANCELLED = {"stopReason": "cancelled"}


def cancel(client, session):
    client.notify("session/cancel", {"sessionId": session})


def cancel_request(client, _session, id):  # noqa: A002
    client.notify("$/cancel_request", {"requestId": id})


WAYS = {"session/cancel": lambda client, session, _: cancel(client, session), "$/cancel_request": cancel_request}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_model_call_is_stopped(client, session, model, way):
    held = model.queue("Never ", "to be seen.", hold=True)
    prompt = client.start_prompt(session, "hello")
    held.wait()
    held.allow()
    client.wait_for(is_update("agent_message_chunk", session))
    way(client, session, prompt)
    assert client.answer(prompt)["result"] == CANCELLED
    held.wait_gone()
    assert client.prompt(session, "again") == {"stopReason": "end_turn"}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_tool_is_stopped_and_fails(client, session, model, way):
    model.queue(ToolCall("pause", {"ms": 60_000}, id="long"))
    prompt = client.start_prompt(session, "wait")
    client.wait_for(is_update("tool_call_update", session, status="in_progress"))
    way(client, session, prompt)
    answer = client.answer(prompt)
    assert answer["result"] == CANCELLED
    found = client.matching(is_update("tool_call_update", session, toolCallId="long", status="failed"))
    assert len(found) == 1
    assert found[0].index < answer.index
    assert len(model.requests) == 1


def test_all_open_tools_fail(client, session, model):
    model.queue(ToolCall("look", {"path": "a"}, id="a"), ToolCall("pause", {"ms": 60_000}, id="b"),
                ToolCall("pause", {"ms": 60_000}, id="c"))  # fmt: skip
    prompt = client.start_prompt(session, "wait")
    client.wait_for(is_update("tool_call_update", session, status="in_progress", toolCallId="b"))
    cancel(client, session)
    client.answer(prompt)
    opened = {update["toolCallId"] for update in client.updates(session, "tool_call")}
    final = {update["toolCallId"]: update["status"] for update in client.updates(session, "tool_call_update")}
    assert final["a"] == "completed"
    assert all(final[id] == "failed" for id in opened - {"a"})  # noqa: A001


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_an_open_permission_is_cancelled(client, session, model, way):
    model.queue(ToolCall("danger", {"what": "harm"}, id="risky"))
    prompt = client.start_prompt(session, "do it")
    question = client.wait_for(
        lambda line: is_request("session/request_permission")(line) and line["params"]["sessionId"] == session
    )
    way(client, session, prompt)
    answer = client.answer(prompt)
    assert answer["result"] == CANCELLED
    told = client.wait_for(is_request("$/cancel_request"), after=question.index)
    assert told["params"]["requestId"] == question["id"]
    assert "id" not in told.message
    assert told.index < answer.index
    assert client.updates(session, "tool_call_update")[-1]["status"] == "failed"
    client.send({"jsonrpc": "2.0", "id": question["id"], "result": {"outcome": {"outcome": "cancelled"}}})
    client.sync()
    assert client.prompt(session, "return null") == {"stopReason": "end_turn"}


def test_prompts_in_line_are_cancelled_too(client, session, model):
    held = model.queue("never", hold=True)
    prompts = [client.start_prompt(session, text) for text in ("one", "two", "three")]
    held.wait()
    client.sync()
    cancel(client, session)
    for prompt in prompts:
        assert client.answer(prompt)["result"] == CANCELLED
    client.sync()
    assert len(model.requests) == 1
    assert client.prompt(session, "four") == {"stopReason": "end_turn"}


def test_one_prompt_in_line_is_cancelled(client, session, model):
    held = model.queue("first", hold=True)
    prompts = [client.start_prompt(session, text) for text in ("one", "two", "three")]
    held.wait()
    cancel_request(client, session, prompts[1])
    answer = client.answer(prompts[1])
    assert answer["result"] == CANCELLED
    held.release()
    assert client.answer(prompts[0])["result"] == {"stopReason": "end_turn"}
    assert client.answer(prompts[2])["result"] == {"stopReason": "end_turn"}
    assert [str(last_user_message(body)) for body in model.requests] == ["one", "three"]


def test_cancelling_the_running_prompt_keeps_those_in_line(client, session, model):
    held = model.queue("first", hold=True)
    prompts = [client.start_prompt(session, text) for text in ("one", "two")]
    held.wait()
    client.sync()
    cancel_request(client, session, prompts[0])
    assert client.answer(prompts[0])["result"] == CANCELLED
    assert client.answer(prompts[1])["result"] == {"stopReason": "end_turn"}


def test_waiting_injects_and_reminders_stay(client, session, model):
    held = model.queue("never", hold=True)
    prompt = client.start_prompt(session, "one")
    held.wait()
    queued = client.request(
        "session/inject", {"sessionId": session, "mode": "queue", "content": [text_block("queued")]}
    )
    client.request("session/inject_reminder", {"sessionId": session, "body": "Still here.", "ttlTurns": 1})
    cancel(client, session)
    answer = client.answer(prompt)
    assert answer["result"] == CANCELLED
    echo = client.wait_for(is_update("user_message", session, messageId=queued["messageId"]))
    assert answer.index < echo.index
    model.wait_for_requests(2)
    assert "queued" in str(model.requests[1]["messages"])
    assert "Still here." in str(model.requests[1]["messages"])
    client.wait_for(lambda line: b'"idle"' in line.raw and line["params"]["sessionId"] == session)


@pytest.mark.parametrize("params", [{"sessionId": "nothing"}, {}, {"sessionId": 1}, {"sessionId": None}, None])
def test_a_cancel_of_no_session_is_ignored(client, params):
    count = len(client.lines)
    client.notify("session/cancel", params)
    assert client.sync() == count


def test_a_cancel_of_an_idle_session_is_ignored(client, session):
    count = len(client.lines)
    cancel(client, session)
    assert client.sync() == count
    assert client.prompt(session, "return null") == {"stopReason": "end_turn"}


def test_repeated_cancels_are_one(client, session, model):
    held = model.queue("never", hold=True)
    prompt = client.start_prompt(session, "one")
    held.wait()
    for _ in range(20):
        cancel(client, session)
    assert client.answer(prompt)["result"] == CANCELLED
    client.sync()
    assert len(client.matching(is_answer(prompt))) == 1


def test_a_cancel_does_not_reach_other_sessions(client, folder, model):
    first, second = client.new_session(folder), client.new_session(folder)
    held = [model.on("alpha", "never", hold=True), model.on("beta", "answered", hold=True)]
    prompts = [client.start_prompt(first, "alpha"), client.start_prompt(second, "beta")]
    for one in held:
        one.wait()
    cancel(client, first)
    assert client.answer(prompts[0])["result"] == CANCELLED
    held[1].release()
    assert client.answer(prompts[1])["result"] == {"stopReason": "end_turn"}


@pytest.mark.parametrize("task", ["nap 60000", "spin"])
def test_a_script_is_cancelled(client, session, task):
    prompt = client.start_prompt(session, task)
    client.sync()
    cancel(client, session)
    assert client.answer(prompt)["result"] == CANCELLED


def test_a_cancelled_turn_is_never_an_error(start, tmp_path, model):
    script = 'pipeline main(task) {\n  try { agent_loop(task) } catch (e) { throw "caught" }\n  throw "after"\n}\n'
    client = start(script)
    session = client.new_session(tmp_path)
    held = model.queue("never", hold=True)
    prompt = client.start_prompt(session, "x")
    held.wait()
    cancel(client, session)
    assert client.answer(prompt)["result"] == CANCELLED


def test_what_was_said_before_a_cancel_stays(client, session, folder, model):
    held = model.queue("Half an ", "answer.", hold=True)
    prompt = client.start_prompt(session, "Say something.")
    held.wait()
    held.allow()
    client.wait_for(is_update("agent_message_chunk", session))
    cancel(client, session)
    client.answer(prompt)
    after = client.sync()
    client.request("session/load", {"sessionId": session, "cwd": folder, "mcpServers": []})
    replay = client.updates(session, after=after)
    assert [u["content"]["text"] for u in replay if u["sessionUpdate"] == "user_message_chunk"] == ["Say something."]


CANCELS = [{}, {"requestId": "nothing"}, {"requestId": None}, {"requestId": []}, {"requestId": 1}, {"what": 1}]


@pytest.mark.parametrize("params", CANCELS)
def test_a_cancel_of_no_request_is_ignored(client, params):
    count = len(client.lines)
    client.notify("$/cancel_request", params)
    assert client.sync() == count


def test_the_type_of_the_id_matters(client, session, model):
    held = model.queue("answer", hold=True)
    prompt = client.send_request("session/prompt", {"sessionId": session, "prompt": [text_block("x")]}, id=4711)
    held.wait()
    client.notify("$/cancel_request", {"requestId": "4711"})
    client.sync()
    held.release()
    assert client.answer(prompt)["result"] == {"stopReason": "end_turn"}


def test_an_answered_prompt_cannot_be_cancelled(client, session, model):
    prompt = client.start_prompt(session, "one")
    client.answer(prompt)
    held = model.queue("two", hold=True)
    second = client.start_prompt(session, "two")
    held.wait()
    cancel_request(client, session, prompt)
    client.sync()
    held.release()
    assert client.answer(second)["result"] == {"stopReason": "end_turn"}
    assert len(client.matching(is_answer(prompt))) == 1


def test_races_of_cancels_and_ends(client, session, model):
    for n in range(15):
        held = model.queue(f"answer {n}", hold=True)
        prompt = client.start_prompt(session, f"task {n}")
        held.wait()
        held.release()
        cancel(client, session)
        answer = client.answer(prompt)
        assert answer["result"]["stopReason"] in {"cancelled", "end_turn"}
        client.sync()
        later = client.matching(is_update({"agent_message_chunk", "tool_call"}, session), answer.index)
        assert later == [], "nothing of the turn follows its answer"
