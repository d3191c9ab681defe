"""A host clears reminders of sessions that are idle, that run a loop, and that wait as daemons."""

import random
import threading

import pytest

from harnlite import Host, HostError, ReminderError
from tests.host.waits import wait_until_exists
from tests.samples import count

TOPIC = "transcript.reminder.lifecycle"

WORK = """pipeline main(task) {
  for n in 1 to 12 { llm_mock({tool_calls: [{name: "look", arguments: {n: n}}]}) }
  llm_mock({text: "done"})
  tool look(n: int) { description "Looks."; sleep(2ms); return "seen ${n}" }
  agent_loop(task, nil, {provider: "mock", model: "gpt-4o", tools: look, tool_format: "native", reminders: false})
  return llm_mock_calls().map({ call -> call.system })
}
"""


def records_of(host):
    # A subscription delivers at most 10,000 records at once.
    records = host._log.read(TOPIC)
    return [(record["kind"].removeprefix("transcript.reminder."), record["payload"]) for record in records]


def test_an_idle_session_is_cleared_at_once():
    with Host(script=WORK) as host:
        session = host.open()
        host.remind(session, {"body": "Stays.", "dedupe_key": "stays"})
        host.remind(session, {"body": "Goes.", "tags": ["t"]})
        host.prompt(session, "go").result(60)
        waiting = host.remind(session, {"body": "Waits.", "tags": ["t"]})
        assert host.clear(session, {"tag": "t"}) == 2
        assert host.clear(session, {"tag": "t"}) == 0
        assert host.pending(session)["pendingCount"] == 0
        assert host.revoke(session, waiting)["status"] == "already_revoked"
        ends = [payload["reason"] for kind, payload in records_of(host) if kind == "expired"]
        assert ends == ["cleared", "cleared"]
        prompts = host.prompt(session, "again").result(60)
        assert all("Stays." in prompt and "Goes." not in prompt and "Waits." not in prompt for prompt in prompts)


def test_a_running_loop_no_longer_shows_what_was_cleared(tmp_path):
    cleared = tmp_path / "cleared"
    # The callback runs on a thread of its own, so the loop waits for it.
    waiting = f"if n > 3 {{ {wait_until_exists(cleared)} }}"
    with Host(script=WORK.replace("sleep(2ms)", waiting)) as host:
        session = host.open()
        for name in ("a", "b"):
            host.remind(session, {"body": f"Reminder {name}.", "dedupe_key": name})
        seen = []

        def on_event(event):
            if event["type"] == "tool_call_update" and event["status"] == "completed":
                seen.append(event)
                if len(seen) == 3:
                    host.clear(session, {"dedupe_key": "a"})
                    cleared.touch()

        with host.subscribe(session, on_event):
            prompts = host.prompt(session, "go").result(60)
        shown = ["Reminder a." in prompt for prompt in prompts]
        assert shown[0] is True
        assert shown[-1] is False
        assert shown == sorted(shown, reverse=True)
        assert all("Reminder b." in prompt for prompt in prompts)
        ends = [(payload["dedupe_key"], payload["reason"]) for kind, payload in records_of(host) if kind == "expired"]
        assert ends == [("a", "cleared")]


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ({}, "at least one of id, tag, or dedupe_key is required"),
        ({"key": "a"}, "unknown option(s): key"),
        ({"tag": 1}, "`tag` must be a string or nil, got int"),
        ({"tag": object()}, None),
    ],
)
def test_a_wrong_selector_is_an_error(selector, message):
    with Host(script=WORK) as host:
        session = host.open()
        with pytest.raises(ReminderError) as raised:
            host.clear(session, selector)
        if message is not None:
            assert (raised.value.code, raised.value.message) == ("HARN-RMD-001", message)


def test_an_unknown_session_and_a_closed_host_are_errors():
    host = Host(script=WORK)
    session = host.open()
    with pytest.raises(HostError) as raised:
        host.clear("nobody", {"tag": "t"})
    assert raised.value.reason == "unknown_session"
    host.close()
    with pytest.raises(HostError) as raised:
        host.clear(session, {"tag": "t"})
    assert raised.value.reason == "closed"


