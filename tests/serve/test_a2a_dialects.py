"""The three versions of A2A as tables: values of 1.0 in the shapes of each version, and messages as they arrive."""

import pytest

from harnlite.serve.a2a import states
from harnlite.serve.a2a.dialects import DIALECTS, V01, V03, V10
from harnlite.serve.a2a.errors import CONTENT_TYPE, A2AError, finished_task, invalid, unknown_task
from harnlite.serve.a2a.methods import METHODS, method_of, read_version
from harnlite.serve.a2a.request_params import page_token, read_list, read_send, read_task, whole
from harnlite.serve.json_rpc import INVALID_PARAMS

MESSAGE = {
    "messageId": "m",
    "role": "ROLE_AGENT",
    "parts": [{"text": "hi"}, {"data": [1]}],
    "taskId": "t",
    "contextId": "c",
}
STATUS = {"state": states.INPUT_REQUIRED, "timestamp": "T", "message": MESSAGE}
ARTIFACT = {"artifactId": "a", "name": "a", "parts": [{"url": "u", "filename": "f", "mediaType": "m/t"}, {"raw": "r"}]}
TASK = {
    "id": "t",
    "contextId": "c",
    "status": STATUS,
    "artifacts": [ARTIFACT],
    "history": [MESSAGE],
    "metadata": {"harn": {"reminders": []}},
}
LAST, NOT_LAST = True, False
FILES = [{"file": {"uri": "u", "name": "f", "mimeType": "m/t"}}, {"file": {"bytes": "r"}}]


def parts(key):
    return [{key: "text", "text": "hi"}, {key: "data", "data": [1]}]


def files(key):
    return [{key: "file", **file} for file in FILES]


MESSAGE_03 = {**MESSAGE, "kind": "message", "role": "agent", "parts": parts("kind")}
MESSAGE_01 = {"role": "agent", "parts": parts("type")}
STATUS_03 = {"state": "input-required", "timestamp": "T", "message": MESSAGE_03}
STATUS_01 = {"state": "input-required", "timestamp": "T", "message": MESSAGE_01}
ARTIFACT_03 = {**ARTIFACT, "parts": files("kind")}
ARTIFACT_01 = {**ARTIFACT, "parts": files("type"), "index": 0}
TASKS = {
    "1.0": TASK,
    "0.3": {**TASK, "kind": "task", "status": STATUS_03, "artifacts": [ARTIFACT_03], "history": [MESSAGE_03]},
    "0.1": {
        "id": "t",
        "sessionId": "c",
        "status": STATUS_01,
        "artifacts": [ARTIFACT_01],
        "history": [MESSAGE_01],
        "metadata": TASK["metadata"],
    },
}
UPDATE = {"taskId": "t", "contextId": "c", "status": STATUS, "metadata": {"harn": {}}}
UPDATES = {
    "1.0": {"statusUpdate": UPDATE},
    "0.3": {**UPDATE, "kind": "status-update", "status": STATUS_03, "final": True},
    "0.1": {"id": "t", "status": STATUS_01, "final": True, "metadata": {"harn": {}}},
}
PIECE = {"taskId": "t", "contextId": "c", "artifact": ARTIFACT, "append": True, "lastChunk": True}
PIECES = {
    "1.0": {"artifactUpdate": PIECE},
    "0.3": {**PIECE, "kind": "artifact-update", "artifact": ARTIFACT_03},
    "0.1": {"id": "t", "artifact": {**ARTIFACT_01, "index": 2, "append": True, "lastChunk": True}},
}


@pytest.mark.parametrize("name", DIALECTS)
def test_values_in_the_shapes_of_a_version(name):
    dialect = DIALECTS[name]
    assert dialect.task(TASK) == TASKS[name]
    assert dialect.event("status", UPDATE, LAST) == UPDATES[name]
    assert dialect.event("artifact", {**PIECE, "index": 2}, NOT_LAST) == PIECES[name]
    first = TASKS[name] if name != "1.0" else {"task": TASK}
    assert dialect.event("task", TASK, NOT_LAST) == dialect.sent("task", TASK) == first


