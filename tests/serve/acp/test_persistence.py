"""What a new process finds after `kill -9`, and two processes on one store."""

import os
import signal
import time

import pytest

from tests.serve.acp.stage import Stage, blocks, text_of


def reopened(stages, session, method="session/load", **options) -> Stage:
    """Start a new server and open a session in it."""
    stage = stages(**options)
    reply = stage.reply(stage.send(method, sessionId=session, cwd=stage.cwd, mcpServers=[]))
    assert reply["result"] == {}, reply
    return stage


def waiting_everything(stage: Stage, session):
    """Let a turn run and accept one of everything; return the ids in their order."""
    stage.prompt(session, "go")
    stage.call(session).begin("half an answer")
    stage.wait_update(session, "agent_message_chunk")
    return [
        stage.inject(session, "q1", "queue"),
        stage.remind(session, "r1", mode="finish_step", tags=["t"], dedupeKey="k", ttlTurns=3, _meta={"mine": 1}),
        stage.inject(session, "s1", "steer"),
        stage.remind(session, "r2", mode="interrupt_immediate", propagate="all", roleHint="developer"),
        stage.remind(session, "r3", mode="audit_only"),
        stage.inject(session, "q2", "queue"),
        stage.inject(session, "s2", "steer"),
    ]


def test_the_conversation_comes_back(stages):
    stage = stages()
    session = stage.new()
    prompt = stage.prompt(session, "first question")
    stage.call(session).use("look", text="let me see")
    stage.call(session).answer("first answer")
    stage.reply(prompt)
    stage.run(session, "second question", "second answer")
    before = stage.replay(session)
    stage.kill()
    stage = stages()
    after = stage.replay(session)
    assert after == before
    spoken = ["user: first question", "let me see", "first answer", "user: second question", "second answer"]
    assert stage.spoken(after) == spoken
    (tool,) = [update for update in after if update["sessionUpdate"] == "tool_call"]
    assert (tool["title"], tool["status"]) == ("look", "completed")
    assert not [update for update in after if update["sessionUpdate"] == "tool_call_update"]
    call = stage.run(session, "third question", "third answer")
    assert call.users == ["first question", "second question", "third question"]
    assert "seen" in call.seen
    assert "second answer" in call.seen


def test_the_prompt_of_an_answered_turn_is_replayed_with_all_blocks(stages):
    stage = stages()
    session = stage.new()
    content = [*blocks("look at"), {"type": "resource_link", "name": "n", "uri": "file:///n.md"}]
    prompt = stage.send("session/prompt", sessionId=session, prompt=content)
    stage.call(session).answer("a")
    stage.reply(prompt)
    stage.kill()
    stage = stages()
    replay = stage.replay(session)
    assert [update["content"] for update in replay if update["sessionUpdate"] == "user_message"] == [content]
    assert [update["content"] for update in replay if update["sessionUpdate"] == "user_message_chunk"] == content


def test_title_and_meta_come_back(stages):
    stage = stages()
    session = stage.new()
    prompt = stage.prompt(session, "  name   me  \nplease")
    stage.call(session).use("rename", title="A good name", branch="main")
    stage.call(session).answer("a")
    stage.reply(prompt)
    (row,) = stage.ask("session/list")["sessions"]
    assert (row["title"], row["_meta"]) == ("A good name", {"branch": "main"})
    stage.kill()
    stage = stages()
    assert stage.ask("session/list")["sessions"] == [row]
    last = stage.replay(session)[-1]
    assert last == {
        "sessionUpdate": "session_info_update",
        "title": "A good name",
        "updatedAt": row["updatedAt"],
        "_meta": {"branch": "main"},
    }


def test_the_first_title_comes_back(stages):
    stage = stages()
    session = stage.new()
    stage.run(session, "  fix   the\tbug \nplease", "a")
    stage.kill()
    assert reopened(stages, session).ask("session/list")["sessions"][0]["title"] == "fix the bug"


ENDS = [
    ("kill", "session/load"),
    ("close", "session/resume"),
    *(pytest.param(end, "session/load", marks=pytest.mark.slow) for end in ("close", "eof", "term")),
    *(pytest.param(end, "session/resume", marks=pytest.mark.slow) for end in ("kill", "eof", "term")),
]


