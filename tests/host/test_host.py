"""A host drives sessions from Python, including from other threads, asyncio and callbacks."""

import asyncio
import threading
import time

import pytest

from harnlite import Host, HostError, LanguageError, ReminderError, Subscription, TurnCancelled
from tests.host.waits import wait_for, wait_until_exists

ECHO = """pipeline main(task, about) {
  llm_mock({text: "answer to ${task}"})
  let result = agent_loop(task, nil, {provider: "mock"})
  return {text: result.text, status: result.status, session: result.session_id, about: about}
}
"""

SYSTEMS = """pipeline main(task) {
  llm_mock({text: "one", tool_calls: [{name: "look", arguments: {}}]})
  llm_mock({text: "two"})
  llm_mock({text: "three"})
  let tools = tool_define(tool_registry(), "look", "looks", {handler: { args -> host_call("test.look", {}) }})
  agent_loop(task, "You help.", {provider: "mock", tools: tools})
  return llm_mock_calls().map({ call -> call.system })
}
"""

ENDLESS = """pipeline main(task) {
  while true {
    sleep(5ms)
  }
}
"""


@pytest.fixture
def host():
    hosts = []

    def make(script):
        hosts.append(Host(script=script))
        return hosts[-1]

    yield make
    for made in hosts:
        made.close()
    # What a callback writes to stderr must not reach the next test.
    wait_for(lambda: all(thread.name != "harnlite-callbacks" for thread in threading.enumerate()))


def test_a_prompt_runs_the_entry_pipeline(host):
    subject = host(ECHO)
    session = subject.open()
    value = subject.prompt(session, "hi").result(60)
    assert (value["text"], value["status"], value["session"]) == ("answer to hi", "done", session)
    assert value["about"]["session_id"] == session
    assert value["about"]["content"] == "hi"


def test_opening_again_is_the_same_session(host):
    subject = host(ECHO)
    assert subject.open("mine") == "mine"
    assert subject.open("mine") == "mine"


def test_a_turn_can_be_awaited(host):
    subject = host(ECHO)
    session = subject.open()

    async def main():
        first, second = subject.prompt(session, "a"), subject.prompt(session, "b")
        return [(await turn)["text"] for turn in (second, first)]

    assert asyncio.run(main()) == ["answer to b", "answer to a"]


def test_giving_up_the_wait_does_not_stop_the_turn(host, tmp_path):
    waiting = wait_until_exists(tmp_path / "go")
    subject = host(f"pipeline main(task) {{ {waiting}\n return task }}\n")
    turn = subject.prompt(subject.open(), "late")
    with pytest.raises(TimeoutError):
        turn.result(0.01)

    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(turn, 0.01)

    asyncio.run(main())
    (tmp_path / "go").touch()
    assert turn.result(60) == "late"


def test_turns_of_one_session_run_in_order_and_others_side_by_side(host, tmp_path):
    # A turn ends when a turn of the other session has begun too.
    subject = host(
        "pipeline main(task) {\n  let began = now_ms()\n"
        f'  write_file("{tmp_path}/${{task}}", "")\n'
        '  let other = {"1": "3", "2": "4", "3": "1", "4": "2"}[task]\n'
        f'  while !file_exists("{tmp_path}/${{other}}") {{ sleep(2ms) }}\n  return [task, began, now_ms()]\n}}\n'
    )
    one, other = subject.open("one"), subject.open("other")
    turns = [subject.prompt(one, "1"), subject.prompt(one, "2"), subject.prompt(other, "3"), subject.prompt(other, "4")]
    first, second, third, fourth = (turn.result(60) for turn in turns)
    assert [first[0], second[0], third[0], fourth[0]] == ["1", "2", "3", "4"]
    for earlier, later in ((first, second), (third, fourth)):
        assert earlier[2] <= later[1]


def test_an_error_of_the_script_is_raised_with_its_place(host):
    subject = host('pipeline main(task) {\n  throw "no: ${task}"\n}\n')
    with pytest.raises(LanguageError, match="Thrown: no: x") as caught:
        subject.prompt(subject.open(), "x").result(60)
    assert str(caught.value.diagnostics[0].source.position(caught.value.diagnostics[0].span.start)) == "2:3"


def test_a_file_is_read_anew_for_each_turn(host, tmp_path):
    file = tmp_path / "answer.harn"
    file.write_text("pipeline main(task) { let }\n")
    subject = host(file)
    session = subject.open()
    with pytest.raises(LanguageError):
        subject.prompt(session, "x").result(60)
    file.write_text("pipeline main(task) { return 42 }\n")
    assert subject.prompt(session, "x").result(60) == 42


