"""The cases of the conformance kits for 1.0 and 0.3, as far as they are about JSON-RPC.

The agent is the one that the kit for 1.0 drives by prefixes of message ids. Names such as CORE-SEND-001 are the kit's.
"""

import re
import time
import uuid

import pytest

from tests.serve.a2a_client import CARD, ROOT, STATES_10, Client, a2a_server, state_of, status_text

AGENT = ROOT / "tests" / "serve" / "a2a_kit" / "agent.harn"
NOW = {"returnImmediately": True}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    """Return the server of the agent, with the strict card."""
    with a2a_server(AGENT, "--strict-card", "--store", ":memory:", cwd=tmp_path_factory.mktemp("kit")) as server:
        yield server


@pytest.fixture
def kit(agent):
    """Return a client of 1.0."""
    client = Client(agent.port, headers={"A2A-Version": "1.0"})
    yield client
    client.close_streams()


def message(prefix, **fields):
    parts = [{"text": "Hello from the kit"}]
    return {"messageId": f"tck-{prefix}-{uuid.uuid4()}", "role": "ROLE_USER", "parts": parts, **fields}


def params(prefix, configuration=None, **fields):
    found = {"message": message(prefix, **fields)}
    return found if configuration is None else {**found, "configuration": configuration}


def send(kit, prefix, configuration=None, **fields):
    return kit.result("SendMessage", params(prefix, configuration, **fields))["task"]


