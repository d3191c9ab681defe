"""Reminders on the wire: when the model sees them, what the client is told, what waits, and what is revoked."""

import time

import pytest

from tests.serve.acp.stage import Stage

METHODS = ["session/inject_reminder", "session/remind"]
UPDATES = ("reminder_emitted", "reminder_deduped", "reminder_expired")


def steps(stage: Stage, session):
    """Return the reminder updates and texts of a session, one short tuple each."""
    found = []
    for update in stage.lines(session):
        kind = update["sessionUpdate"]
        if kind == "reminder_emitted":
            found.append(("emitted", update["body"], update["firedAtTurn"]))
        elif kind == "reminder_expired":
            found.append(("expired", update["reminderId"], update["phase"], update.get("expiredAtTurn")))
        elif kind == "reminder_deduped":
            found.append(("deduped", update["reminderId"], *update["droppedReminderIds"]))
        elif kind == "agent_message_chunk":
            found.append(("text", update["content"]["text"]))
        elif kind == "session_info_update":
            found.append(("info",))
    return found


# Modes: which call sees it.


@pytest.mark.parametrize("mode", ["finish_step", "interrupt_immediate", None])
@pytest.mark.parametrize("method", METHODS)
def test_on_an_idle_session_it_waits_for_the_next_turn(stage: Stage, mode, method):
    session = stage.new()
    name = stage.ask(method, sessionId=session, body="hello", ttlTurns=1, **({"mode": mode} if mode else {}))[
        "reminderId"
    ]
    time.sleep(0.05)
    assert stage.model.waiting(session) is None
    assert len(stage.pending(session)) == 1
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    assert stage.pending(session) == []
    assert call.reminders == ["hello"]
    assert call.users == ["go"]
    call.answer("a")
    stage.reply(prompt)
    found = [step for step in steps(stage, session) if step != ("info",)]
    assert found == [("emitted", "hello", 0), ("text", "a"), ("expired", name, "ttl_expired", 0)]
    assert stage.run(session, "again", "b").reminders == []


@pytest.mark.parametrize("mode", ["finish_step", "interrupt_immediate", None])
def test_while_the_model_answers_it_is_in_one_more_call(stage: Stage, mode):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    call.begin("first")
    stage.wait_update(session, "agent_message_chunk")
    name = stage.remind(session, "hello", ttlTurns=1, **({"mode": mode} if mode else {}))
    call.finish()
    call = stage.call(session)
    assert call.reminders == ["hello"]
    assert call.users == ["go"]
    call.answer("second")
    assert stage.reply(prompt)["result"] == {"stopReason": "end_turn"}
    found = [step for step in steps(stage, session) if step != ("info",)]
    assert found == [
        ("text", "first"),
        ("emitted", "hello", 1),
        ("text", "second"),
        ("expired", name, "ttl_expired", 1),
    ]


