"""What `session/inject_reminder` and `session/remind` accept and refuse, with codes, texts and the key at fault."""

import re

import pytest

from tests.serve.acp.stage import Stage

METHODS = ["session/inject_reminder", "session/remind"]
OPTION, PAYLOAD, SCOPE = "HARN-RMD-001", "HARN-RMD-002", "HARN-RMD-005"
ROLES = "must be one of system, developer, user_block, or ephemeral_cache"
MODES = "must be one of interrupt_immediate, finish_step, or audit_only"
LIMIT = "must be one of all, session, or none"
GOOD = {"body": "b"}
SHAPE = "session/remind payload must be a reminder object"


@pytest.fixture(scope="module")
def session(server):
    """A session in which nothing runs."""
    return server.new()


BAD = [
    # params beside sessionId, code, message (None: ours to choose), field (None: not checked)
    ({}, PAYLOAD, "`body` must be a non-empty string", "body"),
    ({"body": None}, PAYLOAD, "`body` must be a non-empty string", "body"),
    ({"body": ""}, PAYLOAD, "`body` must be a non-empty string", "body"),
    ({"body": " \n\t"}, PAYLOAD, "`body` must be a non-empty string", "body"),
    ({"body": 7}, PAYLOAD, "`body` must be a string, got int", "body"),
    ({"body": ["x"]}, PAYLOAD, "`body` must be a string, got list", "body"),
    ({"content": "x"}, PAYLOAD, "session/remind expects reminder `body`, not user-message `content`", "content"),
    ({"tags": "x"}, PAYLOAD, "`tags` must be a list or nil, got string", "tags"),
    ({"tags": {}}, PAYLOAD, "`tags` must be a list or nil, got dict", "tags"),
    ({"tags": ["a", 7]}, PAYLOAD, "`tags` entries must be strings, got int", "tags"),
    ({"tags": ["a", " "]}, PAYLOAD, "`tags` entries must be non-empty strings", "tags"),
    ({"dedupeKey": 7}, PAYLOAD, "`dedupe_key` must be a string or nil, got int", "dedupeKey"),
    ({"dedupe_key": []}, PAYLOAD, "`dedupe_key` must be a string or nil, got list", "dedupe_key"),
    ({"ttlTurns": 0}, PAYLOAD, "`ttl_turns` must be > 0", "ttlTurns"),
    ({"ttlTurns": -1}, PAYLOAD, "`ttl_turns` must be > 0", "ttlTurns"),
    ({"ttl_turns": 0}, PAYLOAD, "`ttl_turns` must be > 0", "ttl_turns"),
    ({"ttlTurns": True}, PAYLOAD, "`ttl_turns` must be an int or nil, got bool", "ttlTurns"),
    ({"ttlTurns": 2.5}, PAYLOAD, "`ttl_turns` must be an int or nil, got float", "ttlTurns"),
    ({"ttlTurns": "2"}, PAYLOAD, "`ttl_turns` must be an int or nil, got string", "ttlTurns"),
    ({"preserveOnCompact": 1}, PAYLOAD, "`preserve_on_compact` must be a bool or nil, got int", "preserveOnCompact"),
    (
        {"preserve_on_compact": "no"},
        PAYLOAD,
        "`preserve_on_compact` must be a bool or nil, got string",
        "preserve_on_compact",
    ),
    ({"propagate": "everywhere"}, SCOPE, f"`propagate` {LIMIT}", "propagate"),
    ({"propagate": 7}, SCOPE, f"`propagate` {LIMIT}", "propagate"),
    ({"propagate": "ALL"}, SCOPE, f"`propagate` {LIMIT}", "propagate"),
    ({"roleHint": "user"}, PAYLOAD, f"`role_hint` {ROLES}", "roleHint"),
    ({"role_hint": 1}, PAYLOAD, f"`role_hint` {ROLES}", "role_hint"),
    ({"mode": "later"}, PAYLOAD, f"`mode` {MODES}", "mode"),
    ({"mode": 7}, PAYLOAD, f"`mode` {MODES}", "mode"),
    ({"id": ""}, PAYLOAD, None, "id"),
    ({"id": "x" * 129}, PAYLOAD, None, "id"),
    ({"id": 7}, PAYLOAD, None, "id"),
    ({"source": "hook"}, PAYLOAD, "`source` for session/remind must be bridge when provided", "source"),
    ({"source": 7}, PAYLOAD, "`source` for session/remind must be bridge when provided", "source"),
    ({"firedAtTurn": -1}, PAYLOAD, "`fired_at_turn` must be >= 0 when provided", "firedAtTurn"),
    ({"fired_at_turn": "1"}, PAYLOAD, "`fired_at_turn` must be >= 0 when provided", "fired_at_turn"),
    ({"firedAtTurn": 1.5}, PAYLOAD, "`fired_at_turn` must be >= 0 when provided", "firedAtTurn"),
    ({"_meta": 7}, PAYLOAD, "`_meta` must be an object", "_meta"),
    ({"_meta": []}, PAYLOAD, "`_meta` must be an object", "_meta"),
    ({"surprise": 1}, OPTION, "unknown reminder option(s): surprise", "surprise"),
    ({"zeta": 1, "alpha": 2}, OPTION, "unknown reminder option(s): alpha, zeta", None),
    ({"ttl": 1}, OPTION, "unknown reminder option(s): ttl", "ttl"),
    ({"dedupeKey": "a", "dedupe_key": "b"}, OPTION, None, None),
    ({"ttlTurns": 1, "ttl_turns": 2}, OPTION, None, None),
    # order of faults: unknown keys first, then the order of the table
    ({"surprise": 1, "propagate": "x"}, OPTION, "unknown reminder option(s): surprise", "surprise"),
    ({"surprise": 1, "body": 7}, OPTION, "unknown reminder option(s): surprise", "surprise"),
    ({"propagate": "x", "roleHint": "y", "mode": "z"}, SCOPE, f"`propagate` {LIMIT}", "propagate"),
    ({"body": "", "propagate": "x"}, PAYLOAD, "`body` must be a non-empty string", "body"),
    ({"mode": "z", "roleHint": "y"}, PAYLOAD, f"`role_hint` {ROLES}", "roleHint"),
    ({"ttlTurns": 0, "tags": 7}, PAYLOAD, "`tags` must be a list or nil, got int", "tags"),
    ({"_meta": 7, "source": "hook"}, PAYLOAD, "`source` for session/remind must be bridge when provided", "source"),
    # nested
    ({"reminder": 7}, PAYLOAD, SHAPE, None),
    ({"reminder": None}, PAYLOAD, SHAPE, None),
    ({"reminder": []}, PAYLOAD, SHAPE, None),
    ({"reminder": {}}, PAYLOAD, "`body` must be a non-empty string", "body"),
    ({"reminder": {"body": "b", "surprise": 1}}, OPTION, "unknown reminder option(s): surprise", "surprise"),
    ({"reminder": {"body": "b"}, "tags": ["x"]}, OPTION, "unknown reminder option(s): tags", "tags"),
    ({"reminder": {"body": "b", "sessionId": "x"}}, OPTION, "unknown reminder option(s): sessionId", "sessionId"),
    ({"reminder": {"body": "b", "propagate": "x"}}, SCOPE, f"`propagate` {LIMIT}", "propagate"),
    # hints in _meta
    ({"_meta": {"harn": {"reminder": {"propagate": "x"}}}}, SCOPE, f"`propagate` {LIMIT}", "propagate"),
    ({"_meta": {"harn": {"reminder": {"ttlTurns": 0}}}}, PAYLOAD, "`ttl_turns` must be > 0", "ttlTurns"),
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("params", "code", "message", "field"), BAD)
def test_refused(stage: Stage, session, method, params, code, message, field):
    is_whole = "reminder" in params or "body" in params or params == {} or "content" in params
    error = stage.refused(method, sessionId=session, **(params if is_whole else GOOD | params))
    assert error["code"] == -32602
    prefix = f"{method}: {code}: "
    if message is None:
        assert error["message"].startswith(prefix)
    else:
        assert error["message"] == prefix + message
    assert error["data"]["code"] == code
    if field is not None:
        assert error["data"]["field"] == field
    assert stage.pending(session) == []


