"""Sessions: new, load, resume, list, close, delete."""

import os
import re

import pytest

from tests.serve.acp_client import is_update, prompt_params
from tests.serve.models import ToolCall

UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
STDIO = {"name": "files", "command": "/nonexistent/mcp-server", "args": [], "env": []}


def test_a_new_session_has_a_uuid(client, folder):
    answers = [client.request("session/new", {"cwd": folder, "mcpServers": []}) for _ in range(3)]
    assert all(set(answer) == {"sessionId"} and UUID7.fullmatch(answer["sessionId"]) for answer in answers)
    assert len({answer["sessionId"] for answer in answers}) == 3


WRONG_FOLDERS = [
    None,
    1,
    True,
    [],
    {},
    "",
    ".",
    "src",
    "~",
    "./x",
    "../x",
    "/no/such/folder",
    "file:///tmp",
    "/dev/null",
]


@pytest.mark.parametrize("cwd", WRONG_FOLDERS)
def test_a_session_needs_an_absolute_folder(client, cwd):
    error = client.error("session/new", {"cwd": cwd, "mcpServers": []})
    assert (error["code"], error["message"]) == (-32602, "Invalid params")
    assert error["data"]["reason"] == "invalid_cwd"


def test_a_missing_folder(client):
    error = client.error("session/new", {"mcpServers": []})
    assert (error["code"], error["data"]["reason"]) == (-32602, "invalid_cwd")
    assert client.error("session/new")["code"] == -32602


@pytest.mark.parametrize(
    "servers", [[], [STDIO], [{**STDIO, "type": "stdio"}], [STDIO, {**STDIO, "name": "more", "_meta": {"a": 1}}]]
)
def test_stdio_servers_are_accepted(client, folder, servers):
    session = client.new_session(folder, mcpServers=servers)
    assert client.prompt(session, "return null") == {"stopReason": "end_turn"}


def test_absent_servers_are_none(client, folder):
    assert client.request("session/new", {"cwd": folder})["sessionId"]


@pytest.mark.parametrize("kind", ["http", "sse"])
def test_other_transports_are_not_supported(client, folder, kind):
    servers = [STDIO, {"type": kind, "name": "far", "url": "https://example.com/mcp", "headers": []}]
    error = client.error("session/new", {"cwd": folder, "mcpServers": servers})
    assert (error["code"], error["data"]["reason"]) == (-32602, "unsupported_mcp_transport")


@pytest.mark.parametrize("servers", ["x", 1, {}, True, ["x"], [1], [{}], [{"name": "x"}], [{"command": "x"}]])
def test_wrong_servers(client, folder, servers):
    assert client.error("session/new", {"cwd": folder, "mcpServers": servers})["code"] == -32602


def test_a_server_that_cannot_be_started_is_one_line_on_stderr(start, tmp_path, model):
    client = start("pipeline main(task) {\n  return agent_loop(task)\n}\n")
    session = client.new_session(tmp_path, mcpServers=[STDIO])
    assert client.prompt(session, "hello") == {"stopReason": "end_turn"}
    client.wait_for_stderr("files")
    assert len([line for line in client.stderr.splitlines() if "files" in line]) == 1


def test_additional_directories_are_ignored(client, folder):
    assert client.new_session(folder, additionalDirectories=["/etc"])


# --- load and resume


@pytest.fixture
def spoken(client, folder, model):
    """Return a session with one turn: a thought is missing, a tool and two texts are there."""
    session = client.new_session(folder)
    model.queue("I look.", ToolCall("look", {"path": "a.py"}, id="call_1"))
    model.queue("There is ", "a tree.")
    client.prompt(session, "What is there?", "Look.")
    return session


def replayed(client, session, folder, method="session/load"):
    """Return the updates between the request and its answer, and the answer."""
    after = client.sync()
    line = client.call(method, {"sessionId": session, "cwd": folder, "mcpServers": []})
    updates = [one.update for one in client.lines[after + 1 : line.index]]
    assert client.sync() == line.index + 1, "nothing follows the answer"
    return updates, line


