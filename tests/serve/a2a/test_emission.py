"""What clients see of reminders: status updates, notifications, and the metadata of a task."""

import json
import re
import uuid

import pytest

from tests.serve.a2a_client import URI, message, state_of, text_of
from tests.serve.models import ToolCall

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
FIELDS = {"id", "body", "tags", "dedupeKey", "source", "firedAtTurn"}


def reminders_of(events):
    """Return `(event, reminder)` of each reminder event."""
    return [(event.reminder["event"], event.reminder["reminder"]) for event in events if event.reminder]


def notifications_of(events):
    return [event.data for event in events if "method" in event.data]


@pytest.fixture
def play(client, model, word):
    """Return a function that injects reminders into a working task and returns the events of its stream."""

    def run(*reminders, method="SendStreamingMessage", headers=None, calls=2, **fields):
        first = model.on(word, ToolCall("peek"), hold=True)
        if method == "tasks/sendSubscribe":
            params = {"id": str(uuid.uuid4()), "message": {"role": "user", "parts": [{"type": "text", "text": word}]}}
        elif method == "message/stream":
            part = {"kind": "text", "text": word}
            params = {"message": {"messageId": "m", "role": "user", "parts": [part], **fields}}
        else:
            params = {"message": message(word, **fields)}
        stream = client.stream(method, params, headers=headers)
        first.wait()
        stream.wait_for("working")
        answers = []
        for reminder in reminders:
            metadata = reminder.pop("metadata", None)
            given = {"taskId": stream.task_id, "reminder": reminder, **({"metadata": metadata} if metadata else {})}
            answers.append(client.result("tasks/inject_reminder", given)["reminderId"])
        for _ in range(calls - 2):
            model.on(word, ToolCall("peek"))
        model.on(word, "done")
        first.release()
        events = stream.all()
        assert events[-1].state == "completed", stream.describe()
        return events, answers, client.task(stream.task_id)

    return run


def test_a_reminder_is_emitted_as_a_status_update_of_the_current_state(play):
    key = uuid.uuid4().hex
    events, (reminder_id,), _ = play(
        {"body": "Rebase.", "tags": ["rebase"], "dedupeKey": key, "source": "coordinator-agent"}
    )
    event = next(event for event in events if event.reminder)
    update = event.result["statusUpdate"]
    assert set(update) == {"taskId", "contextId", "status", "metadata"}
    assert update["status"]["state"] == "TASK_STATE_WORKING"
    assert TIME.fullmatch(update["status"]["timestamp"])
    assert update["metadata"]["harn"] == {
        "event": "emitted",
        "reminder": {
            "id": reminder_id,
            "body": "Rebase.",
            "tags": ["rebase"],
            "dedupeKey": key,
            "source": "coordinator-agent",
            "firedAtTurn": 1,
        },
    }


def test_the_source_is_the_wire_name_without_a_label(play):
    events, _, _ = play({"body": "Rebase."})
    ((name, reminder),) = reminders_of(events)
    assert name == "emitted"
    assert reminder["source"] == "host"
    assert "dedupeKey" not in reminder
    assert set(reminder) <= FIELDS


def test_it_is_emitted_once_per_call_that_renders_it(play):
    events, (reminder_id,), _ = play({"body": "Rebase."}, calls=4)
    assert [(name, reminder["id"]) for name, reminder in reminders_of(events)] == [("emitted", reminder_id)] * 3


def test_it_is_emitted_before_the_text_of_its_call(play):
    events, _, _ = play({"body": "Rebase."})
    places = [event.number for event in events if event.reminder]
    texts = [event.number for event in events if "artifactUpdate" in event.result]
    assert places
    assert max(places) < min(texts)


def test_expiry_comes_before_the_last_state(play):
    events, (reminder_id,), _ = play({"body": "Rebase.", "ttlTurns": 1})
    names = [name for name, _ in reminders_of(events)]
    assert names == ["emitted", "expired"]
    expired = reminders_of(events)[1][1]
    assert expired["id"] == reminder_id
    assert expired["phase"] == "ttl_expired"
    assert isinstance(expired["expiredAtTurn"], int)
    assert set(expired) == {"id", "phase", "expiredAtTurn"}
    place = next(event.number for event in events if event.reminder and event.reminder["event"] == "expired")
    assert place < events[-1].number
    assert next(event for event in events if event.number == place).state == "working"


