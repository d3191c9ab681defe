"""GetTask, ListTasks, CancelTask, skills, and what a script gets."""

import datetime as dt
import json
import time
import uuid

import pytest

from tests.serve.a2a_client import Client, a2a_server, eventually, message, reasons_of, state_of, status_text, text_of


def returned(**value):
    return "json " + json.dumps(value)


def texts(task):
    return [item["parts"][0]["text"] for item in task.get("history", ())]


# History


@pytest.fixture
def conversation(client):
    """Return a task with five messages: question, answer, question, answer, last question; and all their texts."""
    ask = returned(status="input_required", text="And?")
    task = client.send(ask)
    client.send(ask, taskId=task["id"])
    task = client.send("echo end", taskId=task["id"])
    return task, texts(task)


def test_history_length_is_absent_zero_or_a_number(client, conversation):
    task, all_texts = conversation
    assert len(all_texts) >= 5
    assert texts(client.task(task["id"])) == all_texts
    assert "history" not in client.task(task["id"], historyLength=0)
    for number in (1, 2, 4, 1000):
        assert texts(client.task(task["id"], historyLength=number)) == all_texts[-number:]
    old = client.result("tasks/get", {"id": task["id"], "historyLength": 1})
    assert len(old["history"]) == 1


def test_history_length_of_a_send(client):
    for configuration, count in (({"historyLength": 0}, 0), ({"historyLength": 1}, 1), ({"history_length": 1}, 1)):
        task = client.result("SendMessage", {"message": message("echo x"), "configuration": configuration})["task"]
        assert len(task.get("history", ())) == count
        assert ("history" in task) == (count > 0)
    task = client.result("SendMessage", {"message": message("echo x"), "historyLength": 0})["task"]
    assert "history" not in task
    task = client.result("GetTask", {"id": task["id"], "configuration": {"historyLength": 0}})
    assert "history" not in task


@pytest.mark.parametrize("value", [-1, "two", 1.5, True, []])
def test_a_bad_history_length_is_an_invalid_parameter(client, value):
    task = client.send("echo x")
    assert client.error("GetTask", {"id": task["id"], "historyLength": value})["code"] == -32602


def test_reminders_are_not_history(client, model, word):
    held = model.on(word, "done", hold=True)
    task = client.start(word)
    held.wait()
    client.inject(task["id"], "REMINDED", mode="audit_only")
    held.release()
    done = client.wait_for(task["id"], "completed")
    assert "REMINDED" not in json.dumps(done.get("history"))
    assert "REMINDED" not in json.dumps(done.get("artifacts"))


# GetTask


def test_an_unknown_task(client):
    for method in ("GetTask", "CancelTask", "SubscribeToTask"):
        error = client.error(method, {"id": "no-such-task"})
        assert (error["code"], error["message"]) == (-32001, "Task not found")
        assert reasons_of(error) == ["TASK_NOT_FOUND"]


@pytest.mark.parametrize("method", ["GetTask", "CancelTask", "SubscribeToTask", "tasks/get", "tasks/cancel"])
@pytest.mark.parametrize("params", [{}, {"id": None}, {"id": 7}, {"id": ["a"]}])
def test_a_task_needs_an_id(client, method, params):
    assert client.error(method, params)["code"] == -32602


# ListTasks


@pytest.fixture
def context(client):
    """Return a context and the ids of its tasks, newest status first: one that asks, one failed, five completed."""
    given = str(uuid.uuid4())
    ids = [client.send(f"echo {number}", contextId=given)["id"] for number in range(5)]
    ids.append(client.send("fail x", contextId=given)["id"])
    ids.append(client.send(returned(status="input_required", text="?"), contextId=given)["id"])
    return given, ids[::-1]


