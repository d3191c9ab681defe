"""Tasks: their states, contexts, history, artifacts and skills."""

import json
import re
import threading
import time
import uuid

import pytest

from tests.serve.a2a_client import eventually, message, reasons_of, state_of, status_text, text_of
from tests.serve.models import ToolCall, seen

UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def returned(**value):
    return "json " + json.dumps(value)


# Contexts


def test_ids_are_made_and_an_unknown_context_is_taken_over(client):
    first, second = client.send("echo a"), client.send("echo b")
    assert UUID7.fullmatch(first["contextId"])
    assert first["id"]
    assert first["contextId"] != second["contextId"]
    given = str(uuid.uuid4())
    assert client.send("echo a", contextId=given)["contextId"] == given
    assert client.send("echo b", contextId=given)["contextId"] == given


def test_tasks_of_a_context_run_one_after_another(client, gates):
    context, one, two = str(uuid.uuid4()), gates(), gates()
    first = client.start(f"wait {one}", contextId=context)
    second = client.send(f"wait {two}", is_waited_for=False, contextId=context)
    third = client.send("echo 3", is_waited_for=False, contextId=context)
    time.sleep(0.2)
    assert [state_of(client.task(task["id"])) for task in (first, second, third)] == [
        "working",
        "submitted",
        "submitted",
    ]
    one.open()
    client.wait_for(second["id"], "working")
    assert state_of(client.task(third["id"])) == "submitted"
    assert state_of(client.task(first["id"])) == "completed"
    two.open()
    client.wait_for(third["id"], "completed")


def test_tasks_of_different_contexts_run_beside_one_another(client, gates):
    one, two = gates(), gates()
    first, second = client.start(f"wait {one}"), client.start(f"wait {two}")
    two.open()
    client.wait_for(second["id"], "completed")
    assert state_of(client.task(first["id"])) == "working"


def test_a_context_keeps_the_conversation_of_the_model(client, model, word):
    model.on(word + "-1", "I am Ada.")
    model.on(word + "-2", "Still Ada.")
    task = client.send(f"Who are you, {word}-1?")
    client.send(f"And now, {word}-2?", contextId=task["contextId"])
    request = next(body for body in model.requests if word + "-2" in json.dumps(body))
    assert "I am Ada." in seen(request)
    assert f"Who are you, {word}-1?" in seen(request)


# Messages to tasks


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"messageId": None}, "messageId"),
        ({"messageId": 7}, "messageId"),
        ({"role": None}, "role"),
        ({"role": "user "}, "role"),
        ({"role": "ROLE_NOBODY"}, "role"),
        ({"parts": None}, "parts"),
        ({"parts": []}, "parts"),
        ({"parts": "text"}, "parts"),
        ({"parts": [{}]}, "parts"),
        ({"parts": ["text"]}, "parts"),
        ({"parts": [{"text": 7}]}, "parts"),
        ({"taskId": 7}, "taskId"),
        ({"contextId": []}, "contextId"),
    ],
    ids=repr,
)
def test_bad_messages_are_invalid_parameters(client, change, field):
    before = client.result("ListTasks", {"pageSize": 1})["totalSize"]
    given = {name: value for name, value in {**message("echo x"), **change}.items() if value is not None}
    error = client.error("SendMessage", {"message": given})
    assert error["code"] == -32602, error
    assert client.result("ListTasks", {"pageSize": 1})["totalSize"] == before


@pytest.mark.parametrize("given", [None, {}, {"message": None}, {"message": "echo x"}, {"message": []}])
def test_a_send_without_message_is_an_invalid_parameter(client, given):
    assert client.error("SendMessage", given)["code"] == -32602


