"""Errors: their codes, messages, reasons, and the typed data of 1.0."""

import json
import uuid

import pytest

from tests.serve.a2a_client import URI, message, reasons_of

PUSH = "Push Notification is not supported"
UNSUPPORTED = "This operation is not supported"
ROWS = [
    ("NoSuchMethod", {}, -32601, "Method not found", None),
    ("GetTask", {}, -32602, None, None),
    ("GetTask", {"id": "none"}, -32001, "Task not found", "TASK_NOT_FOUND"),
    ("CancelTask", {"id": "none"}, -32001, "Task not found", "TASK_NOT_FOUND"),
    ("SubscribeToTask", {"id": "none"}, -32001, "Task not found", "TASK_NOT_FOUND"),
    ("SendMessage", {"message": message("echo x", taskId="none")}, -32001, "Task not found", "TASK_NOT_FOUND"),
    ("CancelTask", {"id": "DONE"}, -32002, "Task cannot be canceled", "TASK_NOT_CANCELABLE"),
    ("GetTaskPushNotificationConfig", {"taskId": "DONE", "id": "x"}, -32003, PUSH,
     "PUSH_NOTIFICATION_NOT_SUPPORTED"),
    ("SendMessage", {"message": message("x"), "configuration": {"taskPushNotificationConfig": {}}}, -32003, PUSH,
     "PUSH_NOTIFICATION_NOT_SUPPORTED"),
    ("SendMessage", {"message": message("x"), "configuration": {"push_notification_config": {}}}, -32003, PUSH,
     "PUSH_NOTIFICATION_NOT_SUPPORTED"),
    ("SubscribeToTask", {"id": "DONE"}, -32004, UNSUPPORTED, "UNSUPPORTED_OPERATION"),
    ("SendMessage", {"message": message("echo x", taskId="DONE")}, -32004, UNSUPPORTED, "UNSUPPORTED_OPERATION"),
    ("GetExtendedAgentCard", {}, -32004, UNSUPPORTED, "UNSUPPORTED_OPERATION"),
    ("SendMessage", {"message": message(parts=[{"raw": "aGk="}])}, -32005, "Incompatible content types",
     "CONTENT_TYPE_NOT_SUPPORTED"),
]  # fmt: skip


@pytest.fixture(scope="module")
def done(server):
    return server.client().send("echo x")["id"]


def with_task(params, task_id):
    return json.loads(json.dumps(params).replace('"DONE"', json.dumps(task_id)))


@pytest.mark.parametrize(("method", "params", "code", "text", "reason"), ROWS, ids=lambda value: str(value)[:24])
def test_the_table_of_errors(client, done, method, params, code, text, reason):
    error = client.error(method, with_task(params, done))
    assert error["code"] == code
    if text is None:
        assert error["message"].startswith("Invalid parameters")
    else:
        assert error["message"] == text
    if reason is not None:
        assert reasons_of(error) == [reason]
        (info,) = [item for item in error["data"] if item["@type"].endswith("ErrorInfo")]
        assert info["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
        assert info["domain"] == "a2a-protocol.org"
        assert all(isinstance(value, str) for value in info.get("metadata", {}).values())
    assert "\n" not in error["message"]


def old(*parts, **fields):
    return {
        "message": {"messageId": "m", "role": "user", "parts": list(parts) or [{"kind": "text", "text": "x"}], **fields}
    }


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tasks/get", {"id": "none"}, -32001),
        ("tasks/get", {}, -32602),
        ("tasks/cancel", {"id": "DONE"}, -32002),
        ("tasks/pushNotificationConfig/set", {"taskId": "DONE"}, -32003),
        ("message/send", {**old(), "configuration": {"pushNotificationConfig": {"url": "x"}}}, -32003),
        ("tasks/send", {**old({"type": "text", "text": "x"}), "id": "p", "pushNotification": {"url": "x"}}, -32003),
        ("agent/getAuthenticatedExtendedCard", {}, -32007),
        ("message/send", old(taskId="none"), -32001),
        ("message/send", old(taskId="DONE"), -32004),
        ("message/send", old({"kind": "image", "text": "x"}), -32602),
        ("message/send", old({"text": "x"}), -32602),
        ("message/send", {"message": {"role": "user", "parts": [{"kind": "text", "text": "x"}]}}, -32602),
        ("message/send", {"message": {"messageId": "m", "parts": [{"kind": "text", "text": "x"}]}}, -32602),
        ("tasks/send", {"message": {"role": "user", "parts": [{"type": "text", "text": "x"}]}}, -32602),
        ("tasks/send", {"id": "DONE", "message": {"role": "user", "parts": [{"type": "text", "text": "x"}]}}, -32004),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_old_errors_have_a_plain_object_or_nothing(client, done, method, params, code):
    error = client.error(method, with_task(params, done))
    assert error["code"] == code, error
    assert isinstance(error.get("data", {}), dict)
    assert error.get("data", "absent") is not None


def test_bad_params_name_their_field(client):
    error = client.error("SendMessage", {"message": {**message("x"), "messageId": ""}})
    assert error["code"] == -32602
    assert isinstance(error.get("data"), list)


def test_a_failing_script_is_a_failed_task_and_no_error(client):
    answer = client.call("SendMessage", {"message": message("fail badly")})
    assert answer["result"]["task"]["status"]["state"] == "TASK_STATE_FAILED"


def test_no_extension_is_required(client):
    sent = message("echo x", extensions=["urn:unknown:v1", URI])
    assert "result" in client.call("SendMessage", {"message": sent}, headers={"A2A-Extensions": "urn:unknown:v1"})


def test_ids_of_errors(client):
    for id_ in (1, "a", None):
        answer = client.post({"jsonrpc": "2.0", "id": id_, "method": "GetTask", "params": {"id": str(uuid.uuid4())}})
        assert answer.json["id"] == id_
