"""The examples of the proposals that this wire implements: reminders, queue and steer, session info."""

import json

import pytest

from tests.serve.acp_client import is_update, text_block

# The proposal of reminders describes its request as a type; these are its fields, one by one and together.
REMINDERS = [
    {"body": "src/lib.rs changed on disk."},
    {"body": "The build has finished.", "tags": ["build", "ci"]},
    {"body": "The build has finished.", "dedupeKey": "build"},
    {"body": "This repository blocks force-pushes to main.", "ttlTurns": 3},
    {"body": "Half of the window is used.", "preserveOnCompact": True},
    *({"body": "For all.", "propagate": value} for value in ("all", "session", "none")),
    *(
        {"body": "In its slot.", "roleHint": value}
        for value in ("system", "developer", "user_block", "ephemeral_cache")
    ),
    *({"body": "In time.", "mode": value} for value in ("interrupt_immediate", "finish_step", "audit_only")),
    {"body": "With an envelope.", "_meta": {"vendor": {"x": 1}}},
    {
        "body": "Everything.",
        "tags": ["a"],
        "dedupeKey": "everything",
        "ttlTurns": 2,
        "preserveOnCompact": False,
        "propagate": "session",
        "roleHint": "system",
        "mode": "finish_step",
        "_meta": {},
    },
]


@pytest.mark.parametrize("method", ["session/inject_reminder", "session/remind"])
@pytest.mark.parametrize("fields", REMINDERS, ids=lambda fields: "-".join(map(str, list(fields.items())[-1])))
def test_a_reminder_as_the_proposal_types_it(client, session, method, fields):
    result = client.request(method, {"sessionId": session, **fields})
    assert isinstance(result["reminderId"], str)
    assert result.get("dedupedCount") == (0 if "dedupeKey" in fields else None)
    assert set(result) <= {"reminderId", "dedupedCount"}


def test_older_reminders_with_the_key_are_counted(client, session):
    counts = []
    for n in range(3):
        params = {"sessionId": session, "body": f"build {n}", "dedupeKey": "build"}
        counts.append(client.request("session/inject_reminder", params)["dedupedCount"])
    assert counts == [0, 1, 2]


def test_the_envelope_of_today(client, session):
    meta = {"harn": {"reminder": {"tags": ["x"], "ttl_turns": 2, "dedupe_key": "k", "role_hint": "developer"}}}
    client.request("session/remind", {"sessionId": session, "body": "Old.", "_meta": meta})
    (row,) = client.request("session/pending_injections", {"sessionId": session})["injections"]
    assert (row["tags"], row["ttlTurns"], row["dedupeKey"], row["roleHint"]) == (["x"], 2, "k", "developer")


EMITTED = {"sessionUpdate", "reminderId", "body", "tags", "dedupeKey", "source", "firedAtTurn", "_meta"}


def test_the_three_updates_as_the_proposal_types_them(client, session):
    def remind(body):
        params = {"sessionId": session, "body": body, "dedupeKey": "k", "tags": ["t"], "ttlTurns": 1}
        return client.request("session/inject_reminder", params)["reminderId"]

    old, new = remind("old"), remind("new")
    client.prompt(session, "hello")
    (emitted,) = client.updates(session, "reminder_emitted")
    assert set(emitted) == EMITTED
    assert (emitted["reminderId"], emitted["body"], emitted["tags"]) == (new, "new", ["t"])
    assert (emitted["dedupeKey"], emitted["source"]) == ("k", "host")
    assert isinstance(emitted["firedAtTurn"], int)
    (deduped,) = client.updates(session, "reminder_deduped")
    assert (deduped["reminderId"], deduped["dedupeKey"], deduped["droppedReminderIds"]) == (new, "k", [old])
    (expired,) = client.updates(session, "reminder_expired")
    assert (expired["reminderId"], expired["phase"]) == (new, "ttl_expired")
    assert isinstance(expired["expiredAtTurn"], int)


# The proposal of session info shows these updates; a script sends each of them.
INFOS = [
    {
        "title": "Implement user authentication",
        "_meta": {"tags": ["feature", "auth"], "priority": "high"},
    },
    {"title": "Debug authentication timeout", "_meta": {"projectName": "api-server", "branch": "main"}},
    {"title": "Debug authentication timeout → Add retry logic"},
    {"_meta": {"fieldName": None}},
    {"_meta": None},
    {"title": None},
]


