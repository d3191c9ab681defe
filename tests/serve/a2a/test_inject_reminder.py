"""tasks/inject_reminder: its names, the states of its task, its payload, repeats, and reminders in messages."""

import json
import re
import uuid

import pytest

from tests.serve.a2a_client import URI, eventually, message, reasons_of, state_of
from tests.serve.models import ToolCall, seen

OLD_NAMES = ["tasks/inject_reminder", "_tasks/inject_reminder", "_harn/tasks/inject_reminder"]
NAMES = [*OLD_NAMES, "InjectTaskReminder"]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@pytest.fixture
def working(client, gate):
    """Return the id of a working task that ends when its gate opens."""
    return client.start(f"wait {gate}")["id"]


@pytest.fixture(scope="module")
def asking(server):
    """Return the id of a task that waits for input; nothing drains its reminders."""
    return server.client().send('json {"status":"input_required","text":"?"}')["id"]


# Names and states


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("version", [None, "1.0", "0.3", "0.1"])
def test_every_name_is_served_in_every_version(client, asking, name, version):
    headers = {"A2A-Version": version} if version else {}
    result = client.result(name, {"taskId": asking, "reminder": {"body": "B"}}, headers=headers)
    assert set(result) == {"reminderId", "acceptedAt"}
    assert UUID7.fullmatch(result["reminderId"])
    assert TIME.fullmatch(result["acceptedAt"])


@pytest.mark.parametrize(
    "name", ["tasks/injectReminder", "harn/tasks/inject_reminder", "_InjectTaskReminder", "tasks/remind"]
)
def test_no_other_name_is_served(client, asking, name):
    assert client.error(name, {"taskId": asking, "reminder": {"body": "B"}})["code"] == -32601


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_task(client, name):
    error = client.error(name, {"taskId": "no-such-task", "reminder": {"body": "B"}})
    expected = (-32001, "Task not found") if name == "InjectTaskReminder" else (-32004, "Unknown task")
    assert (error["code"], error["message"]) == expected
    assert reasons_of(error) == ["TASK_NOT_FOUND"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("text", "state"),
    [("echo x", "COMPLETED"), ("fail x", "FAILED"), ("rejected", "REJECTED"), ("canceled", "CANCELED")],
)
def test_a_finished_task(client, gate, name, text, state):
    if text == "canceled":
        task = client.start(f"wait {gate}")
        client.result("CancelTask", {"id": task["id"]})
    else:
        task = client.send('json {"status":"rejected"}' if text == "rejected" else text)
    error = client.error(name, {"taskId": task["id"], "reminder": {"body": "B"}})
    assert (error["code"], error["message"]) == (-32004, "This operation is not supported")
    assert reasons_of(error) == ["UNSUPPORTED_OPERATION"]
    metadata = error["data"][0]["metadata"]
    assert metadata["taskId"] == task["id"]
    assert metadata["state"].upper().endswith(state)


def test_reminders_for_working_submitted_and_asking_tasks(client, gates, asking):
    context, gate = str(uuid.uuid4()), gates()
    working = client.start(f"wait {gate}", contextId=context)
    submitted = client.send("echo 2", is_waited_for=False, contextId=context)
    for task_id in (working["id"], submitted["id"], asking):
        assert client.inject(task_id, "B")["reminderId"]
    gate.open()
    client.wait_for(submitted["id"], "completed")


@pytest.mark.parametrize(
    "params",
    [None, {}, {"reminder": {"body": "B"}}, {"taskId": 7, "reminder": {"body": "B"}}, {"taskId": None, "body": "B"}],
)
def test_a_reminder_needs_a_task(client, params):
    assert client.error("tasks/inject_reminder", params)["code"] == -32602


# The payload