def test_the_example_of_the_reference(stage: Stage, session):
    error = stage.refused("session/inject_reminder", sessionId=session, body="b", propagate="somewhere")
    assert error["message"] == "session/inject_reminder: HARN-RMD-005: `propagate` must be one of all, session, or none"
    assert error["data"] == {"code": SCOPE, "field": "propagate"}


@pytest.mark.parametrize(
    "name", ["session/inject_reminder", "_session/inject_reminder", "_harn/session/inject_reminder"]
)
def test_texts_have_the_plain_name_of_the_method(stage: Stage, session, name):
    error = stage.refused(name, sessionId=session, body="")
    assert error["message"] == "session/inject_reminder: HARN-RMD-002: `body` must be a non-empty string"
    name = name.replace("inject_reminder", "remind")
    error = stage.refused(name, sessionId=session, body="")
    assert error["message"] == "session/remind: HARN-RMD-002: `body` must be a non-empty string"


ROW = {
    "kind": "reminder",
    "mode": "finish_step",
    "position": 0,
    "body": "b",
    "tags": [],
    "dedupeKey": None,
    "ttlTurns": None,
    "preserveOnCompact": False,
    "propagate": "session",
    "roleHint": "system",
    "source": "bridge",
    "firedAtTurn": 0,
    "originatingAgentId": None,
}
GIVEN = [
    ({}, {}),
    ({"body": "  keep \n me "}, {"body": "  keep \n me "}),
    ({"tags": [" a ", "b", "a"]}, {"tags": ["a", "b"]}),
    ({"tags": []}, {}),
    ({"tags": None}, {}),
    ({"dedupeKey": " k "}, {"dedupeKey": "k"}),
    ({"dedupe_key": "k"}, {"dedupeKey": "k"}),
    ({"dedupeKey": "k", "dedupe_key": "k"}, {"dedupeKey": "k"}),
    ({"dedupeKey": "  "}, {}),
    ({"dedupeKey": None}, {}),
    ({"ttlTurns": 2}, {"ttlTurns": 2}),
    ({"ttlTurns": 2.0}, {"ttlTurns": 2}),
    ({"ttl_turns": 3}, {"ttlTurns": 3}),
    ({"ttlTurns": None}, {}),
    ({"preserveOnCompact": True}, {"preserveOnCompact": True}),
    ({"preserve_on_compact": True}, {"preserveOnCompact": True}),
    *(({"propagate": name}, {"propagate": name}) for name in ("all", "session", "none")),
    *(({"roleHint": name}, {"roleHint": name}) for name in ("system", "developer", "user_block", "ephemeral_cache")),
    ({"role_hint": "developer"}, {"roleHint": "developer"}),
    *(({"mode": name}, {"mode": name}) for name in ("interrupt_immediate", "finish_step", "audit_only")),
    ({"source": "bridge"}, {}),
    ({"id": "my-id"}, {"id": "my-id", "reminderId": "my-id"}),
    ({"id": "x" * 128}, {"id": "x" * 128, "reminderId": "x" * 128}),
    ({"firedAtTurn": 4}, None),
    ({"fired_at_turn": 0}, {}),
    ({"_meta": None}, {}),
    ({"_meta": {"anything": {"goes": 1}}}, {}),
    ({"_meta": {"harn": {"reminder": {"ttl_turns": 4, "unknown": 1}}}}, {"ttlTurns": 4}),
    ({"ttlTurns": 2, "_meta": {"harn": {"reminder": {"ttlTurns": 4, "tags": ["h"]}}}}, {"ttlTurns": 2, "tags": ["h"]}),
    (
        {"reminder": {"body": "n", "ttlTurns": 1, "mode": "audit_only"}},
        {"body": "n", "ttlTurns": 1, "mode": "audit_only"},
    ),
    ({"reminder": {"body": "n"}, "mode": "audit_only", "_meta": {"x": 1}}, {"body": "n", "mode": "audit_only"}),
    ({"reminder": {"body": "n", "_meta": {"x": 1}}}, {"body": "n"}),
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("params", "changes"), GIVEN)
def test_accepted(stage: Stage, method, params, changes):
    session = stage.new()
    whole = params if "reminder" in params else GOOD | params
    result = stage.ask(method, sessionId=session, **whole)
    (row,) = stage.pending(session)
    if changes is None:
        assert row["body"] == "b"
    else:
        assert row == {**ROW, "id": result["reminderId"], "reminderId": result["reminderId"], **changes}
    assert set(result) == ({"reminderId", "dedupedCount"} if row["dedupeKey"] else {"reminderId"})
    assert stage.lines(session) == []