def reason_of(error):
    info = error["data"][0]
    assert info["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
    assert info["domain"] == "a2a-protocol.org"
    return info["reason"]


# The card


def test_the_card_has_every_required_member(kit):
    card = kit.get(CARD).json
    required = {"name", "description", "version", "supportedInterfaces", "capabilities", "defaultInputModes"}
    assert required | {"defaultOutputModes", "skills"} == set(card)
    assert all(set(skill) == {"id", "name", "description", "tags"} for skill in card["skills"])
    assert all(set(item) == {"url", "protocolBinding", "protocolVersion"} for item in card["supportedInterfaces"])
    assert card["supportedInterfaces"][0]["protocolBinding"] == "JSONRPC"


def test_the_card_can_be_cached(kit):
    answer = kit.get(CARD)
    assert "max-age" in answer.headers["cache-control"]
    assert kit.http("GET", CARD, headers={"If-None-Match": answer.headers["etag"]}).status == 304


# CORE-SEND: SendMessage


def test_a_message_becomes_a_task_with_ids_of_the_server(kit):
    task = send(kit, "complete-task")
    assert state_of(task) == "completed"
    assert task["id"]
    assert task["contextId"]
    assert TIME.fullmatch(task["status"]["timestamp"])
    assert task["history"][0]["role"] == "ROLE_USER"


def test_a_message_may_be_answered_with_a_message(kit):
    result = kit.result("SendMessage", params("message-response"))
    assert set(result) == {"message"}
    assert result["message"]["role"] == "ROLE_AGENT"
    assert result["message"]["parts"] == [{"text": "Direct message response"}]
    assert result["message"]["messageId"]


@pytest.mark.parametrize(
    ("prefix", "part"),
    [
        ("complete-task", {"text": "Hello from the agent"}),
        ("artifact-file", {"raw": "RmlsZSBjb250ZW50", "filename": "output.txt", "mediaType": "text/plain"}),
        (
            "artifact-file-url",
            {"url": "https://example.com/output.txt", "filename": "output.txt", "mediaType": "text/plain"},
        ),
        ("artifact-data", {"data": {"key": "value", "count": 42}}),
    ],
)
def test_artifacts_have_parts_of_every_kind(kit, prefix, part):
    (artifact,) = send(kit, prefix)["artifacts"]
    assert artifact["parts"] == [part]
    assert artifact["artifactId"]


@pytest.mark.parametrize(
    ("prefix", "state"),
    [
        ("input-required", "INPUT_REQUIRED"),
        ("auth-required", "AUTH_REQUIRED"),
        ("reject-task", "REJECTED"),
        ("fail-task", "FAILED"),
    ],
)
def test_states_end_a_waiting_send(kit, prefix, state):
    task = send(kit, prefix)
    assert task["status"]["state"] == STATES_10 + state
    assert status_text(task)


def test_a_send_that_returns_immediately(kit):
    task = send(kit, "long-running", NOW)
    assert state_of(task) in {"submitted", "working"}
    assert state_of(kit.result("CancelTask", {"id": task["id"]})) == "canceled"


@pytest.mark.parametrize("name", ["messageId", "role", "parts"])
def test_a_message_without_a_required_member(kit, name):
    given = message("complete-task")
    del given[name]
    assert kit.error("SendMessage", {"message": given})["code"] == -32602


def test_an_unsupported_media_type(kit):
    given = message("complete-task", parts=[{"raw": "AAAA", "mediaType": "application/x-unsupported"}])
    error = kit.error("SendMessage", {"message": given})
    assert error["code"] == -32005
    assert reason_of(error) == "CONTENT_TYPE_NOT_SUPPORTED"


def test_a_message_to_an_unknown_or_finished_task(kit):
    error = kit.error("SendMessage", params("complete-task", taskId="no-such-task"))
    assert (error["code"], reason_of(error)) == (-32001, "TASK_NOT_FOUND")
    task = send(kit, "complete-task")
    error = kit.error("SendMessage", params("complete-task", taskId=task["id"]))
    assert (error["code"], reason_of(error)) == (-32004, "UNSUPPORTED_OPERATION")


# CORE-MULTI: several turns


def test_a_question_is_answered_in_the_same_task(kit):
    asking = send(kit, "input-required")
    task = send(kit, "complete-task", taskId=asking["id"])
    assert state_of(task) == "completed"
    assert (task["id"], task["contextId"]) == (asking["id"], asking["contextId"])
    assert [item["role"] for item in task["history"]] == ["ROLE_USER", "ROLE_AGENT", "ROLE_USER"]


def test_a_context_of_the_client_is_kept(kit):
    context = str(uuid.uuid4())
    tasks = [send(kit, "complete-task", contextId=context) for _ in range(2)]
    assert {task["contextId"] for task in tasks} == {context}
    assert len({task["id"] for task in tasks}) == 2


def test_the_context_of_another_task_is_refused(kit):
    asking = send(kit, "input-required")
    error = kit.error("SendMessage", params("complete-task", taskId=asking["id"], contextId="another"))
    assert error["code"] == -32602


# CORE-GET, CORE-LIST, CORE-CANCEL


@pytest.mark.parametrize(("length", "count"), [(0, 0), (1, 1), (2, 2), (10, 3)])
def test_the_length_of_the_history(kit, length, count):
    asking = send(kit, "input-required")
    send(kit, "complete-task", taskId=asking["id"])
    task = kit.result("GetTask", {"id": asking["id"], "historyLength": length})
    assert len(task.get("history", [])) == count
    assert ("history" in task) is (count > 0)


def test_lists_have_their_four_members_and_pages(kit):
    context = str(uuid.uuid4())
    ids = [send(kit, "complete-task", contextId=context)["id"] for _ in range(3)]
    page = kit.result("ListTasks", {"contextId": context, "pageSize": 2})
    assert set(page) == {"tasks", "nextPageToken", "pageSize", "totalSize"}
    assert (page["pageSize"], page["totalSize"], len(page["tasks"])) == (2, 3, 2)
    rest = kit.result("ListTasks", {"contextId": context, "pageSize": 2, "pageToken": page["nextPageToken"]})
    assert rest["nextPageToken"] == ""
    found = [task["id"] for task in page["tasks"] + rest["tasks"]]
    assert sorted(found) == sorted(ids)
    times = [task["status"]["timestamp"] for task in page["tasks"] + rest["tasks"]]
    assert times == sorted(times, reverse=True)
    assert all("artifacts" not in task for task in page["tasks"])


@pytest.mark.parametrize("given", [{"pageSize": 0}, {"pageSize": 101}, {"historyLength": -1}, {"pageToken": "x"}])
def test_bad_filters(kit, given):
    assert kit.error("ListTasks", given)["code"] == -32602


def test_cancelling(kit):
    task = send(kit, "input-required")
    assert state_of(kit.result("CancelTask", {"id": task["id"]})) == "canceled"
    error = kit.error("CancelTask", {"id": task["id"]})
    assert (error["code"], reason_of(error)) == (-32002, "TASK_NOT_CANCELABLE")
    error = kit.error("CancelTask", {"id": "no-such-task"})
    assert (error["code"], reason_of(error)) == (-32001, "TASK_NOT_FOUND")


# STREAM


@pytest.mark.parametrize("prefix", ["stream-001", "stream-003", "stream-ordering-001", "stream-artifact-text"])
def test_a_stream_begins_with_the_task_and_ends_with_its_last_state(kit, prefix):
    events = [event.result for event in kit.stream("SendStreamingMessage", params(prefix)).all()]
    assert all(len(event) == 1 for event in events)
    assert list(events[0]) == ["task"]
    assert state_of(events[-1]["statusUpdate"]) == "completed"
    assert any("artifactUpdate" in event for event in events)
    times = [event["statusUpdate"]["status"]["timestamp"] for event in events if "statusUpdate" in event]
    assert times == sorted(times)


def test_a_message_on_a_stream_is_that_of_the_last_status(kit):
    events = kit.stream("SendStreamingMessage", params("stream-002")).all()
    assert status_text(events[-1].result["statusUpdate"]) == "Direct message response"


def test_an_artifact_in_pieces(kit):
    events = kit.stream("SendStreamingMessage", params("stream-artifact-chunked")).all()
    first, second = (event.result["artifactUpdate"] for event in events if "artifactUpdate" in event.result)
    assert "append" not in first
    assert (second["append"], second["lastChunk"]) == (True, True)
    assert first["artifact"]["artifactId"] == second["artifact"]["artifactId"]
    (artifact,) = kit.task(events[0].result["task"]["id"])["artifacts"]
    assert "".join(part["text"] for part in artifact["parts"]) == "chunk-1 chunk-2"


def test_subscribing(kit):
    task = send(kit, "stream-001", NOW)
    events = kit.stream("SubscribeToTask", {"id": task["id"]}).all()
    assert events[0].result["task"]["id"] == task["id"]
    assert events[-1].state == "completed"
    error = kit.error("SubscribeToTask", {"id": task["id"]})
    assert (error["code"], reason_of(error)) == (-32004, "UNSUPPORTED_OPERATION")
    assert kit.error("SubscribeToTask", {"id": "no-such-task"})["code"] == -32001


def test_two_subscribers_get_the_same_events(kit):
    task = send(kit, "stream-001", NOW)
    one, other = (kit.stream("SubscribeToTask", {"id": task["id"]}) for _ in range(2))
    assert [event.result for event in one.all()][1:] == [event.result for event in other.all()][1:]


# Versions, capabilities, errors


@pytest.mark.parametrize(("version", "is_served"), [("1.0", True), ("1.0.1", True), ("99.0", False), ("0.5", False)])
def test_versions(kit, version, is_served):
    reply = kit.call("SendMessage", params("complete-task"), headers={"A2A-Version": version})
    if is_served:
        assert "result" in reply
    else:
        assert (reply["error"]["code"], reason_of(reply["error"])) == (-32009, "VERSION_NOT_SUPPORTED")


@pytest.mark.parametrize("name", ["Create", "Get", "List", "Delete"])
def test_what_the_card_does_not_declare(kit, name):
    method = f"{name}TaskPushNotificationConfig{'s' if name == 'List' else ''}"
    error = kit.error(method, {"taskId": "t", "id": "c", "url": "https://example.com/"})
    assert (error["code"], reason_of(error)) == (-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED")
    assert kit.error("GetExtendedAgentCard")["code"] == -32004


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"jsonrpc": "2.0", "id": 1, "method": ', -32700),
        (b'{"id": 1, "method": "GetTask"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "NoSuchMethod"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {}}', -32602),
    ],
)
def test_the_errors_of_json_rpc(kit, body, code):
    answer = kit.post(body)
    assert answer.status == 200
    assert answer.error["code"] == code