def test_lists_are_filtered_and_ordered(client, context):
    given, ids = context
    listed = client.result("ListTasks", {"contextId": given})
    assert set(listed) == {"tasks", "nextPageToken", "pageSize", "totalSize"}
    assert [task["id"] for task in listed["tasks"]] == ids
    assert (listed["nextPageToken"], listed["totalSize"], listed["pageSize"]) == ("", 7, 50)
    listed = client.result("ListTasks", {"contextId": given, "status": "TASK_STATE_COMPLETED"})
    assert [task["id"] for task in listed["tasks"]] == ids[2:]
    assert listed["totalSize"] == 5
    listed = client.result("ListTasks", {"contextId": given, "status": "TASK_STATE_INPUT_REQUIRED"})
    assert [task["id"] for task in listed["tasks"]] == ids[:1]
    listed = client.result("ListTasks", {"contextId": "none"})
    assert listed == {"tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0}


def test_an_answered_question_moves_its_task_to_the_front(client, context):
    given, ids = context
    client.send("echo y", contextId=given)
    client.send("echo x", contextId=given, taskId=ids[0])
    assert client.result("ListTasks", {"contextId": given, "pageSize": 1})["tasks"][0]["id"] == ids[0]


def test_pages(client, context):
    given, ids = context
    found, token, sizes = [], "", []
    while True:
        params = {"contextId": given, "pageSize": 3, **({"pageToken": token} if token else {})}
        page = client.result("ListTasks", params)
        found += [task["id"] for task in page["tasks"]]
        sizes.append(len(page["tasks"]))
        token = page["nextPageToken"]
        assert page["totalSize"] == 7
        assert page["pageSize"] == 3
        if not token:
            break
    assert found == ids
    assert sizes == [3, 3, 1]
    assert client.result("ListTasks", {"contextId": given, "pageSize": 7})["nextPageToken"] == ""
    assert client.result("ListTasks", {"contextId": given, "pageToken": ""})["tasks"]


@pytest.mark.parametrize("size", [0, -1, 101, 1000, "ten", 2.5, True])
def test_page_sizes_have_limits(client, size):
    assert client.error("ListTasks", {"pageSize": size})["code"] == -32602


@pytest.mark.parametrize("size", [1, 100])
def test_page_sizes_up_to_the_limits_are_served(client, size):
    assert client.result("ListTasks", {"pageSize": size})["pageSize"] == size


@pytest.mark.parametrize(
    "params",
    [
        {"pageToken": "invented"},
        {"pageToken": 7},
        {"status": "done"},
        {"status": 3.5},
        {"statusTimestampAfter": "yesterday"},
        {"contextId": 7},
    ],
)
def test_bad_filters_are_invalid_parameters(client, params):
    assert client.error("ListTasks", params)["code"] == -32602


def test_tasks_after_a_time(client, context):
    given, ids = context
    stamp = client.task(ids[3])["status"]["timestamp"]
    listed = client.result("ListTasks", {"contextId": given, "statusTimestampAfter": stamp})
    found = [task["id"] for task in listed["tasks"]]
    assert found in (ids[:3], ids[:4])
    later = (dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)).isoformat()
    assert client.result("ListTasks", {"contextId": given, "statusTimestampAfter": later})["tasks"] == []


def test_artifacts_are_listed_on_request_only(client, context):
    given, ids = context
    for params in ({}, {"includeArtifacts": False}):
        listed = client.result("ListTasks", {"contextId": given, **params})
        assert all("artifacts" not in task for task in listed["tasks"])
    listed = client.result("ListTasks", {"contextId": given, "includeArtifacts": True})
    assert text_of(next(task for task in listed["tasks"] if task["id"] == ids[-1])) == "0"
    listed = client.result("ListTasks", {"contextId": given, "historyLength": 0})
    assert all("history" not in task for task in listed["tasks"])


# CancelTask


def test_a_working_task_is_cancelled(client, gate):
    stream = client.stream_text(f"wait {gate}")
    stream.wait_for("working")
    task = client.result("CancelTask", {"id": stream.task_id})
    assert state_of(task) == "canceled"
    assert task["id"] == stream.task_id
    assert stream.all()[-1].state == "canceled"
    assert state_of(client.task(task["id"])) == "canceled"


def test_a_waiting_send_is_answered_when_its_task_is_cancelled(client, gate):
    context = str(uuid.uuid4())
    task = client.start(f"wait {gate}", contextId=context)
    client.result("tasks/cancel", {"id": task["id"]})
    assert state_of(client.wait_for(task["id"])) == "canceled"


def test_a_model_call_is_stopped(client, model, word):
    held = model.on(word, "never", hold=True)
    task = client.start(word)
    held.wait()
    assert state_of(client.result("CancelTask", {"id": task["id"]})) == "canceled"
    held.wait_gone()