def test_a_displaced_reminder_is_reported_before_the_newer_one(play):
    key = uuid.uuid4().hex
    events, (old, new), _ = play({"body": "Old.", "dedupeKey": key}, {"body": "New.", "dedupeKey": key})
    found = reminders_of(events)
    assert [name for name, _ in found] == ["deduped", "emitted"]
    assert found[0][1] == {"id": new, "dedupeKey": key, "droppedReminderIds": [old]}
    assert found[1][1]["id"] == new


def test_audits_are_not_emitted(play):
    events, _, task = play({"body": "Noted.", "mode": "audit_only"})
    assert reminders_of(events) == []
    assert not (task.get("metadata") or {}).get("harn", {}).get("reminders")


def test_the_updates_of_0_3_and_0_1(play, model):
    events, (reminder_id,), task = play({"body": "Rebase."}, method="message/stream")
    event = next(event for event in events if event.reminder)
    assert (event.result["kind"], event.result["final"]) == ("status-update", False)
    assert event.result["status"]["state"] == "working"
    assert event.reminder["reminder"]["id"] == reminder_id
    assert not notifications_of(events)
    events, (reminder_id,), task = play({"body": "Rebase."}, method="tasks/sendSubscribe")
    event = next(event for event in events if event.reminder)
    assert set(event.result) == {"id", "status", "final", "metadata"}
    assert event.result["id"] == task["id"]
    assert event.result["final"] is False
    assert event.reminder["event"] == "emitted"


OPT_INS = [
    ("SendStreamingMessage", {"A2A-Extensions": URI}, {}),
    ("SendStreamingMessage", {"X-A2A-Extensions": f"urn:other:v1,{URI}"}, {}),
    ("SendStreamingMessage", {}, {"extensions": [URI]}),
    ("message/stream", {"X-A2A-Extensions": URI}, {}),
    ("message/stream", {"A2A-Extensions": URI}, {}),
    ("message/stream", {}, {"extensions": [URI]}),
    ("tasks/sendSubscribe", {}, {}),
]


@pytest.mark.parametrize(("method", "headers", "fields"), OPT_INS)
def test_notifications_follow_their_event_on_streams_that_opted_in(play, method, headers, fields):
    key = uuid.uuid4().hex
    events, (old, new), task = play(
        {"body": "Old.", "dedupeKey": key},
        {
            "body": "New.", "dedupeKey": key, "ttlTurns": 1, "tags": ["a"], "source": "coordinator-agent",
            "metadata": {"harn.reminder.origin": "workflow-coordinator"},
        },
        method=method, headers=headers, **fields,
    )  # fmt: skip
    found = notifications_of(events)
    assert [item["method"] for item in found] == [
        "tasks/reminderDeduped",
        "tasks/reminderEmitted",
        "tasks/reminderExpired",
    ]
    assert all(set(item) == {"jsonrpc", "method", "params"} for item in found)
    deduped, emitted, expired = (item["params"] for item in found)
    deduped_metadata = deduped.pop("metadata")
    assert deduped == {"taskId": task["id"], "reminderId": new, "dedupeKey": key, "droppedReminderIds": [old]}
    assert isinstance(deduped_metadata, dict)
    assert emitted == {
        "taskId": task["id"],
        "reminder": {
            "id": new,
            "body": "New.",
            "tags": ["a"],
            "dedupeKey": key,
            "source": "coordinator-agent",
            "firedAtTurn": 1,
        },
        "metadata": {"harn.reminder.origin": "workflow-coordinator"},
    }
    assert (expired["taskId"], expired["reminderId"], expired["phase"]) == (task["id"], new, "ttl_expired")
    assert isinstance(expired["expiredAtTurn"], int)
    for event in events:
        if "method" in event.data:
            before = events[event.number - 1]
            assert before.reminder
            assert event.data["method"].lower() == f"tasks/reminder{before.reminder['event']}"


@pytest.mark.parametrize(
    ("method", "headers", "fields"),
    [
        ("SendStreamingMessage", {}, {}),
        ("SendStreamingMessage", {"A2A-Extensions": "urn:other:v1"}, {"extensions": ["urn:other:v1"]}),
        ("message/stream", {}, {}),
    ],
)
def test_others_get_no_notification(play, method, headers, fields):
    events, _, _ = play({"body": "Rebase.", "ttlTurns": 1}, method=method, headers=headers, **fields)
    assert notifications_of(events) == []
    assert [name for name, _ in reminders_of(events)] == ["emitted", "expired"]