@pytest.mark.parametrize(("end", "method"), ENDS)
def test_what_waits_comes_back_in_its_order(stages, end, method):
    stage = stages()
    session = stage.new()
    ids = waiting_everything(stage, session)
    rows = stage.pending(session)
    assert [row["id"] for row in rows] == ids
    if end == "kill":
        stage.kill()
    elif end == "close":
        stage.ask("session/close", sessionId=session)
    elif end == "eof":
        assert stage.client.finish() == 0
    else:
        stage.client.kill(signal.SIGTERM)
        assert stage.client.wait() == 0
    stage = reopened(stages, session, method)
    assert stage.pending(session) == rows
    time.sleep(0.1)
    assert stage.model.waiting(session) is None, "loading has started a turn"
    if method == "session/resume":
        assert stage.lines(session) == []
    start = len(stage.client.lines)
    prompt = stage.prompt(session, "new prompt")
    call = stage.call(session)
    assert call.users[-5:] == ["q1", "s1", "q2", "s2", "new prompt"]
    assert call.reminders == ["r2", "r1"]
    assert [row["id"] for row in stage.pending(session)] == [ids[4]]
    call.answer("a")
    stage.reply(prompt)
    assert stage.pending(session) == []
    live = [line.update for line in stage.client.lines[start:] if line.update]
    assert [text_of(update["content"]) for update in live if update["sessionUpdate"] == "user_message"] == [
        "q1",
        "s1",
        "q2",
        "s2",
    ]
    kinds = [update["sessionUpdate"] for update in live]
    assert kinds.index("agent_message_chunk") > max(at for at, kind in enumerate(kinds) if kind == "user_message")
    emitted = [update for update in live if update["sessionUpdate"] == "reminder_emitted"]
    assert [update["reminderId"] for update in emitted] == [ids[3], ids[1]]
    assert emitted[1]["_meta"]["mine"] == 1
    assert emitted[1]["source"] == "host"
    users = stage.spoken_users(stage.replay(session))
    assert users[-5:] == ["user: q1", "user: s1", "user: q2", "user: s2", "user: new prompt"]
    assert stage.model.waiting(session) is None


def test_each_line_is_stored_before_it_is_acknowledged(stages):
    stage = stages()
    session = stage.new()
    prompt = stage.prompt(session, "go")
    stage.call(session)
    for number in range(2):
        name = stage.remind(session, f"r{number}")
        message = stage.inject(session, f"q{number}", "queue")
        stage.kill()
        stage = reopened(stages, session, "session/resume")
        assert [row["id"] for row in stage.pending(session)][-2:] == [name, message]
        stage.ask("session/revoke_inject", sessionId=session, messageId=message)
        stage.kill()
        stage = reopened(stages, session, "session/resume")
        assert name in [row["id"] for row in stage.pending(session)]
        assert message not in [row["id"] for row in stage.pending(session)]
        prompt = stage.prompt(session, f"go {number}")
        call = stage.call(session)
        assert f"q{number}" not in call.users
    del prompt


def test_replacements_come_back(stages):
    stage = stages()
    session = stage.new()
    stage.prompt(session, "go")
    stage.call(session)
    first, second = stage.inject(session, "old", "queue"), stage.inject(session, "second", "queue")
    stage.ask("session/replace_inject", sessionId=session, messageId=first, content=blocks("new"))
    stage.kill()
    stage = reopened(stages, session)
    assert [(row["id"], text_of(row["content"])) for row in stage.pending(session)] == [
        (first, "new"),
        (second, "second"),
    ]
    stage.ask("session/replace_inject", sessionId=session, messageId=second, content=blocks("newer"))
    call = stage.run(session, "now", "a")
    assert call.users[-3:] == ["new", "newer", "now"]


def test_fates_are_remembered(stages):
    stage = stages()
    session = stage.new()
    prompt = stage.prompt(session, "go")
    call = stage.call(session)
    revoked, delivered = stage.inject(session, "no", "queue"), stage.inject(session, "yes", "steer")
    gone, seen = stage.remind(session, "gone"), stage.remind(session, "seen", id="seen", dedupeKey="k")
    stage.ask("session/revoke_inject", sessionId=session, messageId=revoked)
    stage.ask("session/revoke_reminder", sessionId=session, reminderId=gone)
    call.answer("a")
    stage.call(session).answer("b")
    stage.reply(prompt)
    stage.kill()
    stage = reopened(stages, session)
    assert stage.ask("session/revoke_inject", sessionId=session, messageId=revoked) == {}
    for method, params in (("session/revoke_inject", {}), ("session/replace_inject", {"content": blocks("x")})):
        error = stage.refused(method, sessionId=session, messageId=delivered, **params)
        assert error["data"] == {"reason": "already_delivered", "messageId": delivered}
    error = stage.refused("session/replace_inject", sessionId=session, messageId=revoked, content=blocks("x"))
    assert error["data"] == {"reason": "already_revoked", "messageId": revoked}
    result = stage.ask("session/revoke_reminder", sessionId=session, reminderId=gone)
    assert result == {"reminderId": gone, "status": "already_revoked"}
    error = stage.refused("session/revoke_reminder", sessionId=session, reminderId=seen)
    assert error["data"] == {"reason": "already_delivered", "reminderId": seen}
    answer = stage.ask("session/remind", sessionId=session, body="seen", id="seen", dedupeKey="k")
    assert answer == {"reminderId": "seen", "dedupedCount": 0}
    assert stage.refused("session/remind", sessionId=session, body="other", id="seen")["code"] == -32602
    assert stage.pending(session) == []


