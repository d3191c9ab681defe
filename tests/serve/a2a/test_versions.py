"""The three dialects: methods, shapes, versions and headers, row by row."""

import json
import re
import uuid

import pytest

from tests.serve.a2a_client import URI, message, reasons_of, state_of

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def old_message(text, dialect="0.3", **fields):
    """Return a user message of 0.3 or 0.1."""
    if dialect == "0.1":
        return {"role": "user", "parts": [{"type": "text", "text": text}], **fields}
    parts = [{"kind": "text", "text": text}]
    return {"kind": "message", "messageId": str(uuid.uuid4()), "role": "user", "parts": parts, **fields}


def old_params(text, dialect, **fields):
    """Return the params of `message/send` or `tasks/send`."""
    if dialect == "0.1":
        return {"id": str(uuid.uuid4()), "message": old_message(text, "0.1"), **fields}
    return {"message": old_message(text), **fields}


METHODS = {"1.0": "SendMessage", "0.3": "message/send", "0.1": "tasks/send"}
STREAMS = {"1.0": "SendStreamingMessage", "0.3": "message/stream", "0.1": "tasks/sendSubscribe"}


def params(text, dialect):
    return {"message": message(text)} if dialect == "1.0" else old_params(text, dialect)


def task_of(result, dialect):
    return result["task"] if dialect == "1.0" else result


# The version in the request