def test_a_waiting_reminder_is_in_the_first_prompt_of_the_next_turn(host):
    subject = host(SYSTEMS.replace('host_call("test.look", {})', '"seen"'))
    session = subject.open()
    reminder = subject.remind(session, {"body": "Mind the gap.", "ttl_turns": 1})
    assert [row["reminderId"] for row in subject.pending(session)["injections"]] == [reminder]
    first, second = subject.prompt(session, "go").result(60)[:2]
    assert "<system-reminder>\nMind the gap.\n</system-reminder>" in first
    assert "Mind the gap." not in second
    assert subject.pending(session) == {"pendingCount": 0, "injections": []}


def test_a_running_loop_takes_a_reminder_from_another_thread(host, tmp_path):
    waiting = wait_until_exists(tmp_path / "go")
    subject = host(SYSTEMS.replace('host_call("test.look", {})', f'{{ -> {waiting}\n "seen" }}()'))
    session = subject.open()
    seen = []

    def on_event(event):
        seen.append(event)
        if event["type"] == "tool_call":
            subject.remind(session, {"body": "The file changed.", "ttl_turns": 1, "mode": "finish_step"})
            (tmp_path / "go").touch()

    subject.subscribe(session, on_event)
    prompts = subject.prompt(session, "go").result(60)
    assert ["The file changed." in prompt for prompt in prompts] == [False, True]
    wait_for(lambda: any(event["type"] == "reminder_emitted" for event in seen))


def test_a_host_is_shown_no_secrets_but_the_model_is(host):
    subject = host(
        'pipeline main(task) {\n  agent_loop(task, nil, {provider: "mock", reminders: false})\n'
        "  return llm_mock_calls()[0].system\n}\n"
    )
    session = subject.open()
    subject.remind(session, {"body": "Use Bearer abcdefgh12345678 here.", "tags": ["a"]})
    assert subject.pending(session)["injections"][0]["body"] == "Use Bearer [redacted] here."
    with subject.subscribe(session) as events:
        assert "Bearer abcdefgh12345678 here." in subject.prompt(session, "go").result(60)
        shown = next(event for event in events if event["type"] == "reminder_emitted")
    assert (shown["body"], shown["tags"]) == ("Use Bearer [redacted] here.", ["a"])


def test_finish_step_on_the_last_turn_makes_one_more(host, tmp_path):
    subject = host(
        f'fn rest() {{\n  event_log.emit("work", "rests", {{}})\n  {wait_until_exists(tmp_path / "go")}\n}}\n'
        'pipeline main(task) {\n  llm_mock({text: "one"})\n  llm_mock({text: "two"})\n'
        '  register_session_hook("post_turn", { event -> if event.iteration == 0 { rest() } })\n'
        '  agent_loop(task, nil, {provider: "mock"})\n  return llm_mock_calls().map({ call -> call.system })\n}\n'
    )
    session = subject.open()
    with subject.subscribe(topic="work", after=0) as records:
        turn = subject.prompt(session, "go")
        assert next(records)["kind"] == "rests"
    subject.remind(session, {"body": "Wait, one more thing."})
    (tmp_path / "go").touch()
    first, second = turn.result(60)
    assert "Wait, one more thing." not in first
    assert "Wait, one more thing." in second


def test_audit_only_reaches_the_transcript_and_no_model(host):
    subject = host(
        'pipeline main(task) {\n  llm_mock({text: "one"})\n  let r = agent_loop(task, nil, {provider: "mock"})\n'
        "  return {systems: llm_mock_calls().map({ call -> call.system }), "
        'notes: transcript_events_by_kind(r.transcript, "system_reminder").map({ e -> [e.visibility, e.text] })}\n}\n'
    )
    session = subject.open()
    subject.remind(session, {"body": "For the record.", "mode": "audit_only"})
    value = subject.prompt(session, "go").result(60)
    assert value["notes"] == [["internal", "For the record."]]
    assert not any("For the record." in system for system in value["systems"])


@pytest.mark.parametrize(
    ("fields", "code", "message", "field"),
    [
        ({"body": "x", "zeal": 1}, "HARN-RMD-001", "unknown reminder option(s): zeal", "zeal"),
        ({"body": " "}, "HARN-RMD-002", "`body` must be a non-empty string", "body"),
        (
            {"body": "x", "propagate": "far"},
            "HARN-RMD-005",
            "`propagate` must be one of all, session, or none",
            "propagate",
        ),
    ],
)
def test_a_faulty_reminder_is_refused(host, fields, code, message, field):
    subject = host(ECHO)
    session = subject.open()
    with pytest.raises(ReminderError) as caught:
        subject.remind(session, fields)
    assert (caught.value.code, caught.value.message, caught.value.field) == (code, message, field)
    assert subject.pending(session)["pendingCount"] == 0


def test_revoking(host):
    subject = host(ECHO)
    session = subject.open()
    first = subject.remind(session, {"body": "a"})
    assert subject.revoke(session, first) == {"status": "revoked", "reminderId": first}
    assert subject.revoke(session, first)["status"] == "already_revoked"
    second = subject.remind(session, {"body": "b"})
    subject.prompt(session, "go").result(60)
    for reminder, reason in ((second, "already_delivered"), ("who", "unknown_reminder_id")):
        with pytest.raises(HostError) as caught:
            subject.revoke(session, reminder)
        assert caught.value.reason == reason