FULL = {
    "id": "", "body": "  Kept\nas it is. ", "tags": [" a ", "b", "a"], "dedupeKey": " k ", "ttlTurns": 2.0,
    "preserveOnCompact": True, "propagate": "all", "roleHint": "developer", "source": "coordinator-agent",
    "firedAtTurn": 4, "mode": "interrupt_immediate", "_meta": {"any": {"thing": 1}},
}  # fmt: skip
SNAKE = {
    "dedupeKey": "dedupe_key", "ttlTurns": "ttl_turns", "preserveOnCompact": "preserve_on_compact",
    "roleHint": "role_hint", "firedAtTurn": "fired_at_turn",
}  # fmt: skip


@pytest.mark.parametrize("spelling", ["camel", "snake", "both"])
@pytest.mark.parametrize("place", ["nested", "flat"])
def test_all_fields_are_accepted_in_both_spellings_and_places(client, asking, spelling, place):
    fields = {**FULL, "id": uuid.uuid4().hex, "dedupeKey": uuid.uuid4().hex}
    if spelling == "snake":
        fields = {SNAKE.get(name, name): value for name, value in fields.items()}
    elif spelling == "both":
        fields = {**fields, **{SNAKE[name]: value for name, value in fields.items() if name in SNAKE}}
    task = {"task_id" if spelling == "snake" else "taskId": asking}
    params = {**task, "reminder": fields} if place == "nested" else {**task, **fields}
    result = client.result("tasks/inject_reminder", {**params, "metadata": {"harn.reminder.origin": "x"}})
    assert result["reminderId"] == fields["id"]
    assert result["dedupedCount"] == 0


def test_mode_and_meta_may_stand_on_either_level(client, asking):
    params = {"taskId": asking, "reminder": {"body": "B"}, "mode": "audit_only", "_meta": {"a": 1}}
    assert client.result("tasks/inject_reminder", params)["reminderId"]


@pytest.mark.parametrize("name", ["_meta", "dedupeKey", "ttlTurns", "tags", "propagate", "roleHint", "mode"])
def test_null_is_absent_where_the_table_allows_it(client, asking, name):
    if name in {"_meta", "dedupeKey", "ttlTurns"}:
        assert "dedupedCount" not in client.inject(asking, "B", **{name: None})


def test_meta_may_carry_the_fields(client, asking):
    params = {
        "taskId": asking,
        "_meta": {"harn": {"reminder": {"body": "B", "id": uuid.uuid4().hex, "unknown": 1}}, "k": 1},
    }
    found = client.call("tasks/inject_reminder", params)
    assert found["result"]["reminderId"] == params["_meta"]["harn"]["reminder"]["id"]
    other = uuid.uuid4().hex
    params = {"taskId": asking, "reminder": {"body": "B", "id": other}, "_meta": {"harn": {"reminder": {"id": "x"}}}}
    assert client.result("tasks/inject_reminder", params)["reminderId"] == other