def test_the_body_may_come_from_meta(stage: Stage):
    session = stage.new()
    stage.ask("session/remind", sessionId=session, _meta={"harn": {"reminder": {"body": "hidden", "tags": ["t"]}}})
    (row,) = stage.pending(session)
    assert (row["body"], row["tags"]) == ("hidden", ["t"])


def test_a_new_id_is_a_uuid_of_version_7(stage: Stage):
    session = stage.new()
    names = [stage.remind(session, f"b{number}") for number in range(3)]
    assert all(
        re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", name) for name in names
    )


OLD_NAMES = {
    "steer": "finish_step",
    "after_current_operation": "finish_step",
    "queue": "audit_only",
    "wait_for_completion": "audit_only",
    "interrupt": "interrupt_immediate",
}


@pytest.mark.parametrize(("old", "mode"), OLD_NAMES.items())
def test_old_names_of_modes(stage: Stage, old, mode):
    session = stage.new()
    stage.ask("session/remind", sessionId=session, body="b", mode=old)
    (row,) = stage.pending(session)
    assert row["mode"] == mode
    error = stage.refused("session/inject_reminder", sessionId=session, body="b", mode=old)
    assert error["message"] == f"session/inject_reminder: HARN-RMD-002: `mode` {MODES}"


# Repeats.


