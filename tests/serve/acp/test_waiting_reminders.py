"""What waits, what is revoked, which session is meant, and reminders as notifications."""

import time

import pytest

from tests.serve.acp.stage import Stage

METHODS = ["session/inject_reminder", "session/remind"]
UPDATES = ("reminder_emitted", "reminder_deduped", "reminder_expired")


@pytest.mark.parametrize("prefix", ["", "_", "_harn/"])
def test_pending_rows_are_in_the_order_of_acceptance(stage: Stage, prefix):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    ids = [
        stage.inject(session, "u1", "queue"),
        stage.remind(session, "r1", mode="audit_only"),
        stage.inject(session, "u2", "steer"),
        stage.remind(session, "r2", mode="interrupt_immediate", ttlTurns=2, tags=["t"]),
    ]
    result = stage.ask(f"{prefix}session/pending_injections", sessionId=session)
    assert result["pendingCount"] == 4
    rows = result["injections"]
    assert [row["id"] for row in rows] == ids
    assert [row["position"] for row in rows] == [0, 1, 2, 3]
    assert rows[0] == {
        "kind": "user",
        "id": ids[0],
        "messageId": ids[0],
        "mode": "queue",
        "position": 0,
        "content": [{"type": "text", "text": "u1"}],
    }
    assert rows[3] == {
        "kind": "reminder",
        "id": ids[3],
        "reminderId": ids[3],
        "mode": "interrupt_immediate",
        "position": 3,
        "body": "r2",
        "tags": ["t"],
        "dedupeKey": None,
        "ttlTurns": 2,
        "preserveOnCompact": False,
        "propagate": "session",
        "roleHint": "system",
        "source": "bridge",
        "firedAtTurn": 0,
        "originatingAgentId": None,
    }
    stage.ask("session/revoke_inject", sessionId=session, messageId=ids[0])
    stage.ask("session/revoke_inject", sessionId=session, messageId=ids[2])
    assert [(row["id"], row["position"]) for row in stage.pending(session)] == [(ids[1], 0), (ids[3], 1)]
    call.answer("a")
    stage.settle(session, prompt)


@pytest.mark.parametrize("prefix", ["", "_", "_harn/"])
def test_revoke(stage: Stage, prefix):
    session = stage.new()
    name = stage.remind(session, "no")
    for status in ("revoked", "already_revoked", "already_revoked"):
        result = stage.ask(f"{prefix}session/revoke_reminder", sessionId=session, reminderId=name)
        assert result == {"reminderId": name, "status": status}
    assert stage.run(session, "go", "a").reminders == []
    assert not set(stage.kinds(session)) & set(UPDATES)


def test_revoke_after_the_drain(stage: Stage):
    session = stage.new()
    name = stage.remind(session, "yes", ttlTurns=1)
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    expected = {
        "code": -32010,
        "message": "Inject precondition failed",
        "data": {"reason": "already_delivered", "reminderId": name},
    }
    assert stage.refused("session/revoke_reminder", sessionId=session, reminderId=name) == expected
    call.answer("a")
    stage.reply(prompt)
    assert stage.refused("session/revoke_reminder", sessionId=session, reminderId=name) == expected


def test_revoke_of_an_unknown_one(stage: Stage):
    session, other = stage.new(), stage.new()
    name = stage.remind(other, "there")
    for unknown in ("nothing", name):
        error = stage.refused("session/revoke_reminder", sessionId=session, reminderId=unknown)
        assert error == {
            "code": -32002,
            "message": "Resource not found",
            "data": {"reason": "unknown_reminder_id", "reminderId": unknown},
        }


@pytest.mark.parametrize("params", [{}, {"reminderId": None}, {"reminderId": 7}])
def test_revoke_needs_an_id(stage: Stage, params):
    error = stage.refused("session/revoke_reminder", sessionId=stage.new(), **params)
    assert error["code"] == -32602