def was_revoked(subject, session, reminder):
    try:
        return subject.revoke(session, reminder)["status"] == "revoked"
    except HostError as error:
        return error.reason != "already_delivered"


def test_of_a_revoke_and_a_seam_exactly_one_wins(host):
    subject = host(SYSTEMS.replace('host_call("test.look", {})', '"seen"'))
    for _ in range(15):
        session = subject.open()
        reminders = [subject.remind(session, {"body": f"note {number}."}) for number in range(20)]
        turn = subject.prompt(session, "go")
        revoked = set()
        for number, reminder in enumerate(reminders):
            if was_revoked(subject, session, reminder):
                revoked.add(number)
        prompts = turn.result(60)
        shown = {number for number in range(20) if f"note {number}." in prompts[0]}
        later = {number for number in range(20) if any(f"note {number}." in prompt for prompt in prompts[1:])}
        assert not (shown | later) & revoked
        assert (shown | later) | revoked == set(range(20))


def test_cancelling_ends_the_running_turn_and_those_in_line(host):
    subject = host(ENDLESS)
    session = subject.open()
    assert subject.cancel(session) is False
    turns = [subject.prompt(session, "a"), subject.prompt(session, "b")]
    waiting = subject.remind(session, {"body": "still here"})
    time.sleep(0.1)
    assert subject.cancel(session) is True
    for turn in turns:
        with pytest.raises(TurnCancelled):
            turn.result(60)
        assert turn.done()
    wait_for(lambda: not subject.cancel(session))
    assert subject.pending(session)["injections"][0]["reminderId"] == waiting


def test_a_session_must_be_known(host):
    subject = host(ECHO)
    for call in (subject.pending, subject.cancel, subject.subscribe):
        with pytest.raises(HostError) as caught:
            call("nobody")
        assert caught.value.reason == "unknown_session"


def test_records_of_a_topic_are_streamed_from_a_cursor(host):
    subject = host(ECHO)
    session = subject.open()
    subject.remind(session, {"body": "a", "ttl_turns": 1})
    subject.prompt(session, "go").result(60)
    with subject.subscribe(
        topic="transcript.reminder.lifecycle", kind_prefix="transcript.reminder.f", after=0
    ) as records:
        assert next(records)["kind"] == "transcript.reminder.fired"


def test_events_are_iterated_with_async_for(host):
    subject = host(ECHO)
    session = subject.open()

    async def main():
        kinds = []
        with subject.subscribe(session) as events:
            turn = subject.prompt(session, "go")
            async for event in events:
                kinds.append(event["type"])
                if event["type"] == "iteration_end":
                    break
            await turn
        return kinds

    kinds = asyncio.run(main())
    assert kinds[0] == "iteration_start"
    assert kinds[-1] == "iteration_end"


def test_a_callback_that_throws_stops_nothing(host, capsys):
    subject = host(ECHO)
    session = subject.open()
    seen = []
    subject.subscribe(session, lambda _event: 1 / 0)
    subject.subscribe(session, lambda event: seen.append(event["type"]))
    subject.prompt(session, "go").result(60)
    wait_for(lambda: "iteration_end" in seen)
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_callbacks_run_one_at_a_time_on_one_thread(host):
    subject = host(ECHO)
    threads, busy, overlaps = set(), threading.Lock(), []

    def note(_event):
        overlaps.append(not busy.acquire(blocking=False))
        threads.add(threading.get_ident())
        time.sleep(0.002)
        busy.release()

    for name in ("a", "b"):
        subject.subscribe(subject.open(name), note)
    for turn in [subject.prompt(name, "go") for name in ("a", "b")]:
        turn.result(60)
    wait_for(lambda: len(overlaps) >= 4)
    assert len(threads) == 1
    assert not any(overlaps)


def test_a_subscription_that_falls_behind_ends(host):
    subject = host('pipeline main(task) { for i in 1 to 10050 { event_log.emit("many", "tick", {n: i}) } }\n')
    records = subject.subscribe(topic="many")
    subject.prompt(subject.open(), "go").result(60)
    with pytest.raises(HostError) as caught:
        list(records)
    assert caught.value.reason == "lagged"


def test_a_subscription_that_has_ended_leaves_its_source():
    left = []
    behind = Subscription(None)
    behind.on_close(lambda: left.append("behind"))
    for number in range(10_002):
        behind.put({"n": number})
    assert left == ["behind"]
    late = Subscription(None)
    late.close()
    late.on_close(lambda: left.append("late"))
    assert left == ["behind", "late"]


def test_without_a_script_a_prompt_is_the_task_of_a_loop(host, monkeypatch):
    monkeypatch.setenv("HARNLITE_LLM_PROVIDER", "mock")
    subject = host(None)
    assert subject.prompt(subject.open(), "say hi").result(60)["status"] == "done"