MODES = "HARN-RMD-002: `mode` must be one of interrupt_immediate, finish_step, or audit_only"
HINTS = "HARN-RMD-002: `role_hint` must be one of system, developer, user_block, or ephemeral_cache"
KEEP = "HARN-RMD-002: `preserve_on_compact` must be a bool or nil, got string"
BAD = [
    ({}, "HARN-RMD-002: `body` must be a non-empty string", "body"),
    ({"body": ""}, "HARN-RMD-002: `body` must be a non-empty string", "body"),
    ({"body": " \n\t"}, "HARN-RMD-002: `body` must be a non-empty string", "body"),
    ({"body": None}, "HARN-RMD-002: `body` must be a non-empty string", "body"),
    ({"body": 7}, "HARN-RMD-002: `body` must be a string, got int", "body"),
    ({"body": "B", "tags": "a"}, "HARN-RMD-002: `tags` must be a list or nil, got string", "tags"),
    ({"body": "B", "tags": [1]}, "HARN-RMD-002: `tags` entries must be strings, got int", "tags"),
    ({"body": "B", "tags": ["a", " "]}, "HARN-RMD-002: `tags` entries must be non-empty strings", "tags"),
    ({"body": "B", "dedupe_key": 7}, "HARN-RMD-002: `dedupe_key` must be a string or nil, got int", "dedupe_key"),
    ({"body": "B", "ttl_turns": 0}, "HARN-RMD-002: `ttl_turns` must be > 0", "ttl_turns"),
    ({"body": "B", "ttl_turns": -1}, "HARN-RMD-002: `ttl_turns` must be > 0", "ttl_turns"),
    ({"body": "B", "ttl_turns": True}, "HARN-RMD-002: `ttl_turns` must be an int or nil, got bool", "ttl_turns"),
    ({"body": "B", "ttl_turns": 2.5}, "HARN-RMD-002: `ttl_turns` must be an int or nil, got float", "ttl_turns"),
    ({"body": "B", "ttl_turns": "2"}, "HARN-RMD-002: `ttl_turns` must be an int or nil, got string", "ttl_turns"),
    ({"body": "B", "preserve_on_compact": "yes"}, KEEP, "preserve_on_compact"),
    ({"body": "B", "propagate": "far"}, "HARN-RMD-005: `propagate` must be one of all, session, or none", "propagate"),
    ({"body": "B", "role_hint": "boss"}, HINTS, "role_hint"),
    ({"body": "B", "mode": "steer"}, MODES, "mode"),
    ({"body": "B", "mode": "queue"}, MODES, "mode"),
    ({"body": "B", "id": ""}, "HARN-RMD-002: `id` must be a string of 1 to 128 characters", "id"),
    ({"body": "B", "id": "x" * 129}, "HARN-RMD-002: `id` must be a string of 1 to 128 characters", "id"),
    ({"body": "B", "fired_at_turn": -1}, "HARN-RMD-002: `fired_at_turn` must be >= 0 when provided", "fired_at_turn"),
    ({"body": "B", "_meta": 7}, "HARN-RMD-002: `_meta` must be an object", "_meta"),
    ({"body": "B", "source": 7}, "HARN-RMD-002: ", "source"),
    ({"content": "B"}, "HARN-RMD-002: ", "content"),
    ({"body": "B", "zeal": 1, "apple": 2}, "HARN-RMD-001: unknown reminder option(s): apple, zeal", None),
    ({"body": 7, "zeal": 1}, "HARN-RMD-001: unknown reminder option(s): zeal", "zeal"),
    ({"body": "B", "sessionId": "s"}, "HARN-RMD-001: ", "sessionId"),
    ({"body": "B", "ttlTurns": 1, "ttl_turns": 2}, "HARN-RMD-001: ", None),
    ({"body": "", "ttl_turns": 0, "mode": "x"}, "HARN-RMD-002: `body`", "body"),
    ({"body": "B", "tags": "a", "propagate": "far"}, "HARN-RMD-002: `tags`", "tags"),
    ("B", "HARN-RMD-002: ", None),
    ([], "HARN-RMD-002: ", None),
    (None, "HARN-RMD-002: ", None),
]  # fmt: skip


