"""Streams: their order, subscribing, readers that lag and clients that go away."""

import json
import time
import uuid

import pytest

from tests.serve.a2a_client import URI, Stream, message, reasons_of, state_of, text_of
from tests.serve.models import ToolCall


def shapes(events):
    """Return what each event is: `task submitted`, `working`, `artifact`, `emitted`, the notification's method."""
    found = []
    for event in events:
        if "method" in event.data:
            found.append(event.data["method"])
        elif "task" in event.result:
            found.append(f"task {event.state}")
        elif event.reminder:
            found.append(event.reminder["event"])
        elif "artifactUpdate" in event.result:
            found.append("artifact")
        else:
            found.append(event.state)
    return found


def test_the_order_of_a_stream(client):
    assert shapes(client.stream_text("echo hi").all()) == ["task submitted", "working", "artifact", "completed"]
    assert shapes(client.stream_text("nothing").all()) == ["task submitted", "working", "completed"]
    assert shapes(client.stream_text("fail x").all()) == ["task submitted", "working", "failed"]
    question = 'json {"status":"input_required","text":"?"}'
    assert shapes(client.stream_text(question).all()) == ["task submitted", "working", "input-required"]


def test_the_first_event_has_the_message_of_the_user(client):
    sent = message("echo hi")
    first = client.stream("SendStreamingMessage", {"message": sent}).all()[0].result["task"]
    assert first["history"][-1]["messageId"] == sent["messageId"]
    assert first["id"]
    assert first["contextId"]
    assert not first.get("artifacts")


@pytest.mark.parametrize("id_", [1, "1", "ä", 0])
def test_every_event_has_the_id_of_its_request(client, id_):
    stream = client.stream("SendStreamingMessage", {"message": message("echo hi")}, id=id_)
    assert {json.dumps(event.data["id"]) for event in stream.all()} == {json.dumps(id_)}


def test_events_name_their_task_and_context(client):
    events = client.stream_text("echo hi").all()
    task = events[0].result["task"]
    for event in events[1:]:
        (update,) = event.result.values()
        assert (update["taskId"], update["contextId"]) == (task["id"], task["contextId"])


def test_events_arrive_when_they_happen(client, model, word):
    held = model.on(word, "One ", "two.", hold=True)
    stream = client.stream_text(word)
    held.wait()
    stream.wait_for("working")
    held.allow(1)
    stream.wait(lambda event: "artifactUpdate" in event.result)
    assert not stream.is_ended
    assert state_of(client.task(stream.task_id)) == "working"
    held.release()
    assert stream.all()[-1].state == "completed"


def test_a_state_is_stored_before_it_is_sent(client, gate):
    stream = client.stream_text(f"wait {gate}")
    stream.wait_for("working")
    assert state_of(client.task(stream.task_id)) == "working"
    gate.open()
    stream.wait_for("completed")
    task = client.task(stream.task_id)
    assert state_of(task) == "completed"
    assert text_of(task) == "waited"
    assert task["status"]["timestamp"] == stream.all()[-1].result["statusUpdate"]["status"]["timestamp"]


def test_the_answer_to_a_question_streams_in_the_same_task(client):
    stream = client.stream_text('json {"status":"input_required","text":"?"}')
    stream.all()
    again = client.stream_text("echo that", taskId=stream.task_id)
    events = again.all()
    assert again.task_id == stream.task_id
    assert shapes(events)[1:] == ["working", "artifact", "completed"]
    assert "task" in events[0].result


# Subscribing


@pytest.mark.parametrize("method", ["SubscribeToTask", "tasks/resubscribe"])
def test_a_subscriber_gets_the_task_and_then_what_follows(client, gate, method):
    task = client.start(f"wait {gate}")
    stream = client.stream(method, {"id": task["id"]})
    assert stream.task_id == task["id"]
    assert stream.wait(lambda _: True).state == "working"
    gate.open()
    last = stream.all()[-1]
    assert last.state == "completed"
    assert last.result.get("final", True) is True


def test_all_readers_get_the_same_events_in_the_same_order(client, model, word):
    held = model.on(word, "One ", "two ", "three.", hold=True)
    first = client.stream_text(word)
    held.wait()
    first.wait_for("working")
    others = [client.stream("SubscribeToTask", {"id": first.task_id}) for _ in range(3)]
    for other in others:
        other.wait(lambda _: True)
    for _ in range(3):
        held.allow(1)
        time.sleep(0.05)
    held.release()
    everything = [event.result for event in first.all()]
    for other in others:
        assert [event.result for event in other.all()][1:] == everything[2:]