def test_the_states_of_the_versions():
    shown = {
        name: {dialect.task({**TASK, "status": {"state": state}})["status"]["state"] for state in states.STATES}
        for name, dialect in DIALECTS.items()
    }
    early = {"submitted", "working", "input-required", "completed", "failed", "canceled"}
    assert shown == {"1.0": states.STATES, "0.3": early | {"auth-required", "rejected"}, "0.1": early}


def message_of(dialect, **more):
    kind = {} if dialect.part_kind is None else {dialect.part_kind: "text"}
    role = next(iter(dialect.roles))
    message = {"messageId": "m", "role": role, "parts": [{**kind, "text": "hi"}], **more}
    return {"message": message, "id": "t"} if dialect is V01 else {"message": message}


@pytest.mark.parametrize("dialect", [V10, V03, V01], ids=lambda dialect: dialect.name)
def test_a_message_of_each_version_arrives_in_the_form_of_the_newest(dialect):
    read = read_send(message_of(dialect), dialect)
    assert read.message == {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]}
    assert (read.text, read.blocks, read.waits) == ("hi", [{"type": "text", "text": "hi"}], True)


BAD = [
    (V10, {}, "message"),
    (V10, {"message": []}, "message"),
    (V10, message_of(V10, messageId=""), "message.messageId"),
    (V10, message_of(V10, messageId=7), "message.messageId"),
    (V10, message_of(V10, role="user"), "message.role"),
    (V03, message_of(V03, role="ROLE_USER"), "message.role"),
    (V10, message_of(V10, parts=[]), "message.parts"),
    (V10, message_of(V10, parts=["hi"]), "message.parts[0]"),
    (V10, message_of(V10, parts=[{}]), "message.parts[0]"),
    (V10, message_of(V10, parts=[{"text": "a", "data": 1}]), "message.parts[0]"),
    (V10, message_of(V10, parts=[{"text": 1}]), "message.parts[0].text"),
    (V03, message_of(V03, parts=[{"text": "a"}]), "message.parts[0].kind"),
    (V03, message_of(V03, parts=[{"kind": "text"}]), "message.parts[0].text"),
    (V01, message_of(V01, parts=[{"kind": "text", "text": "a"}]), "message.parts[0].type"),
    (V01, {**message_of(V01), "id": None}, "id"),
    (V10, {**message_of(V10), "configuration": {"historyLength": -1}}, "configuration.historyLength"),
    (V10, {**message_of(V10), "configuration": {"historyLength": True}}, "configuration.historyLength"),
    (V10, {**message_of(V10), "configuration": {"returnImmediately": "yes"}}, "configuration.returnImmediately"),
    (V10, {**message_of(V10), "metadata": {"skillId": 1}}, "metadata.skillId"),
    (V10, message_of(V10, metadata=[]), "message.metadata"),
]


@pytest.mark.parametrize(("dialect", "params", "field"), BAD)
def test_a_wrong_message_names_the_field(dialect, params, field):
    with pytest.raises(A2AError) as caught:
        read_send(params, dialect)
    assert (caught.value.code, caught.value.field) == (INVALID_PARAMS, field)


FOREIGN = [
    (V10, {"raw": "aGk="}),
    (V10, {"url": "http://x"}),
    (V10, {"text": "a", "mediaType": "image/png"}),
    (V10, {"data": {}, "media_type": "text/html"}),
    (V03, {"kind": "file", "file": {"uri": "u"}}),
    (V01, {"type": "file", "file": {"bytes": "u"}}),
]


@pytest.mark.parametrize(("dialect", "part"), FOREIGN)
def test_files_and_foreign_types_are_refused(dialect, part):
    with pytest.raises(A2AError) as caught:
        read_send(message_of(dialect, parts=[part]), dialect)
    assert caught.value.code == CONTENT_TYPE


