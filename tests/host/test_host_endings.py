"""The ends of a host, its turns and its subscriptions, and the cleanup after them."""

import gc
import threading
from collections import deque

import pytest

from harnlite import Engine, Host, HostError, LanguageError, ReminderError, Subscription, TurnCancelled
from harnlite.runtime.tasks.execution import Execution
from tests.host.waits import wait_for

TIDY = """pipeline main(task) {
  defer {
    sleep(100ms)
    event_log.emit("work", "tidied", {})
  }
  event_log.emit("work", "began", {})
  while true { sleep(1ms) }
}
"""
NOTES = """pipeline main(task) {
  llm_mock({text: "ok"})
  sleep(300ms)
  agent_loop(task, "You help.", {provider: "mock"})
  return llm_mock_calls()[0].system
}
"""
TICKS = "pipeline main(task) { for i in 1 to 20 { event_log.emit('many', 'tick', {n: i}) } }\n".replace("'", '"')


def begun(host, session):
    """Start a turn and return it once its program runs."""
    with host.subscribe(topic="work", after=0) as records:
        turn = host.prompt(session, "go")
        assert next(records)["kind"] == "began"
    return turn


def test_a_second_cancel_leaves_the_clean_up_alone():
    with Host(script=TIDY) as host:
        session = host.open()
        turn = begun(host, session)
        assert host.cancel(session)
        assert host.cancel(session)
        with pytest.raises(TurnCancelled):
            turn.result(60)
        assert not host.cancel(session)
        with host.subscribe(topic="work", after=1) as records:
            assert next(records)["kind"] == "tidied"


@pytest.mark.parametrize("kept", ["events", "store"])
def test_what_a_turn_says_while_its_host_closes_is_kept(kept, tmp_path):
    engine = Engine(**{kept: str(tmp_path / "log")})
    with Host(engine, TIDY) as host:
        turn = begun(host, host.open())
    with pytest.raises(TurnCancelled):
        turn.result(60)
    if kept == "events":
        assert '"kind":"tidied"' in (tmp_path / "log").read_text()
        return
    with Host(engine) as reader:
        records = reader.subscribe(topic="work", after=0)
        records.close()
        assert [record["kind"] for record in records] == ["began", "tidied"]


@pytest.mark.parametrize(
    "call",
    [
        lambda host, _: host.open(),
        lambda host, session: host.prompt(session, "go"),
        lambda host, session: host.remind(session, {"body": "x"}),
        lambda host, _: host.subscribe(topic="work"),
    ],
)
def test_a_closed_host_takes_nothing_more(call, tmp_path):
    host = Host(Engine(store=str(tmp_path / "log")), TIDY)
    session = host.open()
    host.close()
    host.close()
    with pytest.raises(HostError) as caught:
        call(host, session)
    assert caught.value.reason == "closed"
    assert host.cancel(session) is False


def test_iterating_ends_with_the_host():
    host = Host(script=TICKS)
    records = host.subscribe(topic="many")
    heard = []
    listener = threading.Thread(target=lambda: heard.extend(records), daemon=True)
    listener.start()
    host.prompt(host.open(), "go").result(60)
    host.close()
    listener.join(60)
    assert not listener.is_alive()
    assert len(heard) == 20


def test_a_closed_subscription_calls_back_no_more():
    heard = []
    with Host(script=TICKS) as host:
        inside = threading.Event()

        def note(record):
            inside.wait(60)
            heard.append(record["payload"]["n"])
            subscription.close()

        subscription = host.subscribe(None, note, topic="many")
        others = []
        host.subscribe(None, others.append, topic="many")
        host.prompt(host.open(), "go").result(60)
        inside.set()
        wait_for(lambda: len(others) == 20)
    assert heard == [1]


