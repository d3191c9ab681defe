"""What `session/inject`, `session/revoke_inject` and `session/replace_inject` refuse."""

import pytest

from tests.serve.acp.stage import Stage, blocks


def precondition(reason, **data):
    return {"code": -32010, "message": "Inject precondition failed", "data": {"reason": reason, **data}}


def not_found(reason, **data):
    return {"code": -32002, "message": "Resource not found", "data": {"reason": reason, **data}}


def invalid(reason, **data):
    return {"code": -32602, "message": "Invalid params", "data": {"reason": reason, **data}}


UNSUPPORTED = invalid("unsupported_mode", modes=["queue", "steer"])


@pytest.fixture(scope="module")
def delivered(server):
    """A session and the id of a message that was delivered in it."""
    session = server.new()
    message = server.inject(session, "delivered", "queue")
    server.call(session).answer("a")
    server.wait_turn(session, message)
    return session, message


@pytest.mark.parametrize("method", ["session/revoke_inject", "session/replace_inject"])
def test_after_the_echo(stage: Stage, delivered, method):
    session, message = delivered
    params = {"content": blocks("new")} if "replace" in method else {}
    error = stage.refused(method, sessionId=session, messageId=message, **params)
    assert error == precondition("already_delivered", messageId=message)


def test_a_steer_without_a_turn(stage: Stage):
    session = stage.new()
    error = stage.refused("session/inject", sessionId=session, mode="steer", content=blocks("x"))
    assert error == precondition("no_running_turn", sessionId=session)
    stage.run(session, "go", "a")
    error = stage.refused("session/inject", sessionId=session, mode="steer", content=blocks("x"))
    assert error == precondition("no_running_turn", sessionId=session)
    assert stage.ask("session/pending_injections", sessionId=session) == {"pendingCount": 0, "injections": []}


def test_replace_after_revoke(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    message = stage.inject(session, "x", "queue")
    stage.ask("session/revoke_inject", sessionId=session, messageId=message)
    error = stage.refused("session/replace_inject", sessionId=session, messageId=message, content=blocks("y"))
    assert error == precondition("already_revoked", messageId=message)
    call.answer("a")
    stage.reply(prompt)


@pytest.mark.parametrize("method", ["session/revoke_inject", "session/replace_inject"])
def test_unknown_message(stage: Stage, delivered, method):
    params = {"content": blocks("new")} if "replace" in method else {}
    for message in ("msg_inj_nothing", ""):
        error = stage.refused(method, sessionId=delivered[0], messageId=message, **params)
        assert error == not_found("unknown_message_id", messageId=message)
    other = stage.new()
    error = stage.refused(method, sessionId=other, messageId=delivered[1], **params)
    assert error == not_found("unknown_message_id", messageId=delivered[1])


@pytest.mark.parametrize("method", ["session/inject", "session/revoke_inject", "session/replace_inject"])
def test_unknown_or_closed_session(stage: Stage, method):
    params = {
        "session/inject": {"mode": "queue", "content": blocks("x")},
        "session/revoke_inject": {"messageId": "m"},
        "session/replace_inject": {"messageId": "m", "content": blocks("x")},
    }[method]
    closed, deleted = stage.new(), stage.new()
    stage.ask("session/close", sessionId=closed)
    stage.ask("session/delete", sessionId=deleted)
    for session in ("nothing", closed, deleted):
        error = stage.refused(method, sessionId=session, **params)
        assert error == not_found("unknown_session", sessionId=session)


@pytest.mark.parametrize(
    "mode",
    [{}, {"mode": None}, {"mode": "Steer"}, {"mode": "finish_step"}, {"mode": ""}, {"mode": 1}, {"mode": ["queue"]}],
)
def test_unsupported_mode(stage: Stage, delivered, mode):
    assert stage.refused("session/inject", sessionId=delivered[0], content=blocks("x"), **mode) == UNSUPPORTED


BAD_CONTENT = [
    ({}, None),
    ({"content": None}, None),
    ({"content": []}, None),
    ({"content": "text"}, None),
    ({"content": {"type": "text", "text": "x"}}, None),
    ({"content": [7]}, 0),
    ({"content": [None]}, 0),
    ({"content": [{"type": "text"}]}, 0),
    ({"content": [{"text": "x"}]}, 0),
    ({"content": [{"type": "text", "text": 7}]}, 0),
    ({"content": [*blocks("x"), {"type": "unknown"}]}, 1),
    ({"content": [*blocks("x"), {"type": "resource_link", "name": "n"}]}, 1),
    ({"content": [*blocks("x"), *blocks("y"), {"type": "resource", "resource": {}}]}, 2),
]


@pytest.mark.parametrize(("content", "index"), BAD_CONTENT)
def test_invalid_content(stage: Stage, delivered, content, index):
    expected = invalid("invalid_content", **({} if index is None else {"index": index}))
    assert stage.refused("session/inject", sessionId=delivered[0], mode="queue", **content) == expected


@pytest.mark.parametrize(("content", "index"), BAD_CONTENT)
def test_invalid_content_of_a_replacement(stage: Stage, waiting, content, index):
    expected = invalid("invalid_content", **({} if index is None else {"index": index}))
    session, message = waiting
    assert stage.refused("session/replace_inject", sessionId=session, messageId=message, **content) == expected
    rows = stage.ask("session/pending_injections", sessionId=session)["injections"]
    assert [row["content"] for row in rows] == [blocks("waits")]


UNSUPPORTED_BLOCKS = [
    {"type": "image", "mimeType": "image/png", "data": "AA=="},
    {"type": "audio", "mimeType": "audio/wav", "data": "AA=="},
    {"type": "resource", "resource": {"uri": "file:///x", "blob": "AA=="}},
]


@pytest.mark.parametrize("block", UNSUPPORTED_BLOCKS)
def test_unsupported_content(stage: Stage, delivered, waiting, block):
    expected = invalid("unsupported_content", index=1)
    content = [*blocks("x"), block]
    assert stage.refused("session/inject", sessionId=delivered[0], mode="queue", content=content) == expected
    session, message = waiting
    assert stage.refused("session/replace_inject", sessionId=session, messageId=message, content=content) == expected
    assert stage.refused("_session/steering", sessionId=session, prompt=content) == expected


@pytest.fixture(scope="module")
def waiting(server):
    """A session whose turn does not end, and the id of a message that waits for it."""
    session = server.new()
    server.prompt(session, "go")
    server.call(session)
    return session, server.inject(session, "waits", "queue")


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/inject", {"mode": "queue", "content": blocks("x")}),
        ("session/revoke_inject", {"messageId": "m"}),
        ("session/replace_inject", {"messageId": "m", "content": blocks("x")}),
        ("_session/steering", {"prompt": blocks("x")}),
    ],
)
def test_unknown_keys_are_refused_but_not_meta(stage: Stage, delivered, method, params):
    error = stage.refused(method, sessionId=delivered[0], surprise=1, **params)
    assert error == invalid("unknown_key", field="surprise")
    error = stage.refused(method, sessionId="nothing", _meta={"x": 1}, **params)
    assert error["data"]["reason"] == "unknown_session"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/inject", {"mode": "queue", "content": blocks("x")}),
        ("session/revoke_inject", {"messageId": "m"}),
        ("session/replace_inject", {"messageId": "m", "content": blocks("x")}),
        ("_session/steering", {"prompt": blocks("x")}),
    ],
)
@pytest.mark.parametrize("session", [{}, {"sessionId": None}, {"sessionId": 7}])
def test_a_session_is_required(stage: Stage, method, params, session):
    assert stage.refused(method, **session, **params)["code"] == -32602