def test_a_reminder_in_the_transcript_keeps_its_ttl(stages):
    stage = stages()
    session = stage.new()
    stage.remind(session, "two", ttlTurns=2, _meta={"mine": 1})
    stage.remind(session, "stays", dedupeKey="k")
    assert stage.run(session, "one", "a").reminders == ["two", "stays"]
    stage.kill()
    stage = reopened(stages, session)
    assert stage.ask("session/remind", sessionId=session, body="n", dedupeKey="k")["dedupedCount"] == 1
    assert stage.run(session, "two", "a").reminders == ["two", "n"]
    emitted = stage.of_kind(session, "reminder_emitted")
    assert emitted[0]["_meta"]["mine"] == 1
    assert emitted[0]["source"] == "host"
    assert [update["phase"] for update in stage.of_kind(session, "reminder_expired")] == ["ttl_expired"]
    stage.kill()
    stage = reopened(stages, session)
    assert stage.run(session, "three", "a").reminders == ["n"]


def test_a_killed_turn_is_not_repeated(stages):
    stage = stages()
    session = stage.new()
    stage.prompt(session, "go")
    stage.call(session).begin("half")
    stage.wait_update(session, "agent_message_chunk")
    stage.kill()
    stage = reopened(stages, session)
    time.sleep(0.1)
    assert stage.model.waiting(session) is None
    assert stage.run(session, "again", "a").users[-1] == "again"


def test_a_queue_of_an_idle_session_after_a_restart_takes_the_waiting_ones_along(stages):
    stage = stages()
    session = stage.new()
    stage.prompt(session, "go")
    stage.call(session)
    waiting = stage.inject(session, "waited", "queue")
    stage.kill()
    stage = reopened(stages, session)
    message = stage.inject(session, "wake up", "queue")
    stage.settle(session)
    echoes = [echo for echo in stage.echoes(session) if echo[1] != "go"]
    assert echoes == [(waiting, "waited"), (message, "wake up")]


# Two processes.


def test_a_session_is_open_in_one_process(stages):
    one, two = stages(), stages()
    session = one.new()
    one.run(session, "go", "a")
    for method in ("session/load", "session/resume"):
        error = two.refused(method, sessionId=session, cwd=two.cwd, mcpServers=[])
        assert (error["code"], error["message"]) == (-32011, "Session in use")
        assert one.ask(method, sessionId=session, cwd=one.cwd, mcpServers=[]) == {}
    for method, params in (
        ("session/inject", {"mode": "queue", "content": blocks("x")}),
        ("session/remind", {"body": "b"}),
        ("session/pending_injections", {}),
    ):
        error = two.refused(method, sessionId=session, **params)
        assert (error["code"], error["data"]["reason"]) == (-32002, "unknown_session")
    assert [row["sessionId"] for row in two.ask("session/list")["sessions"]] == [session]
    one.ask("session/close", sessionId=session)
    assert two.load(session)["result"] == {}
    assert one.refused("session/load", sessionId=session, cwd=one.cwd, mcpServers=[])["code"] == -32011
    two.kill()
    assert one.load(session)["result"] == {}


def test_two_processes_work_side_by_side(stages):
    one, two = stages(), stages()
    sessions = [one.new(), two.new()]
    for number in range(5):
        for stage, session in zip((one, two), sessions, strict=True):
            stage.remind(session, f"r{number}", ttlTurns=1)
            assert stage.run(session, f"p{number}", "a").reminders == [f"r{number}"]
    listed = [row["sessionId"] for row in one.ask("session/list")["sessions"]]
    assert sorted(listed) == sorted(sessions)
    assert listed == [row["sessionId"] for row in two.ask("session/list")["sessions"]]