def test_names_in_snake_case_belong_to_the_newest_version():
    part = {"text": "{}", "media_type": "application/json; charset=utf-8"}
    message = {"message_id": "m", "task_id": "t", "context_id": "c", "role": "ROLE_USER", "parts": [part]}
    read = read_send({"message": message, "configuration": {"return_immediately": True, "history_length": 2.0}}, V10)
    assert (read.message_id, read.task_id, read.context_id, read.waits) == ("m", "t", "c", False)
    assert read.history_length == 2
    assert read_task({"id": "t", "configuration": {"history_length": 1}}, V10).history_length == 1
    with pytest.raises(A2AError):
        read_send({"message": {**message_of(V03)["message"], "messageId": None, "message_id": "m"}}, V03)


def test_whole_numbers_of_metadata_are_ints():
    metadata = {"a": 2.0, "b": [1.5, {"c": 3.0}], "d": 1e300}
    assert repr(whole(metadata)) == "{'a': 2, 'b': [1.5, {'c': 3}], 'd': 1e+300}"


def test_reminders_in_metadata():
    one, other = {"body": "a"}, {"body": "b"}
    given = {"metadata": {"harn": {"reminder": one}, "harn.reminder": [one, other]}}
    message = message_of(V10, metadata={"urn:harnlite:reminders:v1": other})
    assert read_send({**message, **given}, V10).reminders == [
        ("metadata.harn.reminder", one),
        ('metadata["harn.reminder"][0]', one),
        ('metadata["harn.reminder"][1]', other),
        ('message.metadata["urn:harnlite:reminders:v1"]', other),
    ]


def test_pages():
    token = page_token(5, "tä-1")
    assert read_list({"pageToken": token}).after == (5, "tä-1")
    for wrong in ({"pageToken": "5"}, {"pageToken": "x-00"}, {"pageSize": 0}, {"pageSize": 101}, {"status": "working"}):
        with pytest.raises(A2AError):
            read_list(wrong)
    assert read_list({"statusTimestampAfter": "1970-01-01T00:00:01.0001Z"}).changed_after == 1001
    assert read_list({"statusTimestampAfter": "1970-01-01T00:00:01.5+00:00"}).changed_after == 1500
    assert read_list({"statusTimestampAfter": "1970-01-01T00:00:01.5+00:00", "page_size": 7}).page_size == 7


def test_versions():
    given = [None, "", "1.0", "1.0.3", "0.3", " 0.2 ", "0.1.9", "1", "2.0", "1.0.0.0", "v1.0"]
    found = ["0.3", "0.3", "1.0", "1.0", "0.3", "0.2", "0.1", None, None, None, None]
    assert list(map(read_version, given)) == found


def test_every_method_has_an_operation():
    assert len(METHODS) == 19
    push = {
        "CreateTaskPushNotificationConfig": V10,
        "ListTaskPushNotificationConfigs": V10,
        "tasks/pushNotificationConfig/set": V03,
        "tasks/pushNotification/get": V01,
    }
    assert {name: method_of(name).dialect for name in push} == push
    assert method_of("tasks/nonsense") is method_of("") is None


INFO = "type.googleapis.com/google.rpc.ErrorInfo"


def test_the_data_of_errors():
    missing = unknown_task("t")
    info = {"@type": INFO, "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org", "metadata": {"taskId": "t"}}
    assert missing.data(is_typed=True) == [info]
    assert missing.data(is_typed=False) == {"reason": "TASK_NOT_FOUND", "taskId": "t"}
    ended = finished_task("t", states.FAILED)
    assert ended.data(is_typed=True)[0]["metadata"] == {"taskId": "t", "state": "TASK_STATE_FAILED"}
    wrong = invalid("id", "must be a string")
    violation = {"field": "id", "description": "must be a string"}
    assert wrong.data(is_typed=True)[1]["fieldViolations"] == [violation]
    assert wrong.data(is_typed=False) == violation
