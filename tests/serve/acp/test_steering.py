"""`_session/steering`: the method of the adapters of Claude Code and Codex."""

import pytest

from tests.serve.acp.stage import Stage, blocks


def steer(stage: Stage, session, text, **params):
    return stage.ask("_session/steering", sessionId=session, prompt=blocks(text), **params)


def test_into_a_running_turn_it_is_a_steer(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    assert steer(stage, session, "use v2") == {"outcome": "injected"}
    (row,) = stage.pending(session)
    assert (row["mode"], row["content"]) == ("steer", blocks("use v2"))
    call.answer("a")
    call = stage.call(session)
    assert call.users[-1] == "use v2"
    call.answer("b")
    assert stage.reply(prompt)["result"] == {"stopReason": "end_turn"}
    assert stage.script(session) == ["a", "user: use v2", "b"]


def test_on_an_idle_session_it_starts_a_turn(stage: Stage):
    session = stage.new()
    request = stage.send("_session/steering", sessionId=session, prompt=blocks("begin"))
    call = stage.call(session)
    assert call.users == ["begin"]
    call.answer("a")
    assert stage.reply(request)["result"] == {"outcome": "startedNewTurn"}
    stage.settle(session)
    ((message, text),) = stage.echoes(session)
    assert text == "begin"
    assert stage.arrival_of_reply(request) < stage.arrival_of_echo(session, message)
    assert [(frame["state"], frame["messageId"]) for frame in stage.frames(session)] == [
        ("running", message),
        ("idle", message),
    ]


def test_prompt_required(stage: Stage):
    session = stage.new()
    meta = {"steering": {"idleBehavior": "promptRequired"}}
    assert steer(stage, session, "begin", _meta=meta) == {"outcome": "promptRequired"}
    assert stage.pending(session) == []
    assert stage.model.waiting(session) is None
    assert stage.lines(session) == []


def test_prompt_required_does_not_matter_while_a_turn_runs(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    meta = {"steering": {"idleBehavior": "promptRequired"}}
    assert steer(stage, session, "more", _meta=meta) == {"outcome": "injected"}
    call.answer("a")
    stage.call(session).answer("b")
    stage.reply(prompt)
    assert [text for _, text in stage.echoes(session)] == ["more"]


@pytest.mark.parametrize("meta", [{}, {"steering": {}}, {"steering": {"idleBehavior": "startNewTurn"}}, {"other": 1}])
def test_other_meta_starts_a_turn(stage: Stage, meta):
    session = stage.new()
    assert steer(stage, session, "begin", _meta=meta) == {"outcome": "startedNewTurn"}
    stage.settle(session)
    assert [text for _, text in stage.echoes(session)] == ["begin"]


@pytest.mark.parametrize("prompt", [{}, {"prompt": []}, {"prompt": "text"}, {"prompt": None}])
def test_bad_prompt(stage: Stage, prompt):
    error = stage.refused("_session/steering", sessionId=stage.new(), **prompt)
    assert error == {"code": -32602, "message": "Invalid params", "data": {"reason": "invalid_content"}}


def test_bad_block(stage: Stage):
    prompt = [*blocks("x"), {"type": "strange"}]
    error = stage.refused("_session/steering", sessionId=stage.new(), prompt=prompt)
    assert error == {"code": -32602, "message": "Invalid params", "data": {"reason": "invalid_content", "index": 1}}


def test_unknown_session(stage: Stage):
    for meta in ({}, {"steering": {"idleBehavior": "promptRequired"}}):
        error = stage.refused("_session/steering", sessionId="nothing", prompt=blocks("x"), _meta=meta)
        assert error["code"] == -32002
        assert error["data"] == {"reason": "unknown_session", "sessionId": "nothing"}


@pytest.mark.parametrize(
    "method", ["session/steering", "_harn/_session/steering", "__session/steering", "_harn/session/steering"]
)
def test_it_has_one_name(stage: Stage, method):
    error = stage.refused(method, sessionId="x", prompt=blocks("x"))
    assert (error["code"], error["data"]) == (-32601, {"method": method})


def test_as_a_notification(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    stage.tell("_session/steering", sessionId=session, prompt=blocks("quietly"))
    stage.sync()
    call.answer("a")
    stage.call(session).answer("b")
    stage.reply(prompt)
    assert [text for _, text in stage.echoes(session)] == ["quietly"]


def test_it_is_advertised(stages):
    stage = stages()
    result = stage.ask("initialize", protocolVersion=1)
    assert result["_meta"] == {"steering": {"supported": True}}