def test_the_folder_must_be_the_same(stages, tmp_path):
    stage = stages()
    session = stage.new()
    stage.run(session, "go", "a")
    stage.kill()
    stage = stages()
    other, link = tmp_path / "other", tmp_path / "link"
    other.mkdir()
    link.symlink_to(tmp_path)
    for method in ("session/load", "session/resume"):
        error = stage.refused(method, sessionId=session, cwd=str(other), mcpServers=[])
        assert error["code"] == -32602
        assert error["data"] == {"reason": "cwd_mismatch", "expected": os.fspath(tmp_path)}
    assert stage.load(session, cwd=str(link))["result"] == {}


def test_sessions_without_messages_are_not_listed_after_the_process(stages):
    stage = stages()
    empty, used = stage.new(), stage.new()
    stage.run(used, "go", "a")
    assert {row["sessionId"] for row in stage.ask("session/list")["sessions"]} == {empty, used}
    stage.kill()
    stage = stages()
    assert [row["sessionId"] for row in stage.ask("session/list")["sessions"]] == [used]


def test_unknown_and_deleted_sessions(stages):
    stage = stages()
    session = stage.new()
    stage.run(session, "go", "a")
    stage.ask("session/delete", sessionId=session)
    stage.kill()
    stage = stages()
    for name in (session, "nothing"):
        for method in ("session/load", "session/resume"):
            error = stage.refused(method, sessionId=name, cwd=stage.cwd, mcpServers=[])
            assert error["code"] == -32002
    assert stage.ask("session/list") == {"sessions": []}


def test_memory_keeps_nothing(stages):
    stage = stages(store=":memory:")
    session = stage.new()
    stage.run(session, "go", "a")
    stage.kill()
    stage = stages(store=":memory:")
    assert stage.refused("session/load", sessionId=session, cwd=stage.cwd, mcpServers=[])["code"] == -32002


def test_a_session_that_is_not_open_is_unknown_until_it_is_loaded(stages):
    stage = stages()
    session = stage.new()
    waiting_everything(stage, session)
    stage.kill()
    stage = stages()
    assert stage.refused("session/pending_injections", sessionId=session)["code"] == -32002
    assert stage.refused("session/pending_injections")["code"] == -32002
    assert stage.refused("session/prompt", sessionId=session, prompt=blocks("x"))["code"] == -32002


def many_sessions(stages, count):
    """Give many sessions a waiting message and a waiting reminder; find them in the same and in a new process."""
    stage = stages()
    expected = {}
    for number in range(count):
        session = stage.new()
        prompt = stage.prompt(session, f"go {number}")
        stage.call(session)
        ids = [stage.inject(session, f"q{number}", "queue"), stage.remind(session, f"r{number}", ttlTurns=1)]
        stage.ask("session/close", sessionId=session)
        assert stage.reply(prompt)["result"] == {"stopReason": "cancelled"}
        assert stage.ask("session/resume", sessionId=session, cwd=stage.cwd) == {}
        expected[session] = ids
    for session, ids in expected.items():
        assert [row["id"] for row in stage.pending(session)] == ids
    stage.kill()
    stage = stages()
    for session in expected:
        assert stage.ask("session/resume", sessionId=session, cwd=stage.cwd) == {}
    for number, (session, ids) in enumerate(expected.items()):
        assert [row["id"] for row in stage.pending(session)] == ids
        call = stage.run(session, "now", "a")
        assert call.users[-2:] == [f"q{number}", "now"]
        assert call.users[0] == f"go {number}"
        assert call.reminders == [f"r{number}"]
        assert stage.pending(session) == []


def test_many_sessions(stages):
    many_sessions(stages, 8)


@pytest.mark.slow
def test_more_sessions_than_fit_in_memory(stages):
    many_sessions(stages, 300)


@pytest.mark.slow
def test_all_pages_of_the_list(stages):
    stage = stages()
    sessions = []
    for number in range(120):
        sessions.append(stage.new())
        stage.run(sessions[-1], f"p{number}", "a")
    stage.kill()
    stage = stages()
    found, params = [], {}
    while True:
        page = stage.ask("session/list", **params)
        found += [row["sessionId"] for row in page["sessions"]]
        if "nextCursor" not in page:
            break
        assert len(page["sessions"]) == 50
        params = {"cursor": page["nextCursor"]}
    assert found == sessions[::-1]