@pytest.mark.parametrize("version", ["1.0", "1.0.0", "1.0.7", "0.3", "0.3.0", "0.2", "0.2.6", "0.1", "0.1.0", "", None])
@pytest.mark.parametrize("place", ["header", "query"])
def test_supported_versions_are_served(client, version, place):
    body = {"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {"pageSize": 1}}
    headers = {"A2A-Version": version} if place == "header" else {}
    path = f"/?A2A-Version={version}" if place == "query" and version is not None else "/"
    answer = client.post(body, headers, path)
    assert answer.status == 200
    assert "result" in answer.json


@pytest.mark.parametrize("version", ["2.0", "1.1", "0.4", "0.9", "1", "one", "1.0.x", "v1.0", "10.0"])
@pytest.mark.parametrize("place", ["header", "query"])
def test_other_versions_are_refused(client, version, place):
    body = {"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "x"}}
    headers = {"A2A-Version": version} if place == "header" else {}
    answer = client.post(body, headers, f"/?A2A-Version={version}" if place == "query" else "/")
    assert answer.status == 200
    assert (answer.error["code"], answer.error["message"]) == (-32009, "Version not supported")
    assert reasons_of(answer.error) == ["VERSION_NOT_SUPPORTED"]
    assert answer.error["data"][0]["domain"] == "a2a-protocol.org"


@pytest.mark.parametrize("version", [None, "1.0", "0.3", "0.1"])
@pytest.mark.parametrize("dialect", ["1.0", "0.3", "0.1"])
def test_the_name_of_the_method_decides_the_shape(client, version, dialect):
    headers = {"A2A-Version": version} if version else {}
    result = client.result(METHODS[dialect], params("echo hi", dialect), headers=headers)
    if dialect == "1.0":
        assert set(result) == {"task"}
        assert result["task"]["status"]["state"] == "TASK_STATE_COMPLETED"
        assert "kind" not in result["task"]
    elif dialect == "0.3":
        assert result["kind"] == "task"
        assert result["status"]["state"] == "completed"
    else:
        assert "kind" not in result
        assert "sessionId" in result
        assert "contextId" not in result


# Shapes of a task


def test_the_task_of_1_0(client):
    sent = message("echo hello")
    task = client.result("SendMessage", {"message": sent})["task"]
    assert set(task) <= {"id", "contextId", "status", "artifacts", "history", "metadata"}
    assert TIME.fullmatch(task["status"]["timestamp"])
    (artifact,) = task["artifacts"]
    assert artifact.pop("artifactId")
    assert artifact == {"name": "result", "parts": [{"text": "hello"}]}
    user = task["history"][0]
    assert user["messageId"] == sent["messageId"]
    assert user["role"] == "ROLE_USER"
    assert user["parts"] == [{"text": "echo hello"}]
    assert {item["role"] for item in task["history"]} <= {"ROLE_USER", "ROLE_AGENT"}


def test_the_task_of_0_3(client):
    sent = old_message("echo hello")
    task = client.result("message/send", {"message": sent})
    assert set(task) <= {"kind", "id", "contextId", "status", "artifacts", "history", "metadata"}
    assert TIME.fullmatch(task["status"]["timestamp"])
    (artifact,) = task["artifacts"]
    assert artifact.pop("artifactId")
    assert artifact == {"name": "result", "parts": [{"kind": "text", "text": "hello"}]}
    user = task["history"][0]
    assert user["kind"] == "message"
    assert user["messageId"] == sent["messageId"]
    assert user["role"] == "user"
    assert user["parts"] == [{"kind": "text", "text": "echo hello"}]


def test_the_task_of_0_1(client):
    given = {"id": str(uuid.uuid4()), "sessionId": str(uuid.uuid4()), "message": old_message("echo hello", "0.1")}
    task = client.result("tasks/send", given)
    assert task["id"] == given["id"]
    assert task["sessionId"] == given["sessionId"]
    assert task["status"]["state"] == "completed"
    assert task["artifacts"][0]["name"] == "result"
    assert task["artifacts"][0]["parts"] == [{"type": "text", "text": "hello"}]
    again = client.result("tasks/get", {"id": given["id"]})
    assert again["sessionId"] == given["sessionId"]
    assert "kind" not in again
    assert client.task(given["id"])["contextId"] == given["sessionId"]


def test_an_id_of_0_1_continues_its_task(client):
    given = {"id": str(uuid.uuid4()), "message": old_message('json {"status":"input_required","text":"Which?"}', "0.1")}
    task = client.result("tasks/send", given)
    assert task["status"]["state"] == "input-required"
    assert task["status"]["message"]["role"] == "agent"
    assert task["status"]["message"]["parts"] == [{"type": "text", "text": "Which?"}]
    assert task["sessionId"]
    task = client.result("tasks/send", {**given, "message": old_message("echo that", "0.1")})
    assert task["status"]["state"] == "completed"
    assert task["id"] == given["id"]


@pytest.mark.parametrize("method", ["tasks/get", "tasks/cancel"])
def test_shared_names_give_the_0_1_shape_to_tasks_and_headers_of_0_1(client, gates, method):
    def start(old):
        gate = gates()
        if old:
            given = old_params(f"wait {gate}", "0.1")
            stream = client.stream("tasks/sendSubscribe", given)
            stream.wait_for("working")
            return given["id"]
        return client.start(f"wait {gate}")["id"]

    def shape(task):
        return "0.1" if "sessionId" in task and "kind" not in task else "0.3" if task.get("kind") == "task" else "1.0"

    assert shape(client.result(method, {"id": start(old=True)})) == "0.1"
    assert shape(client.result(method, {"id": start(old=False)})) == "0.3"
    assert shape(client.result(method, {"id": start(old=False)}, headers={"A2A-Version": "0.3"})) == "0.3"
    assert shape(client.result(method, {"id": start(old=False)}, headers={"A2A-Version": "1.0"})) == "0.3"
    assert shape(client.result(method, {"id": start(old=False)}, headers={"A2A-Version": "0.1"})) == "0.1"


STATUSES = [
    ({"status": "done", "text": "x"}, "completed", "completed", "completed"),
    ({"status": "input_required", "text": "x"}, "input-required", "input-required", "input-required"),
    ({"status": "auth_required", "text": "x"}, "auth-required", "auth-required", "failed"),
    ({"status": "rejected", "text": "x"}, "rejected", "rejected", "failed"),
    ({"status": "failed", "text": "x"}, "failed", "failed", "failed"),
]


@pytest.mark.parametrize(("returned", "new", "middle", "old"), STATUSES, ids=lambda value: str(value)[:30])
def test_states_have_the_names_of_each_version(client, returned, new, middle, old):
    text = "json " + json.dumps(returned)
    task = client.send(text)
    assert task["status"]["state"] == "TASK_STATE_" + new.upper().replace("-", "_")
    assert client.result("message/send", old_params(text, "0.3"))["status"]["state"] == middle
    assert client.result("tasks/send", old_params(text, "0.1"))["status"]["state"] == old


def test_messages_of_the_agent_have_the_shape_of_each_version(client):
    text = 'json {"status":"input_required","text":"Which branch?"}'
    asked = client.send(text)["status"]["message"]
    assert asked["role"] == "ROLE_AGENT"
    assert asked["parts"] == [{"text": "Which branch?"}]
    assert asked["messageId"]
    asked = client.result("message/send", old_params(text, "0.3"))["status"]["message"]
    assert (asked["kind"], asked["role"]) == ("message", "agent")
    assert asked["parts"] == [{"kind": "text", "text": "Which branch?"}]
    assert asked["messageId"]


PARTS_10 = [{"text": "a"}, {"data": {"n": 1}}]


def test_parts_have_the_shape_of_each_version(client):
    returned = "json " + json.dumps({"artifacts": [{"name": "both", "parts": PARTS_10}]})
    artifact = client.send(returned)["artifacts"][0]
    assert artifact["parts"] == PARTS_10
    artifact = client.result("message/send", old_params(returned, "0.3"))["artifacts"][0]
    assert artifact["parts"] == [{"kind": "text", "text": "a"}, {"kind": "data", "data": {"n": 1}}]
    artifact = client.result("tasks/send", old_params(returned, "0.1"))["artifacts"][0]
    assert artifact["parts"] == [{"type": "text", "text": "a"}, {"type": "data", "data": {"n": 1}}]


def test_data_parts_are_read_in_each_version(client):
    data = {"answer": 42}
    task = client.result("SendMessage", {"message": message(parts=[{"text": "echo"}, {"data": data}])})["task"]
    assert task["history"][0]["parts"][1]["data"] == data
    task = client.result(
        "message/send", {"message": {**old_message("echo"), "parts": [{"kind": "data", "data": data}]}}
    )
    assert task["history"][0]["parts"] == [{"kind": "data", "data": data}]
    given = {"id": str(uuid.uuid4()), "message": {"role": "user", "parts": [{"type": "data", "data": data}]}}
    client.result("tasks/send", given)
    task = client.result("tasks/get", {"id": given["id"]})
    assert task["history"][0]["parts"] == [{"type": "data", "data": data}]


# Waiting


def test_1_0_waits_unless_it_is_to_return_immediately(client, gates):
    gate = gates()
    params_ = {"message": message(f"wait {gate}"), "configuration": {"returnImmediately": True}}
    task = client.result("SendMessage", params_)["task"]
    assert state_of(task) in {"submitted", "working"}
    gate.open()
    assert state_of(client.wait_for(task["id"])) == "completed"
    assert state_of(client.send("echo x")) == "completed"
    params_ = {"message": message("echo x"), "configuration": {"returnImmediately": False}}
    assert state_of(client.result("SendMessage", params_)["task"]) == "completed"


def test_1_0_also_reads_snake_case(client, gate):
    sent = {
        "message_id": "m1",
        "role": "ROLE_USER",
        "parts": [{"text": f"wait {gate}"}],
        "context_id": str(uuid.uuid4()),
    }
    task = client.result("SendMessage", {"message": sent, "configuration": {"return_immediately": True}})["task"]
    assert state_of(task) in {"submitted", "working"}
    assert task["contextId"] == sent["context_id"]
    gate.open()
    client.wait_for(task["id"])
    assert "history" not in client.result("GetTask", {"id": task["id"], "history_length": 0})
    listed = client.result("ListTasks", {"context_id": sent["context_id"], "page_size": 1, "include_artifacts": True})
    assert listed["pageSize"] == 1
    assert listed["tasks"][0]["artifacts"]


def test_0_3_waits_unless_blocking_is_false(client, gate):
    task = client.result("message/send", old_params(f"wait {gate}", "0.3", configuration={"blocking": False}))
    assert task["status"]["state"] in {"submitted", "working"}
    gate.open()
    client.wait_for(task["id"])
    for configuration in ({}, {"blocking": True}, {"acceptedOutputModes": ["text/plain"]}):
        task = client.result("message/send", old_params("echo x", "0.3", configuration=configuration))
        assert task["status"]["state"] == "completed", configuration


def test_0_1_always_waits(client):
    for configuration in ({"blocking": False}, {"returnImmediately": True}):
        task = client.result("tasks/send", old_params("echo x", "0.1", configuration=configuration))
        assert task["status"]["state"] == "completed"


# Streams


def test_the_stream_of_1_0(client):
    events = client.stream_text("echo hi").all()
    assert all(set(event.data) == {"jsonrpc", "id", "result"} and event.data["id"] == "s1" for event in events)
    kinds = [next(iter(event.result)) for event in events]
    assert all(len(event.result) == 1 for event in events)
    assert kinds[0] == "task"
    assert kinds[1] == "statusUpdate"
    assert kinds[-1] == "statusUpdate"
    assert set(kinds) == {"task", "statusUpdate", "artifactUpdate"}
    last = events[-1].result["statusUpdate"]
    assert set(last) <= {"taskId", "contextId", "status", "metadata"}
    assert last["status"]["state"] == "TASK_STATE_COMPLETED"
    assert TIME.fullmatch(last["status"]["timestamp"])
    update = next(event.result["artifactUpdate"] for event in events if "artifactUpdate" in event.result)
    assert (
        {"taskId", "contextId", "artifact"} <= set(update) <= {"taskId", "contextId", "artifact", "append", "lastChunk"}
    )
    assert {"artifactId", "name", "parts"} <= set(update["artifact"])


def test_the_stream_of_0_3(client):
    events = client.stream("message/stream", old_params("echo hi", "0.3")).all()
    results = [event.result for event in events]
    assert results[0]["kind"] == "task"
    assert {result["kind"] for result in results} == {"task", "status-update", "artifact-update"}
    updates = [result for result in results if result["kind"] == "status-update"]
    assert [update["final"] for update in updates] == [False] * (len(updates) - 1) + [True]
    assert results[-1] == updates[-1]
    assert updates[-1]["status"]["state"] == "completed"
    assert {"kind", "taskId", "contextId", "status", "final"} <= set(updates[-1])
    artifact = next(result for result in results if result["kind"] == "artifact-update")
    assert artifact["artifact"]["parts"] == [{"kind": "text", "text": "hi"}]


def test_the_stream_of_0_1(client):
    given = old_params("echo hi", "0.1")
    events = client.stream("tasks/sendSubscribe", given).all()
    results = [event.result for event in events]
    assert all("kind" not in result for result in results)
    assert all(result["id"] == given["id"] for result in results)
    finals = [result["final"] for result in results if "final" in result]
    assert finals == [False] * (len(finals) - 1) + [True]
    assert results[-1]["status"]["state"] == "completed"
    assert results[-1]["final"] is True
    artifact = next(result["artifact"] for result in results if "artifact" in result)
    assert artifact["parts"] == [{"type": "text", "text": "hi"}]


@pytest.mark.parametrize("dialect", ["1.0", "0.3", "0.1"])
def test_a_question_ends_the_stream_of_each_version(client, dialect):
    text = 'json {"status":"input_required","text":"Which?"}'
    last = client.stream(STREAMS[dialect], params(text, dialect)).all()[-1]
    assert last.state == "input-required"
    if dialect != "1.0":
        assert last.result["final"] is True


# Errors of each version


@pytest.mark.parametrize(
    "method",
    [
        "CreateTaskPushNotificationConfig",
        "GetTaskPushNotificationConfig",
        "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig",
        "tasks/pushNotificationConfig/set",
        "tasks/pushNotificationConfig/get",
        "tasks/pushNotificationConfig/list",
        "tasks/pushNotificationConfig/delete",
        "tasks/pushNotification/set",
        "tasks/pushNotification/get",
    ],
)
def test_there_are_no_push_notifications(client, method):
    error = client.error(method, {"taskId": "x", "id": "x"})
    assert (error["code"], error["message"]) == (-32003, "Push Notification is not supported")
    if "/" not in method:
        assert reasons_of(error) == ["PUSH_NOTIFICATION_NOT_SUPPORTED"]


def test_there_is_no_extended_card(client):
    error = client.error("GetExtendedAgentCard", {})
    assert (error["code"], error["message"]) == (-32004, "This operation is not supported")
    assert reasons_of(error) == ["UNSUPPORTED_OPERATION"]
    error = client.error("agent/getAuthenticatedExtendedCard")
    assert (error["code"], error["message"]) == (-32007, "Authenticated Extended Card is not configured")


@pytest.mark.parametrize(
    ("method", "params_", "code"),
    [
        ("message/stream", {"message": {"role": "user"}}, -32602),
        ("message/stream", {"message": {**old_message("echo x"), "taskId": "no-such-task"}}, -32001),
        ("tasks/resubscribe", {"id": "no-such-task"}, -32001),
        ("tasks/sendSubscribe", {"id": "x"}, -32602),
    ],
)
def test_old_names_get_an_early_error_as_a_stream_of_one_event(client, method, params_, code):
    stream = client.stream(method, params_)
    (event,) = stream.all()
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert event.data["id"] == "s1"
    assert event.data["error"]["code"] == code
    assert not isinstance(event.data["error"].get("data"), list)


@pytest.mark.parametrize(
    ("method", "params_", "code"),
    [
        ("SendStreamingMessage", {"message": {"role": "ROLE_USER"}}, -32602),
        ("SendStreamingMessage", {"message": message("echo x", taskId="no-such-task")}, -32001),
        ("SubscribeToTask", {"id": "no-such-task"}, -32001),
    ],
)
def test_1_0_names_get_an_early_error_as_json(client, method, params_, code):
    stream = client.stream(method, params_)
    assert stream.all() == []
    assert stream.status == 200
    assert stream.headers["content-type"].startswith("application/json")
    assert json.loads(stream.body)["error"]["code"] == code


def test_errors_of_old_versions_have_no_typed_list(client):
    for method in ("tasks/get", "tasks/cancel"):
        for version in ("0.3", "0.1"):
            error = client.error(method, {"id": "no-such-task"}, headers={"A2A-Version": version})
            assert (error["code"], error["message"]) == (-32001, "Task not found")
            assert isinstance(error.get("data", {}), dict)
    error = client.error("GetTask", {"id": "no-such-task"}, headers={"A2A-Version": "0.3"})
    assert reasons_of(error) == ["TASK_NOT_FOUND"]


# Extensions


@pytest.mark.parametrize("name", ["A2A-Extensions", "X-A2A-Extensions"])
@pytest.mark.parametrize("dialect", ["1.0", "0.3", "0.1"])
def test_the_activated_extension_is_echoed_under_the_name_that_was_used(client, name, dialect):
    body = {"jsonrpc": "2.0", "id": 1, "method": METHODS[dialect], "params": params("echo x", dialect)}
    answer = client.post(body, {name: f"urn:other:v1, {URI}"})
    assert answer.headers[name.lower()] == URI
    other = {"A2A-Extensions": "x-a2a-extensions", "X-A2A-Extensions": "a2a-extensions"}[name]
    assert other not in answer.headers
    assert "result" in answer.json
    stream = client.stream(STREAMS[dialect], params("echo x", dialect), headers={name: URI})
    stream.all()
    assert stream.headers[name.lower()] == URI


def test_unknown_extensions_are_ignored(client):
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "SendMessage",
        "params": {"message": message("echo x", extensions=["urn:no"])},
    }
    answer = client.post(body, {"A2A-Extensions": "urn:other:v1"})
    assert not answer.headers.get("a2a-extensions")
    assert "result" in answer.json