def test_a_load_replays_the_conversation_before_it_answers(client, spoken, folder):
    updates, line = replayed(client, spoken, folder)
    assert line["result"] == {}
    kinds = [update["sessionUpdate"] for update in updates]
    assert kinds == [
        "user_message_chunk",
        "user_message_chunk",
        "user_message",
        "agent_message_chunk",
        "tool_call",
        "agent_message_chunk",
        "session_info_update",
    ]
    first, second, whole, said, call, text, info = updates
    assert first["content"] == {"type": "text", "text": "What is there?"}
    assert second["content"] == {"type": "text", "text": "Look."}
    assert whole["content"] == [first["content"], second["content"]]
    assert first["messageId"] == second["messageId"] == whole["messageId"]
    assert said["content"] == {"type": "text", "text": "I look."}
    assert (call["toolCallId"], call["title"], call["status"]) == ("call_1", "look", "completed")
    assert (call["kind"], call["rawInput"]) == ("other", {"path": "a.py"})
    assert text["content"] == {"type": "text", "text": "There is a tree."}
    assert text["messageId"] != said["messageId"]
    assert info["title"].startswith("What is there?")
    assert TIME.fullmatch(info["updatedAt"])


def test_the_replay_has_the_message_ids_of_the_live_updates(client, spoken, folder):
    live = {update["messageId"] for update in client.updates(spoken, "agent_message_chunk")}
    updates, _ = replayed(client, spoken, folder)
    assert {u["messageId"] for u in updates if u["sessionUpdate"] == "agent_message_chunk"} == live


def test_a_resume_replays_nothing(client, spoken, folder):
    assert replayed(client, spoken, folder, "session/resume")[0] == []
    line = client.call("session/resume", {"sessionId": spoken, "cwd": folder})
    assert line["result"] == {}


def test_a_load_of_a_session_without_messages(client, session, folder):
    updates, line = replayed(client, session, folder)
    assert line["result"] == {}
    assert [update["sessionUpdate"] for update in updates] == ["session_info_update"]


def test_a_replay_has_no_reminders_and_nothing_that_waits(client, session, folder, model):
    client.request("session/inject_reminder", {"sessionId": session, "body": "Seen.", "ttlTurns": 1})
    client.prompt(session, "hello")
    client.request("session/inject_reminder", {"sessionId": session, "body": "Not yet seen."})
    updates, _ = replayed(client, session, folder)
    assert "een." not in str(updates)
    assert not [update for update in updates if update["sessionUpdate"].startswith("reminder")]


@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.parametrize("method", ["session/load", "session/resume"])
def test_a_conversation_continues(client, spoken, folder, model, method, is_closed):
    if is_closed:
        client.request("session/close", {"sessionId": spoken})
        assert client.error("session/prompt", prompt_params(spoken, "x"))["code"] == -32002
    replayed(client, spoken, folder, method)
    model.queue("Green.")
    client.prompt(spoken, "Which colour?")
    messages = model.requests[-1]["messages"]
    text = str(messages)
    assert "What is there?" in text
    assert "There is a tree." in text
    assert "Which colour?" in text


UNKNOWN = ["nothing", "", "0190a5b2-0000-7000-8000-000000000000", "ä", "../../etc/passwd", "' OR 1=1 --"]


@pytest.mark.parametrize("id", UNKNOWN)
@pytest.mark.parametrize("method", ["session/load", "session/resume", "session/prompt", "session/close"])
def test_an_unknown_session(client, folder, method, id):  # noqa: A002
    params = {"sessionId": id, "cwd": folder, "mcpServers": [], "prompt": [{"type": "text", "text": "x"}]}
    error = client.error(method, params)
    assert (error["code"], error["message"]) == (-32002, "Resource not found")
    assert error["data"] == {"reason": "unknown_session", "sessionId": id}