def test_a_late_subscriber_gets_what_was_said_in_the_task(client, model, word):
    held = model.on(word, "One ", "two.", hold=True)
    first = client.stream_text(word)
    held.wait()
    held.allow(1)
    first.wait(lambda event: "artifactUpdate" in event.result)
    late = client.stream("SubscribeToTask", {"id": first.task_id})
    assert "One" in text_of(late.wait(lambda _: True).result["task"])
    held.release()
    rest = "".join(
        part["text"]
        for event in late.all()
        if "artifactUpdate" in event.result
        for part in event.result["artifactUpdate"]["artifact"]["parts"]
    )
    assert "One" not in rest
    assert text_of(client.task(first.task_id)) == "One two."


def test_a_subscription_to_a_question_sees_its_answer(client):
    task = client.send('json {"status":"input_required","text":"?"}')
    stream = client.stream("SubscribeToTask", {"id": task["id"]})
    first = stream.wait(lambda _: True)
    assert first.state == "input-required"


def test_a_finished_task_cannot_be_subscribed_to(client):
    task = client.send("echo x")
    error = client.error("SubscribeToTask", {"id": task["id"]})
    assert (error["code"], error["message"]) == (-32004, "This operation is not supported")
    assert reasons_of(error) == ["UNSUPPORTED_OPERATION"]
    (event,) = client.stream("tasks/resubscribe", {"id": task["id"]}).all()
    assert event.data["error"]["code"] == -32004


def test_a_subscriber_to_a_waiting_task_sees_it_start(client, gates):
    context, gate = str(uuid.uuid4()), gates()
    client.start(f"wait {gate}", contextId=context)
    waiting = client.send("echo 2", is_waited_for=False, contextId=context)
    stream = client.stream("SubscribeToTask", {"id": waiting["id"]})
    assert stream.wait(lambda _: True).state == "submitted"
    gate.open()
    assert shapes(stream.all()) == ["task submitted", "working", "artifact", "completed"]


# Readers


def test_a_client_that_goes_away_does_not_stop_the_task(client, gate):
    stream = client.stream_text(f"wait {gate}")
    stream.wait_for("working")
    task_id = stream.task_id
    stream.close()
    time.sleep(0.2)
    assert state_of(client.task(task_id)) == "working"
    gate.open()
    assert text_of(client.wait_for(task_id, "completed")) == "waited"


def test_a_waiting_send_whose_client_goes_away_does_not_stop_the_task(client, gate, word):
    sent = message(f"wait {gate}", contextId=word)
    request = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": sent}}
    waiting = Stream("127.0.0.1", client.port, request, {})
    while not client.result("ListTasks", {"contextId": word})["tasks"]:
        time.sleep(0.01)
    waiting.close()
    gate.open()
    (task,) = client.result("ListTasks", {"contextId": word})["tasks"]
    client.wait_for(task["id"], "completed")


def test_a_reader_1000_events_behind_is_cut_off_and_others_are_not(client, gate, word):
    sent = message(f"pieces {gate} 6000 2000", contextId=word)
    lagging = client.stream("SendStreamingMessage", {"message": sent}, is_paused=True)
    while not (found := client.result("ListTasks", {"status": "TASK_STATE_WORKING", "contextId": word})["tasks"]):
        time.sleep(0.01)
    task_id = found[0]["id"]
    steady = client.stream("SubscribeToTask", {"id": task_id})
    steady.wait(lambda _: True)
    gate.open()
    assert steady.all()[-1].state == "completed"
    assert sum("artifactUpdate" in event.result for event in steady.events) >= 6000
    lagging.go_on()
    events = lagging.all()
    assert 0 < len(events) < 6000
    assert events[-1].state != "completed"
    assert state_of(client.task(task_id)) == "completed"


def test_notifications_are_for_those_who_opted_in(client, model, word):
    """Each reader has its own choice; the order is event, then notification."""
    first = model.on(word, ToolCall("peek"), hold=True)
    plain = client.stream_text(word)
    first.wait()
    plain.wait_for("working")
    chosen = client.stream("SubscribeToTask", {"id": plain.task_id}, headers={"A2A-Extensions": URI})
    chosen.wait(lambda _: True)
    client.inject(plain.task_id, "Look up.")
    model.on(word, "looked")
    first.release()
    assert "emitted" in shapes(plain.all())
    assert not any("method" in event.data for event in plain.all())
    found = shapes(chosen.all())
    assert found[found.index("emitted") + 1] == "tasks/reminderEmitted"