@pytest.mark.parametrize("payload", INFOS, ids=json.dumps)
def test_the_session_info_updates_of_the_proposal(client, session, payload):
    client.prompt(session, 'info {"_meta": {"fieldName": 1}}')
    after = len(client.lines) - 1
    client.prompt(session, f"info {json.dumps(payload, ensure_ascii=False)}")
    (line,) = [
        line
        for line in client.matching(is_update("session_info_update", session), after)
        if "updatedAt" not in line.update or set(line.update) & {"title", "_meta"}
    ]
    update = {key: value for key, value in line.update.items() if key not in {"sessionUpdate", "updatedAt"}}
    assert update == payload
    assert line["params"]["sessionId"] == session
    assert set(line.message) == {"jsonrpc", "method", "params"}


# The proposal of queue and steer.
STEER = {"mode": "steer", "content": [text_block("use auth_v2.go")]}
QUEUE = {"mode": "queue", "content": [text_block("then run the tests")]}


@pytest.fixture
def held(client, session, model):
    """Return a model answer that waits, in a running turn; `held.prompt` answers at its end."""
    answer = model.queue("The first answer.", hold=True)
    prompt = client.start_prompt(session, "start")
    answer.wait()
    yield answer, prompt
    answer.release()
    client.answer(prompt)


def test_steer_and_queue_of_the_proposal(client, session, model, held):
    answer, prompt = held
    steer = client.request("session/inject", {"sessionId": session, **STEER})
    queue = client.request("session/inject", {"sessionId": session, **QUEUE})
    assert set(steer) == set(queue) == {"messageId"}
    assert client.updates(session, "user_message") == [], "accepted is not delivered"
    answer.release()
    end = client.answer(prompt)
    first = client.wait_for(is_update("user_message", session, messageId=steer["messageId"]))
    second = client.wait_for(is_update("user_message", session, messageId=queue["messageId"]))
    assert first.index < end.index < second.index
    assert first.update["content"] == STEER["content"]
    assert second.update["content"] == QUEUE["content"]
    model.wait_for_requests(3)
    assert "use auth_v2.go" in str(model.requests[1]["messages"])
    assert "then run the tests" not in str(model.requests[1]["messages"])


def test_revoke_and_replace_of_the_proposal(client, session, held):
    one = client.request("session/inject", {"sessionId": session, **QUEUE})["messageId"]
    two = client.request("session/inject", {"sessionId": session, **QUEUE})["messageId"]
    assert client.request("session/revoke_inject", {"sessionId": session, "messageId": one}) == {}
    content = [text_block("then run the linter")]
    replaced = client.request("session/replace_inject", {"sessionId": session, "messageId": two, "content": content})
    assert replaced == {"messageId": two}
    held[0].release()
    echo = client.wait_for(is_update("user_message", session, messageId=two))
    assert echo.update["content"] == content
    assert client.matching(is_update("user_message", session, messageId=one)) == []
    for method, given in (("session/revoke_inject", {}), ("session/replace_inject", {"content": content})):
        error = client.error(method, {"sessionId": session, "messageId": two, **given})
        assert error == {
            "code": -32010,
            "message": "Inject precondition failed",
            "data": {"reason": "already_delivered", "messageId": two},
        }


def test_the_errors_of_the_proposal(client, session):
    error = client.error("session/revoke_inject", {"sessionId": session, "messageId": "msg_nothing"})
    assert error == {
        "code": -32002,
        "message": "Resource not found",
        "data": {"reason": "unknown_message_id", "messageId": "msg_nothing"},
    }
    error = client.error("session/inject", {"sessionId": session, **STEER})
    assert error == {
        "code": -32010,
        "message": "Inject precondition failed",
        "data": {"reason": "no_running_turn", "sessionId": session},
    }


def test_queue_on_an_idle_session_starts_a_turn(client, session, model):
    message = client.request("session/inject", {"sessionId": session, **QUEUE})["messageId"]
    client.wait_for(is_update("user_message", session, messageId=message))
    client.wait_for(is_update("agent_message_chunk", session))


def test_pending_injects_survive_a_cancel(client, session, model, held):
    _, prompt = held
    message = client.request("session/inject", {"sessionId": session, **STEER})["messageId"]
    client.notify("session/cancel", {"sessionId": session})
    end = client.answer(prompt)
    assert end["result"] == {"stopReason": "cancelled"}
    assert client.wait_for(is_update("user_message", session, messageId=message)).index > end.index