@pytest.mark.parametrize(
    "part",
    [
        {"raw": "aGk="},
        {"url": "https://example.org/a.png"},
        {"raw": "aGk=", "mediaType": "text/plain"},
        {"text": "x", "mediaType": "text/html"},
        {"data": {}, "mediaType": "application/xml"},
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_parts_the_card_does_not_name_are_refused(client, part, place):
    parts = [{"text": "echo"}]
    parts.insert(place, part)
    error = client.error("SendMessage", {"message": message(parts=parts)})
    assert (error["code"], error["message"]) == (-32005, "Incompatible content types")
    assert reasons_of(error) == ["CONTENT_TYPE_NOT_SUPPORTED"]


@pytest.mark.parametrize(
    "part", [{"kind": "file", "file": {"bytes": "aGk="}}, {"kind": "file", "file": {"uri": "a:b"}}]
)
def test_files_of_0_3_are_refused(client, part):
    given = {"kind": "message", "messageId": "m", "role": "user", "parts": [part]}
    error = client.error("message/send", {"message": given})
    assert (error["code"], error["message"]) == (-32005, "Incompatible content types")


def test_supported_media_types_and_unknown_members_are_accepted(client):
    parts = [
        {"text": "echo hi", "mediaType": "text/plain", "filename": "a.txt", "metadata": {"n": 2}, "colour": "red"},
        {"data": {"n": 1}, "mediaType": "application/json"},
    ]
    given = message(parts=parts, colour="red", referenceTaskIds=["a"])
    task = client.result("SendMessage", {"message": given, "colour": "red", "tenant": ""})["task"]
    assert state_of(task) == "completed"
    assert task["history"][0]["parts"][0]["metadata"] == {"n": 2}


def test_data_reaches_the_model_as_json(client, model, word):
    model.on(word, "fine")
    client.result("SendMessage", {"message": message(parts=[{"text": word}, {"data": {"answer": [1, "zwei"]}}])})
    request = next(body for body in model.requests if word in json.dumps(body))
    assert re.search(r'\{\s*"answer":\s*\[\s*1,\s*"zwei"\s*\]\s*\}', seen(request))


def test_an_unknown_task_and_the_task_of_another_context(client):
    error = client.error("SendMessage", {"message": message("echo x", taskId="no-such-task")})
    assert (error["code"], error["message"]) == (-32001, "Task not found")
    assert reasons_of(error) == ["TASK_NOT_FOUND"]
    task = client.send(returned(status="input_required", text="Which?"))
    given = message("echo x", taskId=task["id"], contextId=str(uuid.uuid4()))
    assert client.error("SendMessage", {"message": given})["code"] == -32602
    assert state_of(client.task(task["id"])) == "input-required"


@pytest.mark.parametrize("text", ["echo x", "fail x", returned(status="blocked"), "cancelled"])
def test_a_finished_task_takes_no_message(client, gate, text):
    if text == "cancelled":
        task = client.start(f"wait {gate}")
        client.result("CancelTask", {"id": task["id"]})
    else:
        task = client.send(text)
    for method in ("SendMessage", "SendStreamingMessage"):
        error = client.error(method, {"message": message("echo y", taskId=task["id"])})
        assert (error["code"], error["message"]) == (-32004, "This operation is not supported")
        assert reasons_of(error) == ["UNSUPPORTED_OPERATION"]


def test_a_question_is_answered_in_the_next_turn_of_the_task(client):
    task = client.send(returned(status="input_required", text="Which branch?"))
    assert state_of(task) == "input-required"
    assert status_text(task) == "Which branch?"
    assert not task.get("artifacts")
    assert task["status"]["message"]["taskId"] == task["id"]
    assert task["status"]["message"]["contextId"] == task["contextId"]
    again = client.send(returned(status="input_required", text="Really?"), taskId=task["id"])
    assert again["id"] == task["id"]
    assert again["contextId"] == task["contextId"]
    assert status_text(again) == "Really?"
    done = client.send("echo main", taskId=task["id"], contextId=task["contextId"])
    assert done["id"] == task["id"]
    assert state_of(done) == "completed"
    roles = [item["role"] for item in done["history"]]
    assert roles[:2] == ["ROLE_USER", "ROLE_AGENT"]
    assert [item["parts"][0]["text"] for item in done["history"][:4]] == [
        returned(status="input_required", text="Which branch?"),
        "Which branch?",
        returned(status="input_required", text="Really?"),
        "Really?",
    ]


def test_artifacts_of_earlier_turns_are_kept(client):
    started = client.send(
        returned(status="input_required", text="Go on?", artifacts=[{"name": "plan", "parts": [{"text": "p"}]}])
    )
    assert text_of(started, "plan") == "p"
    done = client.send("echo all", taskId=started["id"])
    assert text_of(done, "plan") == "p"
    assert [text_of(done, item["name"]) for item in done["artifacts"]] == ["p", "all"]


def test_a_message_to_a_working_task_is_a_steer(client, model, word):
    first = model.on(word + "-a", ToolCall("peek"), hold=True)
    task = client.start(f"start {word}-a")
    first.wait()
    second = model.on(word + "-b", "steered")
    answer = client.result(
        "SendMessage",
        {"message": message(f"rather {word}-b", taskId=task["id"]), "configuration": {"returnImmediately": True}},
    )
    assert answer["task"]["id"] == task["id"]
    assert state_of(answer["task"]) == "working"
    first.release()
    done = client.wait_for(task["id"], "completed")
    assert f"rather {word}-b" in seen(second.body)
    assert text_of(done).endswith("steered")
    texts = [item["parts"][0]["text"] for item in done["history"] if item["role"] == "ROLE_USER"]
    assert texts == [f"start {word}-a", f"rather {word}-b"]


def test_a_steer_that_the_turn_did_not_take_begins_another_turn_of_the_task(client, gate):
    task = client.start(f"wait {gate}")
    waiting = []
    thread = threading.Thread(target=lambda: waiting.append(client.send("echo later", taskId=task["id"])))
    thread.start()
    eventually(lambda: len(client.task(task["id"]).get("history", ())) == 2)
    time.sleep(0.3)
    assert not waiting
    gate.open()
    thread.join(60)
    assert waiting[0]["id"] == task["id"]
    assert state_of(waiting[0]) == "completed"
    texts = [text_of(waiting[0], item["name"]) for item in waiting[0]["artifacts"]]
    assert texts == ["waited", "later"]
    assert [item["name"] for item in waiting[0]["artifacts"]] == ["result", "result-2"]


# How turns end


@pytest.mark.parametrize(
    ("value", "state", "text"),
    [
        ({"text": "t"}, "completed", None),
        ({"status": "done", "text": "t"}, "completed", None),
        ({"status": "idle", "text": "t"}, "completed", None),
        ({"status": "anything else", "text": "t"}, "completed", None),
        ({"status": "budget_exhausted", "text": "t"}, "failed", None),
        ({"status": "stuck", "text": "t"}, "failed", None),
        ({"status": "verify_exhausted", "text": "t"}, "failed", None),
        ({"status": "verify_failed", "text": "t"}, "failed", None),
        ({"status": "incomplete", "text": "t"}, "failed", None),
        ({"status": "budget_exhausted", "stop_reason": "total_cost", "text": "t"}, "failed", None),
        ({"status": "blocked", "text": "t"}, "rejected", "t"),
        ({"status": "suspended", "text": "t"}, "input-required", "t"),
        ({"status": "input_required", "text": "t"}, "input-required", "t"),
        ({"status": "failed", "text": "t"}, "failed", None),
        ({"status": "provider_error", "text": "t"}, "failed", None),
        ({"status": "watchdog", "text": "t"}, "failed", None),
        ({"status": "rejected", "text": "t"}, "rejected", "t"),
        ({"status": "auth_required", "text": "t"}, "auth-required", "t"),
    ],
    ids=lambda value: value.get("status", "none") if isinstance(value, dict) else "",
)
def test_the_status_of_the_returned_dict_decides_the_state(client, value, state, text):
    task = client.send(returned(**value))
    assert state_of(task) == state
    if text is not None:
        assert status_text(task) == text
        assert not task.get("artifacts")
    if state == "completed":
        assert text_of(task) == "t"
        assert "message" not in task["status"]


@pytest.mark.parametrize("value", [{"visible_text": "v"}, {"visible_text": "v", "text": "t"}])
def test_the_visible_text_comes_first(client, value):
    assert text_of(client.send(returned(**value))) == "v"


def test_artifacts_of_a_turn_that_reached_a_limit_are_kept(client):
    task = client.send(returned(status="stuck", text="so far", artifacts=[{"name": "draft", "parts": [{"text": "d"}]}]))
    assert state_of(task) == "failed"
    assert text_of(task, "draft") == "d"


def test_an_uncaught_error_fails_the_task_with_its_first_line(client):
    task = client.send("fail no such branch")
    assert state_of(task) == "failed"
    assert "no such branch" in status_text(task)
    assert "\n" not in status_text(task)
    assert "agent.harn" not in json.dumps({**task, "history": []})


@pytest.mark.parametrize("text", ["nothing", "json 7", "json null", "json [1]", "json {}", "json true"])
def test_a_turn_without_text_completes_without_result(client, text):
    task = client.send(text)
    assert state_of(task) == "completed"
    assert not task.get("artifacts")


def test_a_model_without_an_answer_fails_the_task(client, word):
    task = client.send(f"{word} nobody queued an answer")
    assert state_of(task) == "failed"
    assert status_text(task)


def test_what_a_script_prints_goes_to_stderr(client, server, word):
    client.send(f"print {word}")
    eventually(lambda: word in server.stderr)
    assert server.stdout == b""


# Artifacts


def test_the_text_of_the_model_is_streamed_into_one_artifact(client, model, word):
    held = model.on(word, "One ", "two ", "three.", hold=True)
    stream = client.stream_text(word)
    held.wait()
    for number in range(1, 4):
        held.allow(1)
        stream.wait(lambda event: "artifactUpdate" in event.result, after=1 + number)
    held.release()
    events = stream.all()
    updates = [event.result["artifactUpdate"] for event in events if "artifactUpdate" in event.result]
    assert (
        "".join(part.get("text", "") for update in updates for part in update["artifact"]["parts"]) == "One two three."
    )
    assert {update["artifact"]["artifactId"] for update in updates} == {updates[0]["artifact"]["artifactId"]}
    assert {update["artifact"]["name"] for update in updates} == {"result"}
    assert [bool(update.get("append")) for update in updates] == [False] + [True] * (len(updates) - 1)
    assert [bool(update.get("lastChunk")) for update in updates] == [False] * (len(updates) - 1) + [True]
    task = client.task(stream.task_id)
    assert [text_of({"artifacts": [item]}, "result") for item in task["artifacts"]] == ["One two three."]
    assert len(task["artifacts"][0]["parts"]) == 1


def test_a_returned_dict_may_hold_artifacts(client):
    artifacts = [{"name": "a", "parts": [{"text": "1"}]}, {"name": "b", "parts": [{"data": {"n": 2}}, {"text": "x"}]}]
    task = client.send(returned(artifacts=artifacts))
    assert [(item["name"], item["parts"]) for item in task["artifacts"]] == [
        ("a", artifacts[0]["parts"]),
        ("b", artifacts[1]["parts"]),
    ]
    assert len({item["artifactId"] for item in task["artifacts"]}) == 2
    stream = client.stream_text(returned(artifacts=artifacts))
    names = [
        event.result["artifactUpdate"]["artifact"]["name"] for event in stream.all() if "artifactUpdate" in event.result
    ]
    assert names == ["a", "b"]


def test_a_script_streams_artifacts(client):
    stream = client.stream_text("artifact done")
    updates = [event.result["artifactUpdate"] for event in stream.all() if "artifactUpdate" in event.result]
    logs = [update for update in updates if update["artifact"]["name"] == "log"]
    assert [(bool(log.get("append")), bool(log.get("lastChunk"))) for log in logs] == [(False, False), (True, True)]
    assert logs[0]["artifact"]["artifactId"] == logs[1]["artifact"]["artifactId"]
    task = client.task(stream.task_id)
    assert text_of(task, "log") == "onetwo"
    assert text_of(task) == "done"


# Messages as results


@pytest.mark.parametrize("value", ["just a word", [{"text": "just a word"}]])
def test_a_returned_message_is_the_answer_of_a_waiting_send(client, value):
    result = client.result("SendMessage", {"message": message(returned(message=value))})
    assert set(result) == {"message"}
    assert result["message"]["role"] == "ROLE_AGENT"
    assert result["message"]["parts"] == [{"text": "just a word"}]
    assert result["message"]["messageId"]
    given = {
        "kind": "message",
        "messageId": "m",
        "role": "user",
        "parts": [{"kind": "text", "text": returned(message=value)}],
    }
    result = client.result("message/send", {"message": given})
    assert (result["kind"], result["role"]) == ("message", "agent")


def test_on_a_stream_a_returned_message_is_that_of_the_completed_status(client):
    events = client.stream_text(returned(message="just a word")).all()
    assert "task" in events[0].result
    last = events[-1].result["statusUpdate"]
    assert last["status"]["state"] == "TASK_STATE_COMPLETED"
    assert last["status"]["message"]["parts"] == [{"text": "just a word"}]