def test_a_message_is_not_a_reminder(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    message, reminder = stage.inject(session, "m", "queue"), stage.remind(session, "r", mode="audit_only")
    error = stage.refused("session/revoke_reminder", sessionId=session, reminderId=message)
    assert error["data"]["reason"] == "unknown_reminder_id"
    error = stage.refused("session/revoke_inject", sessionId=session, messageId=reminder)
    assert error["data"]["reason"] == "unknown_message_id"
    call.answer("a")
    stage.settle(session, prompt)


@pytest.mark.parametrize("method", ["session/pending_injections", "session/revoke_reminder"])
def test_unknown_keys(stage: Stage, method):
    params = {"reminderId": "x"} if "revoke" in method else {}
    error = stage.refused(method, sessionId=stage.new(), surprise=1, **params)
    assert error == {
        "code": -32602,
        "message": "Invalid params",
        "data": {"reason": "unknown_key", "field": "surprise"},
    }


@pytest.mark.parametrize("method", [*METHODS, "session/pending_injections", "session/revoke_reminder"])
def test_unknown_or_closed_session(stage: Stage, method):
    params = {"session/pending_injections": {}, "session/revoke_reminder": {"reminderId": "x"}}.get(
        method, {"body": "b"}
    )
    closed = stage.new()
    stage.ask("session/close", sessionId=closed)
    for session in ("nothing", closed):
        error = stage.refused(method, sessionId=session, **params)
        assert error["code"] == -32002
        assert error["message"] == "Resource not found"
        assert error["data"] == {"reason": "unknown_session", "sessionId": session}


# The session that is meant.


def test_without_any_session(stages):
    stage = stages()
    for method, params in (
        *((method, {"body": "b"}) for method in METHODS),
        ("session/pending_injections", {}),
        ("session/revoke_reminder", {"reminderId": "x"}),
    ):
        assert stage.refused(method, **params)["code"] == -32002
    session = stage.new()
    stage.ask("session/close", sessionId=session)
    assert stage.refused("session/remind", body="b")["code"] == -32002


def test_without_a_session_the_running_one_is_meant(stages):
    stage = stages()
    running, used_later = stage.new(), stage.new()
    prompt = stage.prompt(running, "go")
    call = stage.call(running)
    stage.remind(used_later, "elsewhere")
    name = stage.remind(None, "here", ttlTurns=1)
    result = stage.ask("session/pending_injections")
    assert [row["id"] for row in result["injections"]] == [name]
    assert stage.ask("session/revoke_reminder", reminderId=name)["status"] == "revoked"
    stage.remind(None, "here", ttlTurns=1)
    call.answer("a")
    assert stage.call(running).reminders == ["here"]
    stage.settle(running)
    del prompt


def test_without_a_session_and_a_turn_the_one_used_last_is_meant(stages):
    stage = stages()
    first, second = stage.new(), stage.new()
    stage.run(first, "go", "a")
    stage.remind(None, "to the first")
    assert len(stage.pending(first)) == 1
    stage.run(second, "go", "a")
    stage.remind(None, "to the second")
    assert [row["body"] for row in stage.pending(second)] == ["to the second"]
    stage.ask("session/close", sessionId=second)
    stage.remind(None, "to the first again")
    assert [row["body"] for row in stage.pending(first)] == ["to the first", "to the first again"]


def test_snake_case_of_the_session(stage: Stage):
    session = stage.new()
    result = stage.ask("session/remind", session_id=session, body="b")
    assert [row["id"] for row in stage.pending(session)] == [result["reminderId"]]


# Notifications.


def test_the_example_of_a_notification(stages):
    stage = stages()
    session = stage.new()
    params = {"body": "The workspace changed.", "dedupe_key": "workspace-change", "ttl_turns": 2}
    for method in ("session/remind", "_session/inject_reminder", "_harn/session/remind"):
        stage.tell(method, **params)
    rows = stage.pending(session)
    assert [(row["body"], row["dedupeKey"], row["ttlTurns"]) for row in rows] == [
        ("The workspace changed.", "workspace-change", 2)
    ] * 3
    stage.tell("session/revoke_reminder", reminderId=rows[0]["id"])
    assert len(stage.pending(session)) == 2
    assert not [line for line in stage.client.lines if "id" not in line.message]


def test_mistakes_of_notifications_are_one_line_on_stderr(stages):
    stage = stages()
    session = stage.new()
    stage.tell("session/remind", sessionId=session, body="")
    stage.tell("session/inject_reminder", sessionId="nothing", body="b")
    stage.tell("session/revoke_reminder", sessionId=session, reminderId="nothing")
    stage.sync()
    end = time.monotonic() + 60
    while len(stage.stderr()) < 3 and time.monotonic() < end:
        time.sleep(0.01)
    assert len(stage.stderr()) == 3
    assert "session/remind: HARN-RMD-002: `body` must be a non-empty string" in stage.stderr()[0]
    assert stage.pending(session) == []