@pytest.mark.parametrize(("reminder", "text", "field"), BAD, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("name", ["tasks/inject_reminder", "InjectTaskReminder"])
def test_a_bad_payload_has_the_code_the_text_and_typed_data(client, asking, reminder, text, field, name):
    error = client.error(name, {"taskId": asking, "reminder": reminder})
    assert error["code"] == -32602
    prefix, found = error["message"].split(": ", 1)
    assert prefix == name
    assert found == text or (text.endswith((": ", "`")) and found.startswith(text)), error["message"]
    info, *others = error["data"]
    assert info["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
    assert info["reason"] == text[:12].replace("-", "_")
    assert info["domain"] == "harnlite"
    assert info["metadata"]["taskId"] == asking
    assert all(isinstance(value, str) for value in info["metadata"].values())
    if field is not None:
        (request,) = others
        assert request["@type"] == "type.googleapis.com/google.rpc.BadRequest"
        assert request["fieldViolations"][0]["field"] == f"reminder.{field}"
        assert request["fieldViolations"][0]["description"]


def test_the_error_of_the_specification(client, asking):
    error = client.error("tasks/inject_reminder", {"taskId": asking, "reminder": {"body": " "}})
    assert error == {
        "code": -32602,
        "message": "tasks/inject_reminder: HARN-RMD-002: `body` must be a non-empty string",
        "data": [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "HARN_RMD_002",
                "domain": "harnlite",
                "metadata": {"taskId": asking},
            },
            {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [{"field": "reminder.body", "description": "must be a non-empty string"}],
            },
        ],
    }


@pytest.mark.parametrize("name", OLD_NAMES)
def test_the_text_has_the_plain_name_of_the_method(client, asking, name):
    error = client.error(name, {"taskId": asking, "reminder": {}})
    assert error["message"].startswith("tasks/inject_reminder: HARN-RMD-002: ")


def test_the_field_is_spelled_as_by_the_client(client, asking):
    for key in ("ttlTurns", "ttl_turns"):
        error = client.error("tasks/inject_reminder", {"taskId": asking, "reminder": {"body": "B", key: 0}})
        assert error["data"][1]["fieldViolations"][0]["field"] == f"reminder.{key}"


def test_fields_on_both_levels_are_unknown(client, asking):
    params = {"taskId": asking, "reminder": {"body": "B"}, "tags": ["a"]}
    error = client.error("tasks/inject_reminder", params)
    assert error["code"] == -32602
    assert error["message"].startswith("tasks/inject_reminder: HARN-RMD-001: ")


def test_one_task_is_named(client, asking):
    params = {"taskId": asking, "task_id": "other", "reminder": {"body": "B"}}
    error = client.error("tasks/inject_reminder", params)
    assert error["message"] == (
        "tasks/inject_reminder: HARN-RMD-001: `taskId` and `task_id` are one option with two values"
    )
    assert error["data"][1]["fieldViolations"][0]["field"] == "task_id"
    assert client.result("tasks/inject_reminder", {**params, "task_id": asking})["reminderId"]


def test_an_unknown_key_at_the_top(client, asking):
    error = client.error("tasks/inject_reminder", {"taskId": asking, "reminder": {"body": "B"}, "colour": "red"})
    assert error["message"].startswith("tasks/inject_reminder: HARN-RMD-001: ")


@pytest.mark.parametrize("value", [7, "text", []])
def test_metadata_is_an_object(client, asking, value):
    error = client.error("tasks/inject_reminder", {"taskId": asking, "reminder": {"body": "B"}, "metadata": value})
    assert error["code"] == -32602


def test_enum_names_are_for_the_1_0_name_only(client, asking):
    for propagate in ("ALL", "SESSION", "NONE"):
        for hint in ("SYSTEM", "DEVELOPER", "USER_BLOCK", "EPHEMERAL_CACHE"):
            fields = {"propagate": f"REMINDER_PROPAGATION_{propagate}", "roleHint": f"REMINDER_ROLE_HINT_{hint}"}
            assert client.inject(asking, "B", method="InjectTaskReminder", **fields)["reminderId"]
            params = {"taskId": asking, "reminder": {"body": "B", **fields}}
            assert "HARN-RMD-005" in client.error("tasks/inject_reminder", params)["message"]
    error = client.error(
        "InjectTaskReminder", {"taskId": asking, "reminder": {"body": "B", "propagate": "REMINDER_PROPAGATION_FAR"}}
    )
    assert "HARN-RMD-005" in error["message"]


# Repeats and dedupe


def test_a_repeat_gets_the_first_answer(client, asking):
    one = uuid.uuid4().hex
    first = client.inject(asking, "B", id=one)
    assert first["reminderId"] == one
    assert client.inject(asking, "B", id=one) == first
    keyed = client.inject(asking, "B", id=one + "k", dedupeKey="key " + one)
    again = client.inject(asking, "B", id=one + "k", dedupeKey="key " + one)
    assert again == {**keyed, "dedupedCount": 0}


def test_a_repeat_with_another_body_is_a_conflict(client, asking):
    one = uuid.uuid4().hex
    client.inject(asking, "B", id=one)
    error = client.error("tasks/inject_reminder", {"taskId": asking, "reminder": {"body": "C", "id": one}})
    assert error["code"] == -32602
    assert error["message"].startswith("tasks/inject_reminder: HARN-RMD-002: ")
    assert "reminder_id_conflict" in json.dumps(error)


def test_deduped_count_counts_what_carries_the_key(client, asking, word):
    counts = [client.inject(asking, f"B{number}", dedupeKey=word)["dedupedCount"] for number in range(3)]
    assert counts[0] == 0
    assert counts[1] >= 1
    assert counts == sorted(counts)
    assert "dedupedCount" not in client.inject(asking, "B")


# What the model sees


def test_a_reminder_reaches_the_next_call(client, model, word):
    first = model.on(word, ToolCall("peek"), hold=True)
    task = client.start(word)
    first.wait()
    client.inject(task["id"], f"Rebase {word}!")
    second = model.on(word, "done")
    first.release()
    client.wait_for(task["id"], "completed")
    assert f"Rebase {word}!" not in seen(first.body)
    assert f"Rebase {word}!" in seen(second.body)


def test_a_loop_about_to_end_runs_once_more(client, model, word):
    first = model.on(word, "almost done", hold=True)
    task = client.start(word)
    first.wait()
    client.inject(task["id"], f"Wait {word}!")
    second = model.on(word, "really done")
    first.release()
    client.wait_for(task["id"], "completed")
    assert f"Wait {word}!" in seen(second.body)


def test_the_model_never_sees_an_audit(client, model, word):
    first = model.on(word, ToolCall("peek"), hold=True)
    task = client.start(word)
    first.wait()
    client.inject(task["id"], f"Noted {word}.", mode="audit_only")
    second = model.on(word, "done")
    first.release()
    client.wait_for(task["id"], "completed")
    assert "Noted" not in seen(second.body)


def test_an_interrupt_skips_the_tools(client, model, word, gate):
    first = model.on(word, ToolCall("wait", {"path": str(gate)}), hold=True)
    task = client.start(word)
    first.wait()
    client.inject(task["id"], f"Stop {word}!", mode="interrupt_immediate")
    second = model.on(word, "stopped")
    first.release()
    done = client.wait_for(task["id"], "completed")
    assert f"Stop {word}!" in seen(second.body)
    assert not gate.path.exists()
    assert done["status"]["state"] == "TASK_STATE_COMPLETED"


def test_a_reminder_for_a_waiting_task_waits_for_that_task(client, model, word):
    context = str(uuid.uuid4())
    first = model.on(word + "-1", ToolCall("peek"), hold=True)
    working = client.start(word + "-1", contextId=context)
    first.wait()
    submitted = client.send(word + "-2", is_waited_for=False, contextId=context)
    client.inject(submitted["id"], f"Only {word} second.")
    again = model.on(word + "-1", "one")
    second = model.on(word + "-2", "two", hold=True)
    first.release()
    client.wait_for(working["id"], "completed")
    second.wait()
    assert f"Only {word} second." not in seen(again.body)
    assert f"Only {word} second." in seen(second.body)
    second.release()
    client.wait_for(submitted["id"], "completed")


def test_a_reminder_for_a_question_is_seen_by_the_next_turn(client, model, word):
    task = client.send('json {"status":"input_required","text":"?"}')
    client.inject(task["id"], f"Main is red, {word}.")
    held = model.on(word, "ok")
    client.send("go on " + word, taskId=task["id"])
    assert f"Main is red, {word}." in seen(held.body)


def test_waiting_reminders_of_a_cancelled_task_stay_with_the_context(client, model, word, gate):
    task = client.start(f"wait {gate}")
    client.inject(task["id"], f"Still true, {word}.")
    client.result("CancelTask", {"id": task["id"]})
    held = model.on(word, "ok")
    client.send("new " + word, contextId=task["contextId"])
    assert f"Still true, {word}." in seen(held.body)


def test_a_newer_reminder_with_the_key_replaces_the_older(client, model, word):
    first = model.on(word, ToolCall("peek"), hold=True)
    task = client.start(word)
    first.wait()
    client.inject(task["id"], "OLD one", dedupeKey="k")
    client.inject(task["id"], "NEW one", dedupeKey="k")
    second = model.on(word, "done")
    first.release()
    client.wait_for(task["id"], "completed")
    assert "NEW one" in seen(second.body)
    assert "OLD one" not in seen(second.body)


@pytest.mark.parametrize(("propagate", "is_inherited"), [("all", True), ("session", True), ("none", False)])
def test_propagation_to_sub_agents(client, model, word, propagate, is_inherited):
    first = model.on(word + "-parent", ToolCall("peek"), hold=True)
    task = client.start(word + "-parent")
    first.wait()
    client.inject(task["id"], f"Reach {word}.", propagate=propagate)
    model.on(word + "-parent", ToolCall("delegate", {"task": word + "-child"}))
    child = model.on(word + "-child", "child done")
    model.on(word + "-parent", "parent done")
    first.release()
    client.wait_for(task["id"], "completed")
    assert (f"Reach {word}." in seen(child.body)) is is_inherited


# In a message

PLACES = ["harn", "harn.reminder", URI]


def metadata_with(place, reminder):
    return {"harn": {"reminder": reminder}} if place == "harn" else {place: reminder}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("level", ["message", "params"])
def test_metadata_of_a_message_carries_reminders(client, model, word, place, level):
    held = model.on(word, "done")
    metadata = metadata_with(place, [{"body": f"First {word}."}, {"body": f"Second {word}.", "ttl_turns": 1}])
    params = {"message": message(word, **({"metadata": metadata} if level == "message" else {}))}
    if level == "params":
        params["metadata"] = metadata
    assert state_of(client.result("SendMessage", params)["task"]) == "completed"
    assert f"First {word}." in seen(held.body)
    assert f"Second {word}." in seen(held.body)


@pytest.mark.parametrize(
    "method", ["SendStreamingMessage", "message/send", "message/stream", "tasks/send", "tasks/sendSubscribe"]
)
def test_every_send_method_reads_them(client, model, word, method):
    held = model.on(word, "done")
    metadata = {"harn": {"reminder": {"body": f"Mind {word}."}}}
    if "/" in method:
        part = {"kind": "text", "type": "text", "text": word}
        sent = {"messageId": "m", "role": "user", "parts": [part], "metadata": metadata}
        params = {"message": sent, **({"id": str(uuid.uuid4())} if method.startswith("tasks") else {"metadata": {}})}
    else:
        params = {"message": message(word, metadata=metadata)}
    if "tream" in method or "Subscribe" in method:
        client.stream(method, params).all()
    else:
        client.result(method, params)
    assert f"Mind {word}." in seen(held.body)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "reminder",
    [{}, {"body": ""}, {"body": "B", "colour": 1}, {"body": "B", "propagate": "far"}, "text", 7, [{"body": "B"}, {}]],
)
def test_a_bad_one_makes_no_task(client, place, reminder):
    context = str(uuid.uuid4())
    for method in ("SendMessage", "SendStreamingMessage"):
        given = message("echo x", contextId=context, metadata=metadata_with(place, reminder))
        error = client.error(method, {"message": given})
        assert error["code"] == -32602
        assert "HARN-RMD-00" in error["message"]
    assert client.result("ListTasks", {"contextId": context})["tasks"] == []


def test_a_reminder_with_a_steer_reaches_the_working_task(client, model, word):
    first = model.on(word + "-a", ToolCall("peek"), hold=True)
    task = client.start(word + "-a")
    first.wait()
    second = model.on(word, "done")
    given = message("also " + word, taskId=task["id"], metadata={"harn": {"reminder": {"body": f"Quick {word}."}}})
    client.result("SendMessage", {"message": given, "configuration": {"returnImmediately": True}})
    first.release()
    client.wait_for(task["id"], "completed")
    eventually(second.asked.is_set)
    assert f"Quick {word}." in seen(second.body)