@pytest.mark.parametrize("id", [None, 1, True, [], {}])
@pytest.mark.parametrize(
    "method", ["session/load", "session/resume", "session/prompt", "session/close", "session/delete"]
)
def test_a_session_id_is_a_string(client, folder, method, id):  # noqa: A002
    params = {"sessionId": id, "cwd": folder, "mcpServers": [], "prompt": [{"type": "text", "text": "x"}]}
    assert client.error(method, params)["code"] == -32602
    del params["sessionId"]
    assert client.error(method, params)["code"] == -32602


@pytest.mark.parametrize("method", ["session/load", "session/resume"])
def test_another_folder_is_a_mismatch(client, spoken, folder, tmp_path, method):
    error = client.error(method, {"sessionId": spoken, "cwd": str(tmp_path), "mcpServers": []})
    assert error["code"] == -32602
    assert error["data"] == {"reason": "cwd_mismatch", "expected": folder}
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert client.request(method, {"sessionId": spoken, "cwd": str(link), "mcpServers": []}) == {}
    assert client.request(method, {"sessionId": spoken, "cwd": folder + "/", "mcpServers": []}) == {}


@pytest.mark.parametrize("method", ["session/load", "session/resume"])
@pytest.mark.parametrize("cwd", [None, "x", "/no/such/folder", 1])
def test_the_folder_of_a_load_must_exist(client, spoken, method, cwd):
    assert client.error(method, {"sessionId": spoken, "cwd": cwd, "mcpServers": []})["code"] == -32602


# --- list


def listed(client, **params):
    return client.request("session/list", params)


def test_no_session_is_an_empty_list(start):
    assert start().request("session/list", {}) == {"sessions": []}


def test_the_rows_of_a_list(client, spoken, folder):
    row = next(row for row in listed(client)["sessions"] if row["sessionId"] == spoken)
    assert row["cwd"] == folder
    assert row["title"].startswith("What is there?")
    assert TIME.fullmatch(row["updatedAt"])
    assert set(row) <= {"sessionId", "cwd", "title", "updatedAt", "_meta"}


def test_open_sessions_are_listed_and_closed_ones_with_messages(client, session, spoken, folder):
    client.request("session/close", {"sessionId": spoken})
    found = [row["sessionId"] for row in listed(client, cwd=folder)["sessions"]]
    assert {session, spoken} <= set(found)
    client.request("session/close", {"sessionId": session})
    found = [row["sessionId"] for row in listed(client, cwd=folder)["sessions"]]
    assert session not in found
    assert spoken in found


def test_the_newest_is_first(client, folder):
    sessions = [client.new_session(folder) for _ in range(3)]
    for session in (sessions[1], sessions[0], sessions[2]):
        client.prompt(session, "nap 5")
    found = [row["sessionId"] for row in listed(client)["sessions"] if row["sessionId"] in sessions]
    assert found == [sessions[2], sessions[0], sessions[1]]


def test_the_folder_filters_exactly(client, spoken, folder, tmp_path):
    other = client.new_session(tmp_path)
    client.prompt(other, "return null")
    assert [row["sessionId"] for row in listed(client, cwd=str(tmp_path))["sessions"]] == [other]
    assert other not in [row["sessionId"] for row in listed(client, cwd=folder)["sessions"]]
    assert listed(client, cwd=os.path.dirname(tmp_path)) == {"sessions": []}
    assert listed(client, cwd="/no/such/folder") == {"sessions": []}


def test_pages_of_fifty(start, tmp_path):
    client = start()
    sessions = {client.new_session(tmp_path) for _ in range(120)}
    for session in sorted(sessions)[:110:10]:
        client.prompt(session, "return null")
    sizes, found, cursor = [], [], None
    while True:
        page = listed(client, **({"cursor": cursor} if cursor else {}))
        sizes.append(len(page["sessions"]))
        found += [row["sessionId"] for row in page["sessions"]]
        cursor = page.get("nextCursor")
        if cursor is None:
            assert "nextCursor" not in page
            break
    assert sizes == [50, 50, 20]
    assert set(found) == sessions