def test_a_daemon_saves_its_snapshot_without_what_was_cleared(tmp_path):
    path = tmp_path / "daemon.json"
    script = f"""pipeline main(task) {{
      llm_mock({{text: "waiting"}})
      let result = agent_loop(task, nil, {{
        provider: "mock", model: "mock", reminders: false, daemon: true, persist_path: "{path}",
        wake_interval_ms: 600000, max_iterations: 2,
      }})
      return result.status
    }}
    """
    with Host(script=script) as host:
        session = host.open()
        host.remind(session, {"body": "Goes soon.", "dedupe_key": "g"})
        turn = host.prompt(session, "go")
        idle = threading.Event()
        with host.subscribe(session, lambda event: idle.set() if event["type"] == "tool_call_audit" else None):
            assert idle.wait(30) or path.exists()
            host.clear(session, {"dedupe_key": "g"})
            for _ in range(600):
                if path.exists() and "Goes soon." not in path.read_text():
                    break
                threading.Event().wait(0.05)
            assert "Goes soon." not in path.read_text()
        assert not turn.done()
        host.cancel(session)


class Attacker(threading.Thread):
    """Sends and clears reminders until it is stopped."""

    def __init__(self, host, session, seed):
        super().__init__()
        self.host, self.session, self.chance = host, session, random.Random(seed)
        self.tags = {}
        self.cleared = []
        self.failure = None
        self.stopped = threading.Event()

    def run(self):
        try:
            while not self.stopped.is_set():
                self.act(self.chance.choice(TAGS))
        except BaseException as error:  # noqa: BLE001 - reported by the test
            self.failure = error

    def act(self, tag):
        if self.chance.random() < 0.6:
            mode = self.chance.choice(("finish_step", "interrupt"))
            self.tags[self.host.remind(self.session, {"body": f"{tag}!", "tags": [tag], "mode": mode})] = tag
            return
        self.host.clear(self.session, {"tag": tag})
        names = {name for name, one in self.tags.items() if one == tag}
        self.cleared.append((names, self.host._log.latest(TOPIC) or 0))


TAGS = ("a", "b", "c")


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(count(20, 3)))
def test_what_is_cleared_ends_once_and_is_not_shown_later(seed):
    with Host(script=WORK) as host:
        session = host.open()
        attackers = [Attacker(host, session, 10 * seed + number) for number in range(3)]
        for attacker in attackers:
            attacker.start()
        for number in range(2):
            host.prompt(session, f"go {number}").result(120)
        for attacker in attackers:
            attacker.stopped.set()
            attacker.join()
        assert [attacker.failure for attacker in attackers] == [None] * 3
        for tag in TAGS:
            host.clear(session, {"tag": tag})
        assert host.pending(session)["pendingCount"] == 0
        assert not any("!" in prompt for prompt in host.prompt(session, "last").result(120))
        found = records_of(host)
    ends, begun = ([payload["reminder_id"] for kind, payload in found if kind == wanted] for wanted in KINDS)
    assert len(ends) == len(set(ends))
    assert len(begun) == len(set(begun))
    assert set(begun) <= set(ends)
    assert_nothing_is_shown_after_its_end(found)
    fired = [(place, payload["reminder_id"]) for place, (kind, payload) in enumerate(found, 1) if kind == "fired"]
    for names, cursor in (one for attacker in attackers for one in attacker.cleared):
        # The prompt that was being sent when `clear` returned may be recorded later.
        late = [name for place, name in fired if place > cursor and name in names]
        assert len(late) == len(set(late))


KINDS = ("expired", "injected")


def assert_nothing_is_shown_after_its_end(found):
    ended = set()
    for kind, payload in found:
        assert kind == "expired" or payload.get("reminder_id") not in ended
        if kind == "expired":
            ended.add(payload["reminder_id"])
