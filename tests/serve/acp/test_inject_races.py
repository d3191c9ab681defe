"""A revoke, a replacement and a steer race with the delivery; every answer is kept."""

import random
import time

import pytest

from tests.serve.acp.stage import Stage, blocks


def precondition(reason, **data):
    return {"code": -32010, "message": "Inject precondition failed", "data": {"reason": reason, **data}}


@pytest.mark.parametrize("mode", ["queue", "steer"])
def test_a_revoke_that_succeeds_is_never_followed_by_the_echo(stage: Stage, mode):
    session = stage.new()
    dice = random.Random(mode)
    results = set()
    for number in range(15):
        prompt = stage.prompt(session, f"go {number}")
        call = stage.call(session)
        message = stage.inject(session, f"m{number}", mode)
        call.answer("a")
        time.sleep(dice.random() * 0.03)
        revoke = stage.reply(stage.send("session/revoke_inject", sessionId=session, messageId=message))
        if "result" in revoke:
            assert revoke["result"] == {}
        else:
            assert revoke["error"] == precondition("already_delivered", messageId=message)
        results.add("result" in revoke)
        stage.settle(session, prompt)
        delivered = [text for _, text in stage.echoes(session)].count(f"m{number}")
        assert delivered == (0 if "result" in revoke else 1)
        if "error" in revoke:
            assert stage.arrival_of_echo(session, message) < stage.arrival_of_reply(revoke["id"])
    assert stage.spoken_users(stage.replay(session)).count("user: go 3") == 1


@pytest.mark.parametrize("mode", ["queue", "steer"])
def test_a_replace_that_succeeds_is_never_followed_by_the_old_text(stage: Stage, mode):
    session = stage.new()
    dice = random.Random(mode)
    for number in range(15):
        prompt = stage.prompt(session, f"go {number}")
        call = stage.call(session)
        message = stage.inject(session, f"old {number}", mode)
        call.answer("a")
        time.sleep(dice.random() * 0.03)
        params = {"sessionId": session, "messageId": message, "content": blocks(f"new {number}")}
        replaced = stage.reply(stage.send("session/replace_inject", **params))
        stage.settle(session, prompt)
        text = f"new {number}" if "result" in replaced else f"old {number}"
        assert [words for name, words in stage.echoes(session) if name == message] == [text]


def test_a_steer_at_the_end_of_a_turn_is_delivered_or_refused(stage: Stage):
    session = stage.new()
    dice = random.Random(7)
    for number in range(15):
        prompt = stage.prompt(session, f"go {number}")
        call = stage.call(session)
        call.answer("a")
        time.sleep(dice.random() * 0.03)
        params = {"sessionId": session, "mode": "steer", "content": blocks(f"s{number}")}
        steer = stage.reply(stage.send("session/inject", **params))
        stage.settle(session, prompt)
        echoes = [text for _, text in stage.echoes(session)].count(f"s{number}")
        assert echoes == (1 if "result" in steer else 0)
        if "error" in steer:
            assert steer["error"] == precondition("no_running_turn", sessionId=session)


def test_many_messages_keep_their_order(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    for number in range(60):
        stage.send(
            "session/inject", sessionId=session, mode=("steer", "queue")[number % 2], content=blocks(f"m{number}")
        )
    stage.sync()
    call.answer("a")
    stage.settle(session, prompt)
    texts = [text for _, text in stage.echoes(session)]
    assert texts == [*(f"m{number}" for number in range(0, 60, 2)), *(f"m{number}" for number in range(1, 60, 2))]