def test_those_who_poll_find_the_events_in_the_metadata_of_the_task(play):
    events, (reminder_id,), task = play({"body": "Rebase.", "ttlTurns": 1})
    found = task["metadata"]["harn"]["reminders"]
    assert [item["event"] for item in found] == ["emitted", "expired"]
    assert found == [event.reminder for event in events if event.reminder]
    assert found[0]["reminder"]["id"] == reminder_id


def test_the_last_32_events_are_kept(play):
    _, _, task = play({"body": "A."}, {"body": "B."}, calls=20)
    found = task["metadata"]["harn"]["reminders"]
    assert len(found) == 32
    assert [item["reminder"]["body"] for item in found[-2:]] == ["A.", "B."]


def test_the_old_versions_show_them_too(play, client):
    _, _, task = play({"body": "Rebase."})
    assert client.result("tasks/get", {"id": task["id"]})["metadata"] == task["metadata"]
    assert (
        client.result("tasks/get", {"id": task["id"]}, headers={"A2A-Version": "0.1"})["metadata"] == task["metadata"]
    )


def test_immediate_reminders_are_emitted_first(play):
    events, (later, now), _ = play({"body": "Later."}, {"body": "Now.", "mode": "interrupt_immediate"})
    assert [reminder["id"] for _, reminder in reminders_of(events)] == [now, later]


def test_only_the_reminders_of_the_task_itself_go_out(client, model, word):
    first = model.on(word + "-parent", ToolCall("peek"), hold=True)
    stream = client.stream_text(word + "-parent")
    first.wait()
    stream.wait_for("working")
    client.inject(stream.task_id, "Reach.", propagate="all")
    model.on(word + "-parent", ToolCall("delegate", {"task": word + "-child"}))
    model.on(word + "-child", "child done")
    model.on(word + "-parent", "parent done")
    first.release()
    found = reminders_of(stream.all())
    assert {name for name, _ in found} == {"emitted"}
    assert len(found) == 2
    assert "child done" not in text_of(client.task(stream.task_id))


def test_secrets_are_redacted_on_the_wire_and_not_for_the_model(play, model, word):
    secret = "sk-ant-" + "a1B2" * 8
    events, _, task = play({"body": f"Use {secret} now."})
    ((_, reminder),) = reminders_of(events)
    assert reminder["body"] == "Use [redacted] now."
    assert secret not in json.dumps(task)
    assert any(secret in json.dumps(body) for body in model.requests)


def test_whole_numbers_in_metadata_are_integers(client):
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "SendMessage",
            "params": {"message": message("echo x", metadata={"n": 2.0, "m": [{"k": 3.0}], "f": 2.5})},
        }
    )
    answer = client.post(body.encode())
    metadata = answer.result["task"]["history"][0]["metadata"]
    assert metadata == {"n": 2, "m": [{"k": 3}], "f": 2.5}
    assert b"2.0" not in answer.body.replace(b'"2.0"', b"")


def test_a_reminder_in_a_message_is_emitted_in_its_turn(client, model, word):
    model.on(word, "done")
    stream = client.stream_text(word, metadata={"harn": {"reminder": {"body": "Mind.", "source": "me"}}})
    ((name, reminder),) = reminders_of(stream.all())
    assert (name, reminder["body"], reminder["source"], reminder["firedAtTurn"]) == ("emitted", "Mind.", "me", 0)
    assert state_of(client.task(stream.task_id)) == "completed"


def test_sources_have_the_names_of_the_wire(client, model, word):
    model.on(word, "done")
    events = client.stream_text(f"remind {word}").all()
    found = {reminder["body"]: reminder["source"] for _, reminder in reminders_of(events)}
    assert found == {"From the script.": "provider", "By the bridge.": "bridge"}


def test_errors_are_redacted_and_the_words_of_the_user_are_not(client, server):
    secret = "sk-ant-" + "c3D4" * 8
    task = client.send(f"fail because of {secret}")
    assert "[redacted]" in json.dumps(task["status"])
    assert secret not in json.dumps(task["status"])
    assert task["history"][0]["parts"][0]["text"] == f"fail because of {secret}"
    error = client.error("tasks/inject_reminder", {"taskId": task["id"], "reminder": {"body": "B", secret: 1}})
    assert secret not in json.dumps(error)
    assert secret not in server.stderr