# The kit for 0.3, with the names and the shapes of that version


@pytest.fixture
def old(agent):
    """Return a client of 0.3, which sends no version."""
    client = Client(agent.port)
    yield client
    client.close_streams()


def old_message(prefix, **fields):
    return {**message(prefix), "kind": "message", "role": "user", "parts": [{"kind": "text", "text": "Hi"}], **fields}


def test_the_life_of_a_task_of_0_3(old):
    task = old.result("message/send", {"message": old_message("input-required")})
    assert (task["kind"], state_of(task)) == ("task", "input-required")
    ids = {"taskId": task["id"], "contextId": task["contextId"]}
    task = old.result("message/send", {"message": old_message("complete-task", **ids)})
    assert state_of(task) == "completed"
    assert len(old.result("tasks/get", {"id": task["id"], "historyLength": 2})["history"]) == 2
    assert old.error("tasks/cancel", {"id": task["id"]})["code"] == -32002
    assert old.error("tasks/get", {"id": "no-such-task"})["code"] == -32001


def test_a_stream_of_0_3(old):
    events = [event.result for event in old.stream("message/stream", {"message": old_message("stream-001")}).all()]
    assert events[0]["kind"] == "task"
    assert {event["kind"] for event in events[1:]} == {"status-update", "artifact-update"}
    assert [event.get("final") for event in events if event["kind"] == "status-update"][-1] is True


def test_a_subscription_of_0_3(old):
    configuration = {"blocking": False}
    given = {"message": old_message("stream-001"), "configuration": configuration}
    task = old.result("message/send", given)
    assert old.stream("tasks/resubscribe", {"id": task["id"]}).all()[-1].result["final"] is True


@pytest.mark.parametrize(
    "change", [{"parts": []}, {"parts": [{"kind": "invalid"}]}, {"messageId": None}, {"role": "bad"}]
)
def test_bad_messages_of_0_3(old, change):
    given = {**old_message("complete-task"), **change}
    assert old.error("message/send", {"message": given})["code"] == -32602


def test_many_requests_at_once_are_answered_soon(kit):
    began = time.monotonic()
    tasks = [send(kit, "complete-task", NOW) for _ in range(20)]
    assert all(state_of(kit.wait_for(task["id"])) == "completed" for task in tasks)
    assert time.monotonic() - began < 30