def test_closing_during_a_delivery_drops_the_events_before_or_after_it():
    heard, delivering = [], threading.Event()
    subscription = Subscription(heard.append)
    subscription.on_close(lambda: delivering.wait(60))
    closing = threading.Thread(target=subscription.close)

    class Watched(deque):
        def __len__(self):
            found = super().__len__()
            if not delivering.is_set():
                delivering.set()
                closing.join(0.2)  # without a lock, the events would be dropped now
            return found

    subscription.put({"n": 1})
    subscription._events = Watched(subscription._events)
    closing.start()
    wait_for(lambda: subscription.closed)
    subscription.deliver()
    closing.join(60)
    subscription.deliver()
    assert heard == [{"n": 1}]


def test_nothing_that_a_callback_raises_stops_the_others(capsys):
    def leave(_record):
        raise SystemExit(3)

    heard = []
    with Host(script=TICKS) as host:
        host.subscribe(None, leave, topic="many")
        host.subscribe(None, heard.append, topic="many")
        host.prompt(host.open(), "go").result(60)
        wait_for(lambda: len(heard) == 20)
    assert "a callback of a subscription failed: SystemExit: 3" in capsys.readouterr().err


def test_a_callback_that_falls_behind_is_told_of_on_stderr(monkeypatch, capsys):
    monkeypatch.setattr("harnlite.host.subscriptions.MOST_BEHIND", 5)
    heard, go_on = [], threading.Event()

    def note(record):
        go_on.wait(60)
        heard.append(record["payload"]["n"])

    with Host(script=TICKS) as host:
        subscription = host.subscribe(None, note, topic="many")
        host.prompt(host.open(), "go").result(60)
        assert subscription.closed
        go_on.set()
        wait_for(lambda: len(heard) >= 5)
        wait_for(lambda: "HostError: the subscription is 5 events behind" in capsys.readouterr().err)
    assert heard == list(range(1, len(heard) + 1))


def test_a_session_whose_turn_has_not_begun_its_loop_is_kept():
    with Host(script=NOTES) as host:
        session = host.open()
        host.remind(session, {"body": "Keep me."})
        turns = [host.prompt(session, "go"), host.prompt(session, "again")]
        for _ in range(200):
            host.open()
        assert host.pending(session)["pendingCount"] == 1
        assert "Keep me." in turns[0].result(60)
        turns[1].result(60)
        for _ in range(200):
            host.open()
        with pytest.raises(HostError, match="there is no session"):
            host.pending(session)


@pytest.mark.parametrize("fields", [{"body": object()}, {1: "x"}, {"body": "x", "ttl_turns": 2**70}])
def test_what_no_script_could_say_is_no_reminder(fields):
    with Host(script=TICKS) as host:
        with pytest.raises(ReminderError) as caught:
            host.remind(host.open(), fields)
        assert (caught.value.code, caught.value.field) == ("HARN-RMD-002", None)


def test_a_cursor_is_no_negative_number():
    with Host(script=TICKS) as host, pytest.raises(ValueError, match="after must be the cursor"):
        host.subscribe(topic="many", after=-1)


@pytest.mark.parametrize(
    ("content", "text"),
    [(None, ""), (True, "true"), ([{"text": "a"}, {"type": "image"}, "b"], "a\nb"), ({"text": "c"}, "c")],
)
def test_the_text_of_a_prompt(content, text):
    with Host(script="pipeline main(task) { return task }") as host:
        assert host.prompt(host.open(), content).result(60) == text


def test_a_value_that_is_nested_too_deeply_is_an_error():
    script = "pipeline main(task) {\n  var x = []\n  for i in 1 to 100000 { x = [x] }\n  return x\n}\n"
    with Host(script=script) as host, pytest.raises(LanguageError, match="nested too deeply"):
        host.prompt(host.open(), "go").result(60)


def test_a_turn_that_has_ended_does_not_hold_its_run():
    with Host(script="pipeline main(task) { return task }\n") as host:
        session = host.open()

        def kept():
            gc.collect()
            return sum(type(one) is Execution for one in gc.get_objects())

        host.prompt(session, "first").result()
        before = kept()
        turns = [host.prompt(session, str(number)) for number in range(5)]
        assert [turn.result() for turn in turns] == ["0", "1", "2", "3", "4"]
        assert host.cancel(session) is False
        wait_for(lambda: kept() <= before)
