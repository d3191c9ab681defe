"""Messages that a host queues or steers with: delivered once, in order, whatever the session is doing."""

import random
import threading
import time
from collections import Counter

import pytest

from harnlite import Engine, Host, HostError, TurnCancelled
from tests.host.waits import wait_until_exists
from tests.samples import count

WORK = """pipeline main(task, about) {
  for n in 1 to 3 { llm_mock({tool_calls: [{name: "look", arguments: {n: n}}]}) }
  llm_mock({text: "done"})
  tool look(n: int) { description "Looks."; sleep(2ms); return "seen ${n}" }
  let options = {provider: "mock", model: "gpt-4o", tools: look, tool_format: "native", reminders: false}
  let result = agent_loop(task, nil, options)
  let said = result.transcript.messages.filter({ m -> m.role == "user" }).map({ m -> m.content })
  return {task: task, id: about.message_id, said: said}
}
"""
ENDLESS = "pipeline main(task) { while true { sleep(5ms) } }\n"


class Watching:
    """The events of a session, and what became of each message."""

    def __init__(self, host, session):
        self.events = []
        self.changed = threading.Condition()
        self.subscription = host.subscribe(session, self.note)

    def note(self, event):
        with self.changed:
            self.events.append(event)
            self.changed.notify_all()

    def wait_for(self, condition, seconds=60):
        with self.changed:
            assert self.changed.wait_for(lambda: condition(self.events), seconds), "it never came to that"

    def echoes(self):
        return [event["content"][0]["text"] for event in self.events if event["type"] == "user_message"]

    def ended(self, message):
        return [e for e in self.events if e["type"] == "turn_ended" and e["message_id"] == message]

    def wait_for_end(self, message):
        self.wait_for(lambda _: self.ended(message))
        return self.ended(message)[0]


def reason_of(call):
    with pytest.raises(HostError) as raised:
        call()
    return raised.value.reason


def test_a_queued_message_starts_a_turn_of_an_idle_session():
    with Host(script=WORK) as host:
        session = host.open()
        watching = Watching(host, session)
        message = host.inject(session, "one")
        end = watching.wait_for_end(message)
        assert (end["status"], end["error"]) == ("completed", None)
        assert end["value"] == {"task": "one", "id": message, "said": ["one"]}
        kinds = [e["type"] for e in watching.events if e["type"] in ("user_message", "turn_started", "turn_ended")]
        assert kinds == ["user_message", "turn_started", "turn_ended"]


def test_prompts_and_queued_messages_share_one_line():
    with Host(script=WORK) as host:
        session = host.open()
        watching = Watching(host, session)
        first = host.prompt(session, "first")
        host.inject(session, "second")
        third = host.prompt(session, "third")
        last = host.inject(session, [{"type": "text", "text": "fourth"}])
        assert watching.wait_for_end(last)["value"]["said"] == ["first", "second", "third", "fourth"]
        assert first.done()
        assert third.done()


def test_a_steer_enters_the_running_turn(tmp_path):
    with Host(script=WORK.replace("sleep(2ms)", wait_until_exists(tmp_path / "go"))) as host:
        session = host.open()
        watching = Watching(host, session)
        assert reason_of(lambda: host.inject(session, "early", "steer")) == "no_running_turn"
        turn = host.prompt(session, "go")
        watching.wait_for(lambda events: any(event["type"] == "tool_call" for event in events))
        queued = host.inject(session, "later")
        message = host.inject(session, "faster", "steer")
        (tmp_path / "go").touch()
        assert turn.result(60)["said"] == ["go", "faster"]
        assert watching.wait_for_end(queued)["value"]["said"] == ["go", "faster", "later"]
        assert reason_of(lambda: host.revoke(session, message)) == "already_delivered"


def test_steers_that_no_seam_took_come_before_the_line_as_turns_of_their_own(tmp_path):
    waiting = wait_until_exists(tmp_path / "go")
    with Host(script=f'pipeline main(task) {{ if task == "go" {{ {waiting} }}\n return task }}\n') as host:
        session = host.open()
        watching = Watching(host, session)
        host.prompt(session, "go")
        queued = host.inject(session, "queued")
        for text in ("one", "two"):
            host.inject(session, text, "steer")
        (tmp_path / "go").touch()
        watching.wait_for_end(queued)
        assert watching.echoes() == ["one", "two", "queued"]


