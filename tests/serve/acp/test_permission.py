"""Permission: the request, its answers, "always", and a turn that waits."""

import pytest

from tests.serve.acp_client import is_request, is_update
from tests.serve.models import ToolCall, seen

KINDS = ["allow_once", "allow_always", "reject_once", "reject_always"]


def selected(option):
    return {"result": {"outcome": {"outcome": "selected", "optionId": option}}}


def final(client, session, call):
    """Return the last status of a tool call."""
    return client.updates(session, "tool_call_update")[-1]["status"] if call else None


@pytest.fixture
def asked(client, session, model):
    """Return a function that runs a turn with one dangerous call and answers the question."""

    def ask(answer, tool="danger", arguments=None):
        questions = []

        def permission(message):
            questions.append(message)
            return answer

        client.permission = permission
        model.queue(ToolCall(tool, {"what": "harm"} if tool == "danger" else {}, id=f"call_{len(model.requests)}"))
        model.queue("So be it.")
        assert client.prompt(session, "Do it.") == {"stopReason": "end_turn"}
        return questions

    return ask


def test_the_request(client, session, asked):
    (question,) = asked(selected("allow_once"))
    assert question["id"].startswith("h-")
    params = question["params"]
    assert params["sessionId"] == session
    assert params["toolCall"] == {
        "toolCallId": "call_0",
        "title": "danger",
        "kind": "other",
        "status": "pending",
        "rawInput": {"what": "harm"},
    }
    assert [option["optionId"] for option in params["options"]] == KINDS
    assert [option["kind"] for option in params["options"]] == KINDS
    assert all(option["name"] for option in params["options"])
    lines = client.matching(is_request("session/request_permission"))
    call = client.wait_for(is_update("tool_call", session, toolCallId="call_0"))
    assert call.index < next(line for line in lines if line["params"]["sessionId"] == session).index


def test_tools_that_need_no_approval_are_not_asked_about(client, session, model):
    client.permission = lambda _: pytest.fail("asked")
    model.queue(ToolCall("look", {"path": "a"}))
    client.prompt(session, "Look.")


ANSWERS = {
    "allow once": (selected("allow_once"), True),
    "allow always": (selected("allow_always"), True),
    "reject once": (selected("reject_once"), False),
    "reject always": (selected("reject_always"), False),
    "an unknown option": (selected("yes"), False),
    "no option": ({"result": {"outcome": {"outcome": "selected"}}}, False),
    "cancelled": ({"result": {"outcome": {"outcome": "cancelled"}}}, False),
    "an unknown outcome": ({"result": {"outcome": {"outcome": "maybe", "optionId": "allow_once"}}}, False),
    "an outcome that is a text": ({"result": {"outcome": "selected", "optionId": "allow_once"}}, False),
    "nothing": ({"result": {}}, False),
    "null": ({"result": None}, False),
    "a list": ({"result": []}, False),
    "an error": ({"error": {"code": -32603, "message": "broken"}}, False),
    "an error of a client without the method": ({"error": {"code": -32601, "message": "Method not found"}}, False),
    "an error that is null": ({"error": None}, False),
}


@pytest.mark.parametrize(("answer", "is_allowed"), ANSWERS.values(), ids=ANSWERS)
def test_only_allow_is_consent(client, session, model, asked, answer, is_allowed):
    assert len(asked(answer)) == 1
    last = client.updates(session, "tool_call_update")[-1]
    assert last["status"] == ("completed" if is_allowed else "failed")
    assert ("did harm" in seen(model.requests[-1])) == is_allowed


@pytest.mark.parametrize(("option", "is_allowed"), [("allow_always", True), ("reject_always", False)])
def test_always_means_this_tool_in_this_session(client, session, folder, model, asked, option, is_allowed):
    assert len(asked(selected(option))) == 1
    assert asked(selected(option)) == []
    last = client.updates(session, "tool_call_update")[-1]
    assert last["status"] == ("completed" if is_allowed else "failed")
    assert len(asked(selected("reject_once"), "harmful")) == 1, "another tool is asked about"
    questions = []
    client.permission = lambda message: questions.append(message) or selected("reject_once")
    model.queue(ToolCall("danger", {"what": "harm"}))
    client.prompt(client.new_session(folder), "Do it.")
    assert len(questions) == 1, "another session is asked"


@pytest.mark.parametrize("option", ["allow_once", "reject_once"])
def test_once_means_once(asked, option):
    assert [len(asked(selected(option))), len(asked(selected(option)))] == [1, 1]


def test_the_turn_waits_for_the_answer(client, session, model):
    model.queue(ToolCall("danger", {"what": "harm"}))
    prompt = client.start_prompt(session, "Do it.")
    question = client.wait_for(
        lambda line: is_request("session/request_permission")(line) and line["params"]["sessionId"] == session
    )
    assert client.find(lambda line: line.message.get("id") == prompt and "method" not in line.message, 0.3) is None
    client.request("session/list", {})
    client.send({"jsonrpc": "2.0", "id": question["id"], **selected("allow_once")})
    assert client.answer(prompt)["result"] == {"stopReason": "end_turn"}


def test_a_second_answer_is_ignored(client, session, model, asked):
    (question,) = asked(selected("reject_once"))
    client.send({"jsonrpc": "2.0", "id": question["id"], **selected("allow_once")})
    client.sync()
    assert client.prompt(session, "return null") == {"stopReason": "end_turn"}


def test_errors_with_the_id_null_do_not_answer(client, session, model):
    model.queue(ToolCall("danger", {"what": "harm"}))
    prompt = client.start_prompt(session, "Do it.")
    question = client.wait_for(
        lambda line: is_request("session/request_permission")(line) and line["params"]["sessionId"] == session
    )
    client.send({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "Invalid request"}})
    client.send({"jsonrpc": "2.0", "id": "h-999", **selected("reject_once")})
    client.sync()
    assert client.updates(session, "tool_call_update") == []
    client.send({"jsonrpc": "2.0", "id": question["id"], **selected("allow_once")})
    assert client.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert client.updates(session, "tool_call_update")[-1]["status"] == "completed"


def test_ids_of_our_requests_are_not_used_twice(client, asked):
    ids = [asked(selected("allow_once"))[0]["id"] for _ in range(3)]
    assert len(set(ids)) == 3


def test_state_updates_around_a_permission(start, tmp_path, model):
    client = start(harn={"stateUpdate": True})
    client.permission = lambda _: selected("allow_once")
    session = client.new_session(tmp_path)
    model.queue(ToolCall("danger", {"what": "harm"}))
    client.prompt(session, "Do it.")
    states = [update["state"] for update in client.updates(session, "state_update")]
    assert states == ["running", "requires_action", "running", "idle"]


def test_permission_after_the_end_of_input_is_a_reject(start, tmp_path, model):
    client = start()
    session = client.new_session(tmp_path)
    model.queue(ToolCall("danger", {"what": "harm"}))
    prompt = client.start_prompt(session, "Do it.")
    client.wait_for(is_request("session/request_permission"))
    assert client.finish() == 0
    assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}