@pytest.mark.parametrize("cursor", ["x", "", "50", "AAAA", "eyJhIjoxfQ==", "ä", 1, True, {}])
def test_a_cursor_of_strangers(client, cursor):
    error = client.error("session/list", {"cursor": cursor})
    assert error["code"] == -32602
    if isinstance(cursor, str):
        assert error["data"] == {"reason": "invalid_cursor"}


def test_a_cursor_and_a_folder_may_be_null(client, spoken):
    assert listed(client, cursor=None, cwd=None)["sessions"]


# --- close and delete


def test_close_cancels_the_running_turn_first(client, session, model):
    held = model.queue("never", hold=True)
    prompt = client.start_prompt(session, "hello")
    held.wait()
    close = client.send_request("session/close", {"sessionId": session})
    answer = client.answer(close)
    assert answer["result"] == {}
    assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}
    assert client.answer(prompt).index < answer.index
    held.wait_gone()
    error = client.error("session/close", {"sessionId": session})
    assert (error["code"], error["data"]["reason"]) == (-32002, "unknown_session")


def test_close_answers_prompts_in_line_too(client, session, model):
    held = model.queue("never", hold=True)
    prompts = [client.start_prompt(session, "one"), client.start_prompt(session, "two")]
    held.wait()
    close = client.call("session/close", {"sessionId": session})
    for prompt in prompts:
        assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}
        assert client.answer(prompt).index < close.index
    client.sync()
    assert len(model.requests) == 1


@pytest.mark.parametrize("is_open", [True, False])
def test_a_deleted_session_is_gone(client, spoken, folder, is_open):
    if not is_open:
        client.request("session/close", {"sessionId": spoken})
    assert client.request("session/delete", {"sessionId": spoken}) == {}
    assert spoken not in [row["sessionId"] for row in listed(client, cwd=folder)["sessions"]]
    for method in ("session/load", "session/resume"):
        error = client.error(method, {"sessionId": spoken, "cwd": folder, "mcpServers": []})
        assert (error["code"], error["data"]["reason"]) == (-32002, "unknown_session")
    assert client.request("session/delete", {"sessionId": spoken}) == {}


def test_delete_of_an_unknown_id(client):
    assert client.request("session/delete", {"sessionId": "nothing"}) == {}


def test_delete_cancels_the_running_turn(client, session, model):
    held = model.queue("never", hold=True)
    prompt = client.start_prompt(session, "hello")
    held.wait()
    line = client.call("session/delete", {"sessionId": session})
    assert line["result"] == {}
    assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}
    assert client.answer(prompt).index < line.index


def test_a_load_while_a_turn_runs(client, session, folder, model):
    held = model.queue("slow answer", hold=True)
    prompt = client.start_prompt(session, "hello")
    held.wait()
    updates, _ = replayed(client, session, folder)
    assert [u["sessionUpdate"] for u in updates][:2] == ["user_message_chunk", "user_message"]
    held.release()
    assert client.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert client.matching(is_update("agent_message_chunk", session))


def test_two_servers_do_not_share_a_session(start, tmp_path):
    store = str(tmp_path / "store.db")
    first = start(store=store)
    session = first.new_session(tmp_path)
    first.prompt(session, "return null")
    second = start(store=store)
    params = {"sessionId": session, "cwd": str(tmp_path), "mcpServers": []}
    for method in ("session/load", "session/resume"):
        assert second.error(method, params)["code"] == -32011
    assert second.error("session/load", params)["message"] == "Session in use"
    assert session in [row["sessionId"] for row in listed(second)["sessions"]]
    first.request("session/close", {"sessionId": session})
    assert second.request("session/load", params) == {}
    assert first.error("session/load", params)["code"] == -32011