def test_what_waits_is_listed_replaced_and_revoked():
    with Host(script=ENDLESS) as host:
        session = host.open()
        running = host.prompt(session, "go")
        first, second = host.inject(session, "first"), host.inject(session, "second")
        steer = host.inject(session, "steer", "steer")
        assert host.replace(session, first, "better") == first
        rows = [(row["messageId"], row["mode"], row["content"]) for row in host.pending(session)["injections"]]
        assert rows == [(first, "queue", "better"), (second, "queue", "second"), (steer, "steer", "steer")]
        assert host.revoke(session, second) == {"status": "revoked", "messageId": second}
        assert host.revoke(session, second) == {"status": "already_revoked", "messageId": second}
        assert reason_of(lambda: host.replace(session, second, "x")) == "already_revoked"
        assert reason_of(lambda: host.replace(session, "msg_inj_x", "x")) == "unknown_message_id"
        assert reason_of(lambda: host.revoke(session, "msg_inj_x")) == "unknown_message_id"
        assert reason_of(lambda: host.revoke(session, "x")) == "unknown_reminder_id"
        watching = Watching(host, session)
        host.cancel(session)
        with pytest.raises(TurnCancelled):
            running.result(60)
        watching.wait_for(lambda _: watching.echoes() == ["steer"])
        assert reason_of(lambda: host.revoke(session, steer)) == "already_delivered"
        assert reason_of(lambda: host.replace(session, steer, "x")) == "already_delivered"


def test_a_cancel_ends_the_turn_of_a_message_and_the_next_follows():
    with Host(script=ENDLESS) as host:
        session = host.open()
        watching = Watching(host, session)
        first, second = host.inject(session, "first"), host.inject(session, "second")
        prompt = host.prompt(session, "prompt")
        watching.wait_for(lambda _: watching.echoes() == ["first"])
        assert host.cancel(session)
        assert watching.wait_for_end(first)["status"] == "cancelled"
        with pytest.raises(TurnCancelled):
            prompt.result(60)
        watching.wait_for(lambda _: watching.echoes() == ["first", "second"])
        host.cancel(session)
        assert watching.wait_for_end(second)["status"] == "cancelled"


def test_a_failed_turn_of_a_message_is_reported(capsys):
    with Host(script='pipeline main(task) { throw "no: ${task} sk-ant-0123456789abcdef01234567" }\n') as host:
        session = host.open()
        watching = Watching(host, session)
        message = host.inject(session, "one")
        end = watching.wait_for_end(message)
        assert (end["status"], end["value"]) == ("failed", None)
        assert "no: one [redacted]" in end["error"]
        printed = capsys.readouterr().err
        assert f"[harn] error: the turn of message {message} failed: " in printed
        assert "0123456789" not in printed


def test_a_script_may_queue_a_message_for_its_own_session():
    script = """import "std/agent/state"
    pipeline main(task, about) {
      if task == "go" { agent_session_push_user_message(about.session_id, {content: "go on", mode: "queue"}) }
      return task
    }
    """
    with Host(script=script) as host:
        session = host.open()
        watching = Watching(host, session)
        assert host.prompt(session, "go").result(60) == "go"
        watching.wait_for(lambda events: any(e["type"] == "turn_ended" and e["value"] == "go on" for e in events))


def test_a_script_may_take_a_queued_message_itself():
    script = """import "std/agent/state"
    pipeline main(task, about) {
      if task != "go" { return "again: " + task }
      agent_session_push_user_message(about.session_id, {content: "queued", mode: "queue"})
      return agent_loop(nil, nil, {provider: "mock", model: "mock", reminders: false}).task
    }
    """
    with Host(script=script) as host:
        session = host.open()
        watching = Watching(host, session)
        assert host.prompt(session, "go").result(60) == "queued"
        assert host.prompt(session, "next").result(60) == "again: next"
        watching.wait_for(lambda _: watching.echoes() == ["queued"])


def test_a_closed_host_starts_no_turn():
    host = Host(script=ENDLESS)
    session = host.open()
    host.prompt(session, "go")
    message = host.inject(session, "one")
    host.close()
    assert [row["id"] for row in host.pending(session)["injections"]] == [message]
    assert reason_of(lambda: host.inject(session, "two")) == "closed"