def test_a_task_that_asks_or_waits_in_line_is_cancelled(client, gate):
    asking = client.send(returned(status="input_required", text="?"))
    assert state_of(client.result("CancelTask", {"id": asking["id"]})) == "canceled"
    context = str(uuid.uuid4())
    first = client.start(f"wait {gate}", contextId=context)
    second = client.send("echo 2", is_waited_for=False, contextId=context)
    third = client.send("echo 3", is_waited_for=False, contextId=context)
    assert state_of(client.result("CancelTask", {"id": second["id"]})) == "canceled"
    assert state_of(client.task(first["id"])) == "working"
    gate.open()
    client.wait_for(third["id"], "completed")
    assert state_of(client.task(first["id"])) == "completed"
    assert state_of(client.task(second["id"])) == "canceled"
    assert not client.task(second["id"]).get("artifacts")


def test_cancelling_a_working_task_lets_the_next_one_of_the_context_run(client, gate):
    context = str(uuid.uuid4())
    first = client.start(f"wait {gate}", contextId=context)
    second = client.send("echo 2", is_waited_for=False, contextId=context)
    client.result("CancelTask", {"id": first["id"]})
    assert text_of(client.wait_for(second["id"], "completed")) == "2"


@pytest.mark.parametrize("text", ["echo x", "fail x", "json " + json.dumps({"status": "rejected"})])
def test_a_finished_task_cannot_be_cancelled(client, text):
    task = client.send(text)
    error = client.error("CancelTask", {"id": task["id"]})
    assert (error["code"], error["message"]) == (-32002, "Task cannot be canceled")
    assert reasons_of(error) == ["TASK_NOT_CANCELABLE"]
    assert client.task(task["id"]) == task


def test_a_task_is_cancelled_once(client, gate):
    task = client.start(f"wait {gate}")
    client.result("CancelTask", {"id": task["id"]})
    assert client.error("CancelTask", {"id": task["id"]})["code"] == -32002


# Skills and the second parameter


@pytest.mark.parametrize("place", ["message", "params", "both"])
def test_metadata_picks_a_skill(client, place):
    metadata = {"skillId": "shout"}
    params = {"message": message("hello", **({"metadata": metadata} if place != "params" else {}))}
    if place != "message":
        params["metadata"] = metadata
    assert text_of(client.result("SendMessage", params)["task"]) == "HELLO!"


@pytest.mark.parametrize("skill", ["none", "hidden", "", 7, "SHOUT"])
def test_an_unknown_skill_is_an_invalid_parameter(client, skill):
    before = client.result("ListTasks", {"pageSize": 1})["totalSize"]
    error = client.error("SendMessage", {"message": message("hello", metadata={"skillId": skill})})
    assert error["code"] == -32602
    assert client.result("ListTasks", {"pageSize": 1})["totalSize"] == before


def test_old_versions_pick_skills_too(client):
    parts = [{"type": "text", "text": "hello"}]
    given = {"id": str(uuid.uuid4()), "message": {"role": "user", "parts": parts}, "metadata": {"skillId": "shout"}}
    task = client.result("tasks/send", given)
    assert task["artifacts"][0]["parts"] == [{"type": "text", "text": "HELLO!"}]


def test_the_second_parameter_describes_the_message(client, server):
    sent = message(parts=[{"text": "context "}, {"data": {"n": 1}}], metadata={"a": {"b": 1}})
    task = client.result("SendMessage", {"message": sent})["task"]
    got = json.loads(text_of(task))
    assert set(got) == {"protocol", "session_id", "message_id", "cwd", "content", "metadata"}
    assert got["protocol"] == "a2a"
    assert got["session_id"] == task["contextId"]
    assert got["message_id"] == sent["messageId"]
    assert got["metadata"]["a"] == {"b": 1}
    assert len(got["content"]) == 2
    assert got["cwd"].startswith("/")


# The script


def test_a_file_that_does_not_compile_fails_the_task_and_is_read_again(tmp_path):
    script = tmp_path / "agent.harn"
    script.write_text("pub pipeline default(task) { return task }\n")
    with a2a_server(script, "--store", ":memory:", cwd=tmp_path) as server:
        client = Client(server.port)
        assert text_of(client.send("one")) == "one"
        script.write_text("pub pipeline default(task { return task }\n")
        task = client.send("two")
        assert state_of(task) == "failed"
        assert status_text(task)
        assert str(tmp_path) not in json.dumps(task)
        script.write_text('pub pipeline default(task) { return "again ${task}" }\n')
        assert text_of(client.send("three")) == "again three"


def test_timestamps_never_go_back(client, gate):
    task = client.start(f"wait {gate}")
    time.sleep(0.01)
    gate.open()
    done = client.wait_for(task["id"])
    assert done["status"]["timestamp"] > task["status"]["timestamp"]
    assert eventually(lambda: client.task(task["id"]) == done)