def test_finish_step_waits_for_the_tools(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    stage.remind(session, "hello", ttlTurns=1)
    call.use("look", "look")
    call = stage.call(session)
    assert call.reminders == ["hello"]
    results = [message["content"] for message in call.messages if message["role"] == "tool"]
    assert len(results) == 2
    assert all("seen" in result for result in results)
    call.answer("a")
    stage.reply(prompt)


def test_an_immediate_one_skips_the_tools_that_have_not_begun(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    stage.remind(session, "stop", ttlTurns=1, mode="interrupt_immediate")
    call.use("look", "look")
    call = stage.call(session)
    assert call.reminders == ["stop"]
    assert "seen" not in call.seen
    assert "was not dispatched" in call.seen
    call.answer("a")
    stage.reply(prompt)
    calls = stage.of_kind(session, "tool_call")
    assert [update["status"] for update in calls] == ["pending"] * 2
    results = stage.of_kind(session, "tool_call_update")
    assert [update["status"] for update in results] == ["failed"] * 2
    assert all("not dispatched" in str(update["content"]) for update in results)


@pytest.mark.parametrize("mode", ["interrupt_immediate", "finish_step"])
def test_while_a_tool_runs_it_is_in_the_next_call(stage: Stage, mode):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    with stage.slow_tool(session):
        stage.remind(session, "hello", ttlTurns=1, mode=mode)
    call = stage.call(session)
    assert call.reminders == ["hello"]
    assert "waited" in call.seen
    call.answer("a")
    stage.reply(prompt)


def test_immediate_ones_go_first(stage: Stage):
    session = stage.new()
    for body, mode in (
        ("f1", "finish_step"),
        ("i1", "interrupt_immediate"),
        ("f2", "finish_step"),
        ("i2", "interrupt_immediate"),
    ):
        stage.remind(session, body, mode=mode, ttlTurns=1)
    call = stage.run(session, "go", "a")
    assert call.reminders == ["i1", "i2", "f1", "f2"]
    emitted = [update["body"] for update in stage.of_kind(session, "reminder_emitted")]
    assert emitted == ["i1", "i2", "f1", "f2"]


@pytest.mark.parametrize("is_running", [False, True])
def test_audit_only_is_never_seen(stage: Stage, is_running):
    session = stage.new()
    prompt = stage.prompt(session, "go") if is_running else None
    call = stage.call(session) if is_running else None
    stage.remind(session, "for the record", mode="audit_only")
    if call is None:
        prompt = stage.prompt(session, "go")
        call = stage.call(session)
    assert [row["mode"] for row in stage.pending(session)] == ["audit_only"]
    call.answer("a")
    stage.reply(prompt)
    assert stage.pending(session) == []
    assert stage.run(session, "again", "b").reminders == []
    assert "for the record" not in stage.run(session, "again", "c").seen
    assert not set(stage.kinds(session)) & set(UPDATES)


def test_a_reminder_is_never_a_message(stage: Stage):
    session = stage.new()
    stage.remind(session, "ambient")
    stage.run(session, "go", "a")
    assert stage.echoes(session) == []
    replay = stage.replay(session)
    assert stage.spoken(replay) == ["user: go", "a"]
    assert "ambient" not in str(replay)


def test_it_lasts_as_many_calls_as_its_ttl(stage: Stage):
    session = stage.new()
    name = stage.remind(session, "two", ttlTurns=2)
    prompt = stage.prompt(session, "go")
    for number in range(3):
        call = stage.call(session)
        assert call.reminders == (["two"] if number < 2 else [])
        if number < 2:
            call.use("look")
        else:
            call.answer("a")
    stage.reply(prompt)
    found = [step for step in steps(stage, session) if step != ("info",)]
    assert found == [("emitted", "two", 0), ("emitted", "two", 0), ("expired", name, "ttl_expired", 1), ("text", "a")]


def test_without_ttl_it_stays(stage: Stage):
    session = stage.new()
    name = stage.remind(session, "for good")
    for number in range(3):
        assert stage.run(session, f"go {number}", "a").reminders == ["for good"]
    emitted = stage.of_kind(session, "reminder_emitted")
    assert [update["reminderId"] for update in emitted] == [name] * 3
    assert stage.of_kind(session, "reminder_expired") == []


def test_cancel_keeps_waiting_reminders(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    stage.call(session)
    stage.remind(session, "still here", ttlTurns=1)
    stage.tell("session/cancel", sessionId=session)
    assert stage.reply(prompt)["result"] == {"stopReason": "cancelled"}
    time.sleep(0.05)
    assert stage.model.waiting(session) is None
    assert [row["body"] for row in stage.pending(session)] == ["still here"]
    assert stage.run(session, "again", "a").reminders == ["still here"]


# Updates.


def test_the_update_of_an_emission(stage: Stage):
    session = stage.new()
    meta = {"harn": {"origin": "file-watcher"}, "traceparent": "00-1-2-3", "mine": {"deep": [1, None]}}
    fields = {"tags": ["workspace"], "dedupeKey": "workspace-change", "ttlTurns": 2, "_meta": meta}
    name = stage.remind(session, "re-read it", **fields)
    stage.run(session, "go", "a")
    (update,) = stage.of_kind(session, "reminder_emitted")
    harn = update["_meta"].pop("harn")
    assert update == {
        "sessionUpdate": "reminder_emitted",
        "reminderId": name,
        "body": "re-read it",
        "tags": ["workspace"],
        "dedupeKey": "workspace-change",
        "source": "host",
        "firedAtTurn": 0,
        "_meta": {"traceparent": "00-1-2-3", "mine": {"deep": [1, None]}},
    }
    assert harn["origin"] == "file-watcher"
    reminder = harn["reminder"]
    assert isinstance(reminder.pop("turn"), int)
    assert reminder == {
        "reminderId": name,
        "tags": ["workspace"],
        "body": "re-read it",
        "roleHint": "system",
        "renderedRole": "system",
        "source": "bridge",
        "ttlTurns": 2,
    }


def test_absent_values_are_left_out(stage: Stage):
    session = stage.new()
    stage.remind(session, "plain")
    stage.run(session, "go", "a")
    (update,) = stage.of_kind(session, "reminder_emitted")
    assert not {"dedupeKey", "providerId"} & update.keys()
    assert None not in update.values()
    assert set(update["_meta"]) == {"harn"}
    assert set(update["_meta"]["harn"]) == {"reminder"}


def test_the_update_of_an_expiry(stage: Stage):
    session = stage.new()
    name = stage.remind(session, "once", ttlTurns=1, _meta={"mine": 1})
    stage.run(session, "go", "a")
    (update,) = stage.of_kind(session, "reminder_expired")
    update.pop("_meta", None)
    assert update == {
        "sessionUpdate": "reminder_expired",
        "reminderId": name,
        "phase": "ttl_expired",
        "expiredAtTurn": 0,
    }


def test_the_order_of_a_turn(stage: Stage):
    session = stage.new()
    old = stage.remind(session, "old", dedupeKey="k", ttlTurns=1)
    new = stage.remind(session, "new", dedupeKey="k", ttlTurns=1)
    other = stage.remind(session, "other", ttlTurns=1)
    prompt = stage.prompt(session, "go")
    stage.call(session).answer("a")
    stage.reply(prompt)
    found = steps(stage, session)
    while found[0] == ("info",):  # the title, at the first prompt
        del found[0]
    found = [step for at, step in enumerate(found) if step != ("info",) or at == len(found) - 1]
    assert found == [
        ("deduped", new, old),
        ("emitted", "new", 0),
        ("emitted", "other", 0),
        ("text", "a"),
        ("expired", new, "ttl_expired", 0),
        ("expired", other, "ttl_expired", 0),
        ("info",),
    ]
    assert stage.arrivals(session)[-1][0] < stage.arrival_of_reply(prompt)


def test_the_reply_comes_before_the_emission(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    for number in range(15):
        call = stage.call(session)
        request = stage.send("session/remind", sessionId=session, body=f"r{number}", ttlTurns=1)
        time.sleep(0.001 * (number % 4))
        call.use("look")
        name = stage.reply(request)["result"]["reminderId"]
        assert all(
            index > stage.arrival_of_reply(request)
            for index, update in stage.arrivals(session)
            if update.get("reminderId") == name
        )
    stage.settle(session, prompt)
    bodies = [update["body"] for update in stage.of_kind(session, "reminder_emitted")]
    assert sorted(bodies) == sorted(f"r{number}" for number in range(15))
    for update in stage.of_kind(session, "reminder_emitted"):
        request = next(
            line
            for line in stage.client.lines
            if line.message.get("result", {}).get("reminderId") == update["reminderId"]
        )
        assert request.index < next(index for index, other in stage.arrivals(session) if other is update)


def test_a_client_without_reminders(stages):
    stage = stages({"_meta": {"harn": {"reminders": False}}})
    assert stage.capabilities["reminders"]["emit"] is False
    assert stage.capabilities["reminders"]["inject"] is True
    assert stage.capabilities["_meta"]["harn"]["reminders"]["emit"] is False
    session = stage.new()
    stage.remind(session, "old", dedupeKey="k", ttlTurns=1)
    stage.remind(session, "new", dedupeKey="k", ttlTurns=1)
    assert stage.run(session, "go", "a").reminders == ["new"]
    assert not set(stage.kinds(session)) & set(UPDATES)


def test_a_second_initialize_switches_the_updates(stages):
    stage = stages()
    session = stage.new()
    stage.remind(session, "stays")
    for is_on in (True, False, True):
        capabilities = {"_meta": {"harn": {"reminders": is_on}}}
        result = stage.ask("initialize", protocolVersion=1, clientCapabilities=capabilities)
        assert result["agentCapabilities"]["reminders"]["emit"] is is_on
        stage.run(session, "go", "a")
    assert len(stage.of_kind(session, "reminder_emitted")) == 2


def test_the_door_is_named(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    stage.call(session).use("remind", body="from the script")
    call = stage.call(session)
    assert call.reminders == ["from the script"]
    call.answer("a")
    stage.reply(prompt)
    (update,) = stage.of_kind(session, "reminder_emitted")
    assert update["source"] == "bridge"
    assert update["_meta"]["harn"]["reminder"]["source"] == "bridge"


def test_the_reminder_of_a_provider(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    stage.call(session).use("remind", body="")
    stage.call(session).answer("a")
    stage.reply(prompt)
    update = stage.of_kind(session, "reminder_emitted")[0]
    assert update["source"] == "provider"
    assert update["providerId"]
    assert update["_meta"]["harn"]["reminder"]["source"] == "stdlib_provider"


# Counts of duplicates.


def test_counts(stage: Stage):
    session = stage.new()
    counts = []
    for number in range(3):
        result = stage.ask("session/remind", sessionId=session, body=f"v{number}", dedupeKey="k")
        counts.append(result["dedupedCount"])
    assert counts == [0, 1, 2]
    assert "dedupedCount" not in stage.ask("session/remind", sessionId=session, body="x", ttlTurns=1)
    assert stage.ask("session/remind", sessionId=session, body="o", dedupeKey="other", ttlTurns=1)["dedupedCount"] == 0
    names = [row["id"] for row in stage.pending(session)]
    assert stage.run(session, "go", "a").reminders == ["v2", "x", "o"]
    deduped = stage.of_kind(session, "reminder_deduped")
    for update in deduped:
        update.pop("_meta", None)
    assert deduped == [
        {
            "sessionUpdate": "reminder_deduped",
            "reminderId": names[new],
            "dedupeKey": "k",
            "droppedReminderIds": [names[old]],
        }
        for old, new in ((0, 1), (1, 2))
    ]
    assert stage.ask("session/remind", sessionId=session, body="v3", dedupeKey="k")["dedupedCount"] == 1
    assert stage.ask("session/remind", sessionId=session, body="v4", dedupeKey="k")["dedupedCount"] == 2
    assert stage.ask("session/remind", sessionId=session, body="o2", dedupeKey="other")["dedupedCount"] == 0
    rows = stage.pending(session)
    stage.ask("session/revoke_reminder", sessionId=session, reminderId=rows[0]["id"])
    assert stage.ask("session/remind", sessionId=session, body="v5", dedupeKey="k")["dedupedCount"] == 2
    assert stage.run(session, "go", "a").reminders == ["o2", "v5"]


def test_a_newer_one_replaces_the_one_in_the_transcript(stage: Stage):
    session = stage.new()
    old = stage.remind(session, "old", dedupeKey="k")
    stage.run(session, "go", "a")
    new = stage.remind(session, "new", dedupeKey="k")
    assert stage.run(session, "go", "b").reminders == ["new"]
    (update,) = stage.of_kind(session, "reminder_deduped")
    assert (update["reminderId"], update["droppedReminderIds"]) == (new, [old])
    assert stage.of_kind(session, "reminder_expired") == []