@pytest.mark.parametrize(
    ("content", "mode", "reason"),
    [
        ("", "queue", "invalid_content"),
        (5, "queue", "invalid_content"),
        ([object()], "queue", "invalid_content"),
        ("one", "finish_step", "unsupported_mode"),
    ],
)
def test_wrong_messages_are_errors(content, mode, reason):
    with Host(script=WORK) as host:
        session = host.open()
        assert reason_of(lambda: host.inject(session, content, mode)) == reason
        assert reason_of(lambda: host.inject("nobody", "one")) == "unknown_session"


def test_an_idle_daemon_answers_messages():
    script = """pipeline main(task) {
      for text in ["a", "b", "c", "##DONE##"] { llm_mock({text: text}) }
      let options = {provider: "mock", model: "mock", reminders: false, daemon: true, wake_interval_ms: 600000}
      let result = agent_loop(task, nil, options + {done_sentinel: "##DONE##"})
      return result.transcript.messages.map({ m -> m.content })
    }
    """
    with Host(script=script) as host:
        session = host.open()
        watching = Watching(host, session)
        turn = host.prompt(session, "go")
        for number, (text, mode) in enumerate((("one", "queue"), ("two", "steer"), ("three", "queue")), 1):
            watching.wait_for(lambda events, idle=number: sum(e["type"] == "tool_call_audit" for e in events) >= idle)
            host.inject(session, text, mode)
        assert turn.result(60) == ["go", "a", "one", "b", "two", "c", "three", "##DONE##"]
        watching.wait_for(lambda _: watching.echoes() == ["one", "two", "three"])
        assert host.pending(session)["pendingCount"] == 0


class Sender(threading.Thread):
    """Queues, steers, replaces and revokes messages, and prompts and cancels, until it has done its part."""

    def __init__(self, host, session, seed):
        super().__init__()
        self.host, self.session, self.chance = host, session, random.Random(seed)
        self.texts = {}
        self.accepted = {}
        self.revoked = set()
        self.prompts = []
        self.failure = None

    def run(self):
        try:
            for number in range(40):
                self.act(f"{self.name} {number}")
                time.sleep(self.chance.random() / 200)
        except BaseException as error:  # noqa: BLE001 - reported by the test
            self.failure = error

    def act(self, text):
        kind = self.chance.choice(["queue", "queue", "steer", "steer", "replace", "revoke", "prompt", "cancel"])
        known = self.chance.choice([*self.texts] or [None])
        try:
            if kind in ("queue", "steer"):
                self.texts[self.host.inject(self.session, text, kind)] = text
            elif kind == "replace" and known is not None:
                self.host.replace(self.session, known, text)
                self.texts[known] = text
            elif kind == "revoke" and known is not None:
                self.host.revoke(self.session, known)
                self.revoked.add(known)
            elif kind == "prompt":
                self.prompts.append((text, self.host.prompt(self.session, text)))
            elif kind == "cancel" and self.chance.random() < 0.3:
                self.host.cancel(self.session)
        except HostError as error:
            assert error.reason in {"no_running_turn", "already_delivered", "already_revoked"}  # noqa: PT017


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(count(30, 4)))
def test_what_is_accepted_is_delivered_once_or_revoked(seed):
    with Host(Engine(), script=WORK) as host:
        session = host.open()
        watching = Watching(host, session)
        senders = [Sender(host, session, 100 * seed + number) for number in range(3)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        assert [sender.failure for sender in senders] == [None] * 3
        host.prompt(session, "last").result(120)
        end = time.monotonic() + 120
        while host.pending(session)["pendingCount"] and time.monotonic() < end:
            time.sleep(0.01)
        host.prompt(session, "very last").result(120)
        expected = {name: text for sender in senders for name, text in sender.texts.items()}
        revoked = {name for sender in senders for name in sender.revoked}
        wanted = expected.keys() - revoked
        watching.wait_for(lambda _: len(watching.echoes()) >= len(wanted))
        echoes = Counter(
            (event["message_id"], event["content"][0]["text"])
            for event in watching.events
            if event["type"] == "user_message"
        )
    assert echoes == Counter({(name, expected[name]): 1 for name in wanted})