def test_a_repeat_gets_the_first_answer(stage: Stage):
    session = stage.new()
    first = stage.ask("session/remind", sessionId=session, body="b", id="r", dedupeKey="k")
    assert first == {"reminderId": "r", "dedupedCount": 0}
    assert stage.ask("session/inject_reminder", sessionId=session, body="b", id="r", dedupeKey="k") == first
    assert len(stage.pending(session)) == 1
    plain = stage.ask("session/remind", sessionId=session, body="b", id="plain")
    assert stage.ask("session/remind", sessionId=session, body="b", id="plain") == plain == {"reminderId": "plain"}
    assert len(stage.pending(session)) == 2


def test_a_repeat_counts_nothing(stage: Stage):
    session = stage.new()
    stage.ask("session/remind", sessionId=session, body="a", dedupeKey="k")
    assert stage.ask("session/remind", sessionId=session, body="b", id="r", dedupeKey="k")["dedupedCount"] == 1
    assert stage.ask("session/remind", sessionId=session, body="b", id="r", dedupeKey="k") == {
        "reminderId": "r",
        "dedupedCount": 0,
    }
    assert len(stage.pending(session)) == 2


def test_an_id_of_another_body_is_refused(stage: Stage):
    session = stage.new()
    stage.ask("session/remind", sessionId=session, body="b", id="r")
    error = stage.refused("session/remind", sessionId=session, body="other", id="r")
    assert error["code"] == -32602
    assert error["message"].startswith("session/remind: HARN-RMD-002: ")
    assert error["data"]["code"] == PAYLOAD
    assert "reminder_id_conflict" in f"{error['message']} {error['data'].get('reason')}"
    assert [row["body"] for row in stage.pending(session)] == ["b"]
    other = stage.new()
    assert stage.ask("session/remind", sessionId=other, body="other", id="r") == {"reminderId": "r"}


def test_a_repeat_after_delivery_and_after_revoke(stage: Stage):
    session = stage.new()
    stage.ask("session/remind", sessionId=session, body="seen", id="d", ttlTurns=1)
    call = stage.run(session, "go", "a")
    assert call.reminders == ["seen"]
    stage.ask("session/remind", sessionId=session, body="gone", id="v")
    stage.ask("session/revoke_reminder", sessionId=session, reminderId="v")
    for name, body in (("d", "seen"), ("v", "gone")):
        assert stage.ask("session/remind", sessionId=session, body=body, id=name) == {"reminderId": name}
        error = stage.refused("session/remind", sessionId=session, body="new", id=name)
        assert error["data"]["code"] == PAYLOAD
    assert stage.pending(session) == []
    assert stage.run(session, "go", "a").reminders == []
