"""`session/inject`, `session/revoke_inject` and `session/replace_inject`: acceptance, delivery, order, frames."""

import time

import pytest

from tests.serve.acp.stage import Stage, blocks, text_of

# Steers.


def test_a_steer_while_the_model_answers_gets_one_more_iteration(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    first = stage.call(session)
    first.begin("first ")
    stage.wait_update(session, "agent_message_chunk")
    steer = stage.inject(session, "use auth_v2.go", "steer")
    assert steer.startswith("msg_inj_")
    first.finish("answer")
    second = stage.call(session)
    assert "use auth_v2.go" not in first.seen
    assert second.users[-1] == "use auth_v2.go"
    second.answer("second answer")
    assert stage.reply(prompt)["result"] == {"stopReason": "end_turn"}
    assert stage.script(session) == ["first answer", "user: use auth_v2.go", "second answer"]
    assert stage.echoes(session) == [(steer, "use auth_v2.go")]


def test_a_steer_while_a_tool_runs_is_delivered_after_it_and_before_the_next_call(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    with stage.slow_tool(session):
        steer = stage.inject(session, "and look there", "steer")
        assert stage.echoes(session) == []
    call = stage.call(session)
    assert call.roles[-2:] == ["tool", "user"]
    assert call.users[-1] == "and look there"
    call.answer("done")
    stage.reply(prompt)
    kinds = stage.kinds(session)
    echo = kinds.index("user_message_chunk")
    last_update = max(at for at, kind in enumerate(kinds) if kind == "tool_call_update")
    assert last_update < echo < kinds.index("agent_message_chunk")
    assert stage.echoes(session) == [(steer, "and look there")]


def test_two_steers_are_delivered_together_in_their_order(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    ids = [stage.inject(session, text, "steer") for text in ("one", "two", "three")]
    call.answer("a")
    call = stage.call(session)
    assert call.users[-3:] == ["one", "two", "three"] or text_of(call.users[-1]).split() == ["one", "two", "three"]
    call.answer("b")
    stage.reply(prompt)
    assert stage.echoes(session) == list(zip(ids, ("one", "two", "three"), strict=True))


def test_a_steer_of_the_second_answer_is_delivered_too(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    for number in range(4):
        call = stage.call(session)
        stage.inject(session, f"steer {number}", "steer")
        call.answer(f"answer {number}")
    stage.call(session).answer("end")
    assert stage.reply(prompt)["result"] == {"stopReason": "end_turn"}
    expected = [line for number in range(4) for line in (f"answer {number}", f"user: steer {number}")]
    assert stage.script(session) == [*expected, "end"]


# The echo.


def test_the_echo_is_a_group_of_consecutive_lines(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    content = [
        {"type": "text", "text": "read this"},
        {"type": "resource_link", "name": "notes", "uri": "file:///notes.md"},
        {"type": "resource", "resource": {"uri": "file:///a.py", "mimeType": "text/x-python", "text": "print(1)"}},
    ]
    steer = stage.ask("session/inject", sessionId=session, mode="steer", content=content)["messageId"]
    call.answer("a")
    call = stage.call(session)
    seen = call.users[-1]
    assert "read this" in seen
    assert "[notes](file:///notes.md)" in seen
    assert "file:///a.py" in seen
    assert "print(1)" in seen
    call.answer("b")
    stage.reply(prompt)
    lines = stage.lines(session)
    at = next(at for at, line in enumerate(lines) if line.get("sessionUpdate") == "user_message_chunk")
    chunks = [{"sessionUpdate": "user_message_chunk", "messageId": steer, "content": block} for block in content]
    whole = {"sessionUpdate": "user_message", "messageId": steer, "content": content}
    assert lines[at : at + 4] == [*chunks, whole]


def test_a_client_without_user_message_gets_the_chunks_only(stages):
    stage = stages({"_meta": {"harn": {"userMessage": False}}})
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    stage.inject(session, "more", "steer")
    call.answer("a")
    stage.call(session).answer("b")
    stage.reply(prompt)
    assert "user_message" not in stage.kinds(session)
    assert stage.kinds(session).count("user_message_chunk") == 1


def test_a_prompt_has_no_echo(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    stage.call(session).answer("a")
    stage.reply(prompt)
    assert stage.echoes(session) == []
    assert "user_message_chunk" not in stage.kinds(session)


def test_the_reply_comes_before_the_echo(stage: Stage):
    session = stage.new()
    for number in range(5):
        queued = stage.send("session/inject", sessionId=session, mode="queue", content=blocks(f"q{number}"))
        stage.call(session).answer("a")
        message = stage.reply(queued)["result"]["messageId"]
        stage.wait_turn(session, message)
        assert stage.arrival_of_reply(queued) < stage.arrival_of_echo(session, message)


# Queued messages.


def test_a_queued_message_becomes_a_turn_of_its_own_after_the_answer_of_the_prompt(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    queued = stage.inject(session, "then this", "queue")
    assert queued.startswith("msg_inj_")
    call.answer("first")
    call = stage.call(session)
    assert call.users[-1] == "then this"
    assert "then this" not in call.users[:-1]
    call.answer("second")
    stage.wait_turn(session, queued)
    assert stage.reply(prompt)["result"] == {"stopReason": "end_turn"}
    assert stage.script(session) == ["first", "user: then this", "second"]
    assert stage.arrival_of_reply(prompt) < stage.arrival_of_echo(session, queued)


def test_a_queued_turn_is_framed(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    queued = stage.inject(session, "then this", "queue")
    call.answer("first")
    stage.reply(prompt)
    stage.call(session).answer("second")
    stage.wait_turn(session, queued)
    assert stage.frames(session) == [
        {"state": "running", "messageId": queued},
        {"state": "idle", "messageId": queued, "stopReason": "end_turn"},
    ]
    order = stage.tokens(session)
    running, idle = order.index(f"running {queued}"), order.index(f"idle {queued}")
    assert running < order.index("second") < idle
    assert order.index(f"user {queued}") < order.index("second")
    assert order.index("first") < running
    assert order[-1] == f"idle {queued}"


def test_a_prompted_turn_is_not_framed(stage: Stage):
    session = stage.new()
    stage.run(session, "go", "answer")
    assert stage.frames(session) == []


def test_a_queued_message_on_an_idle_session_starts_a_turn_at_once(stage: Stage):
    session = stage.new()
    queued = stage.inject(session, "start", "queue")
    call = stage.call(session)
    assert call.users == ["start"]
    call.answer("started")
    stage.wait_turn(session, queued)
    assert stage.script(session) == ["user: start", "started"]


def test_queued_messages_are_turns_in_their_order(stage: Stage):
    session = stage.new()
    ids = [stage.inject(session, f"q{number}", "queue") for number in range(4)]
    for number, message in enumerate(ids):
        call = stage.call(session)
        assert call.users[-1] == f"q{number}"
        call.answer(f"a{number}")
        stage.wait_turn(session, message)
    assert stage.script(session) == [line for number in range(4) for line in (f"user: q{number}", f"a{number}")]
    assert [frame["state"] for frame in stage.frames(session)] == ["running", "idle"] * 4


def test_steers_go_before_queued_messages(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    ids = {}
    for text, mode in (("qA", "queue"), ("sB", "steer"), ("qC", "queue"), ("sD", "steer")):
        ids[text] = stage.inject(session, text, mode)
    call.answer("a0")
    stage.call(session).answer("a1")
    stage.reply(prompt)
    stage.call(session).answer("a2")
    stage.call(session).answer("a3")
    stage.wait_turn(session, ids["qC"])
    assert [text for _, text in stage.echoes(session)] == ["sB", "sD", "qA", "qC"]
    assert stage.script(session) == ["a0", "user: sB", "user: sD", "a1", "user: qA", "a2", "user: qC", "a3"]


def test_a_steer_into_a_queued_turn(stage: Stage):
    session = stage.new()
    queued = stage.inject(session, "start", "queue")
    call = stage.call(session)
    stage.inject(session, "also", "steer")
    call.answer("a")
    stage.call(session).answer("b")
    stage.wait_turn(session, queued)
    assert stage.script(session) == ["user: start", "a", "user: also", "b"]
    assert len(stage.frames(session)) == 2


def test_prompts_and_queued_messages_share_one_line(stage: Stage):
    session = stage.new()
    prompts = [stage.prompt(session, "p0")]
    held = stage.call(session)
    prompts.append(stage.prompt(session, "p1"))
    stage.sync()
    queued = stage.inject(session, "q2", "queue")
    prompts.append(stage.prompt(session, "p3"))
    stage.sync()
    last = stage.inject(session, "q4", "queue")
    held.answer("a")
    for text in ("p1", "q2", "p3", "q4"):
        call = stage.call(session)
        assert call.users[-1] == text
        call.answer("a")
    stage.wait_turn(session, last)
    assert [stage.reply(prompt)["result"]["stopReason"] for prompt in prompts] == ["end_turn"] * 3
    assert [message for message, _ in stage.echoes(session)] == [queued, last]


def test_a_queued_turn_that_fails_ends_with_an_error(stage: Stage):
    session = stage.new()
    queued = stage.inject(session, "FAIL now", "queue")
    stage.wait_turn(session, queued)
    running, idle = stage.frames(session)
    assert running == {"state": "running", "messageId": queued}
    assert idle["state"] == "idle"
    assert "stopReason" not in idle
    assert idle["error"]["code"] == -32603
    assert "the script failed" in idle["error"]["message"]


# Cancel.


def test_cancel_keeps_what_waits(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    stage.call(session)
    queued = stage.inject(session, "later", "queue")
    steer = stage.inject(session, "sooner", "steer")
    stage.tell("session/cancel", sessionId=session)
    assert stage.reply(prompt)["result"] == {"stopReason": "cancelled"}
    call = stage.call(session)
    assert call.users[-1] == "sooner"
    call.answer("a")
    call = stage.call(session)
    assert call.users[-1] == "later"
    call.answer("b")
    stage.wait_turn(session, queued)
    assert stage.echoes(session) == [(steer, "sooner"), (queued, "later")]
    assert [frame["messageId"] for frame in stage.frames(session)] == [steer, steer, queued, queued]


def test_cancel_ends_a_queued_turn(stage: Stage):
    session = stage.new()
    first = stage.inject(session, "one", "queue")
    stage.call(session)
    second = stage.inject(session, "two", "queue")
    stage.tell("session/cancel", sessionId=session)
    stage.call(session).answer("b")
    stage.wait_turn(session, second)
    assert [(frame["messageId"], frame.get("stopReason")) for frame in stage.frames(session)] == [
        (first, None),
        (first, "cancelled"),
        (second, None),
        (second, "end_turn"),
    ]


def test_cancel_answers_prompts_in_line_and_keeps_queued_messages(stage: Stage):
    session = stage.new()
    prompts = [stage.prompt(session, "p0")]
    stage.call(session)
    prompts.append(stage.prompt(session, "p1"))
    stage.sync()
    queued = stage.inject(session, "q", "queue")
    stage.tell("session/cancel", sessionId=session)
    assert [stage.reply(prompt)["result"] for prompt in prompts] == [{"stopReason": "cancelled"}] * 2
    call = stage.call(session)
    assert call.users[-1] == "q"
    assert "p1" not in call.users
    call.answer("a")
    stage.wait_turn(session, queued)


def test_the_words_of_the_user_stay_after_a_cancelled_turn(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "remember the milk")
    stage.call(session)
    stage.tell("session/cancel", sessionId=session)
    stage.reply(prompt)
    prompt = stage.prompt(session, "what was it?")
    call = stage.call(session)
    assert "remember the milk" in call.users
    call.answer("milk")
    stage.reply(prompt)


# Revoke and replace.


def test_a_revoked_message_is_never_delivered(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    steer = stage.inject(session, "no steer", "steer")
    queued = stage.inject(session, "no queue", "queue")
    for message in (steer, queued, steer):
        assert stage.ask("session/revoke_inject", sessionId=session, messageId=message) == {}
    call.answer("a")
    stage.reply(prompt)
    stage.run(session, "again", "b")
    assert stage.echoes(session) == []
    assert stage.script(session) == ["a", "b"]


def test_a_replaced_message_keeps_id_mode_and_place(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    ids = [
        stage.inject(session, text, mode)
        for text, mode in (("s1", "steer"), ("s2", "steer"), ("q1", "queue"), ("q2", "queue"))
    ]
    for message, text in ((ids[0], "S1"), (ids[2], "Q1"), (ids[0], "S1!")):
        answer = stage.ask("session/replace_inject", sessionId=session, messageId=message, content=blocks(text))
        assert answer == {"messageId": message}
    rows = stage.ask("session/pending_injections", sessionId=session)["injections"]
    assert [(row["mode"], text_of(row["content"])) for row in rows] == [
        ("steer", "S1!"),
        ("steer", "s2"),
        ("queue", "Q1"),
        ("queue", "q2"),
    ]
    call.answer("a")
    for _ in range(3):
        stage.call(session).answer("b")
    stage.wait_turn(session, ids[3])
    stage.reply(prompt)
    assert stage.echoes(session) == list(zip(ids, ("S1!", "s2", "Q1", "q2"), strict=True))


def test_replay_shows_the_final_text_in_the_order_of_delivery(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    queued = stage.inject(session, "old words", "queue")
    steer = stage.inject(session, "steer", "steer")
    gone = stage.inject(session, "revoked", "queue")
    stage.ask("session/replace_inject", sessionId=session, messageId=queued, content=blocks("new words"))
    stage.ask("session/revoke_inject", sessionId=session, messageId=gone)
    call.answer("a")
    stage.call(session).answer("b")
    stage.call(session).answer("c")
    stage.wait_turn(session, queued)
    stage.reply(prompt)
    replay = stage.replay(session)
    assert stage.spoken(replay) == ["user: go", "a", "user: steer", "b", "user: new words", "c"]
    assert [line["messageId"] for line in replay if line["sessionUpdate"] == "user_message"][1:] == [steer, queued]
    assert replay[-1]["sessionUpdate"] == "session_info_update"
    assert "turn" not in replay[-1].get("_meta", {}).get("harn", {})


# Aliases and notifications.


@pytest.mark.parametrize("prefix", ["", "_", "_harn/"])
def test_aliases(stage: Stage, prefix):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    ids = [
        stage.ask(f"{prefix}session/inject", sessionId=session, mode="queue", content=blocks(text))["messageId"]
        for text in ("gone", "old")
    ]
    assert stage.ask(f"{prefix}session/revoke_inject", sessionId=session, messageId=ids[0]) == {}
    params = {"sessionId": session, "messageId": ids[1], "content": blocks("new")}
    assert stage.ask(f"{prefix}session/replace_inject", **params) == {"messageId": ids[1]}
    call.answer("a")
    stage.call(session).answer("b")
    stage.wait_turn(session, ids[1])
    stage.reply(prompt)
    assert stage.echoes(session) == [(ids[1], "new")]


@pytest.mark.parametrize(
    "method",
    ["harn/session/inject", "__session/inject", "_harn/_session/inject", "_harn/session/prompt", "session/Inject"],
)
def test_other_names_are_unknown(stage: Stage, method):
    error = stage.refused(method, sessionId="x", mode="queue", content=blocks("x"))
    assert error == {"code": -32601, "message": "Method not found", "data": {"method": method}}


def test_injects_as_notifications(stage: Stage):
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    stage.tell("session/inject", sessionId=session, mode="queue", content=blocks("gone"))
    stage.tell("session/inject", sessionId=session, mode="queue", content=blocks("old"))
    stage.tell("session/inject", sessionId=session, mode="steer", content=blocks("now"))
    rows = stage.ask("session/pending_injections", sessionId=session)["injections"]
    assert [text_of(row["content"]) for row in rows] == ["gone", "old", "now"]
    stage.tell("session/revoke_inject", sessionId=session, messageId=rows[0]["messageId"])
    stage.tell("_session/replace_inject", sessionId=session, messageId=rows[1]["messageId"], content=blocks("new"))
    stage.sync()
    call.answer("a")
    stage.call(session).answer("b")
    stage.call(session).answer("c")
    stage.wait_turn(session, rows[1]["messageId"])
    stage.reply(prompt)
    assert [text for _, text in stage.echoes(session)] == ["now", "new"]


def test_a_mistake_in_a_notification_is_one_line_on_stderr(stage: Stage):
    for number, params in enumerate(({"mode": "never"}, {"sessionId": "nothing"}, {"content": 7})):
        before = len(stage.stderr())
        stage.tell(
            "session/inject", **{"sessionId": stage.new(), "mode": "steer", "content": blocks(f"x{number}"), **params}
        )
        stage.sync()
        end = time.monotonic() + 60
        while len(stage.stderr()) == before and time.monotonic() < end:
            time.sleep(0.01)
        assert len(stage.stderr()) == before + 1


# state_update.


def test_state_updates_around_every_turn(stages):
    stage = stages({"_meta": {"harn": {"stateUpdate": True}}})
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    queued = stage.inject(session, "next", "queue")
    call.answer("a")
    stage.call(session).answer("b")
    stage.wait_turn(session, queued)
    stage.sync()
    states = [line for line in stage.lines(session) if line.get("sessionUpdate") == "state_update"]
    assert states == [
        {"sessionUpdate": "state_update", "state": "running"},
        {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"},
        {"sessionUpdate": "state_update", "state": "running"},
        {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"},
    ]
    first_idle = next(line for line in stage.arrivals(session) if line[1].get("state") == "idle")
    assert first_idle[0] < stage.arrival_of_reply(prompt)


def test_no_state_updates_by_default(stage: Stage):
    session = stage.new()
    stage.run(session, "go", "a")
    assert "state_update" not in stage.kinds(session)
