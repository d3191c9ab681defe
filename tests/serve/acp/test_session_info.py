"""session_info_update: titles, times, and what scripts send, live and in the list."""

import json
import re

import pytest

from tests.serve.acp_client import prompt_params, text_block

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def infos(client, session, after=-1):
    """Return the session_info_updates of a session without their discriminator."""
    found = client.updates(session, "session_info_update", after)
    return [{key: value for key, value in update.items() if key != "sessionUpdate"} for update in found]


def row(client, session):
    found = client.request("session/list", {})["sessions"]
    return next(one for one in found if one["sessionId"] == session)


def titles(client, session):
    return [info["title"] for info in infos(client, session) if "title" in info]


TITLES = {
    "a line": ("Fix the build", "Fix the build"),
    "several lines": ("Fix the build\nand the tests", "Fix the build"),
    "spaces": ("  Fix \t the   build  ", "Fix the build"),
    "80 characters": ("x" * 80, "x" * 80),
    "81 characters": ("x" * 81, "x" * 79 + "…"),
    "many characters": ("ä" * 500, "ä" * 79 + "…"),
    "code points outside of the BMP": ("😀" * 80, "😀" * 80),
    "more code points outside of the BMP": ("😀" * 81, "😀" * 79 + "…"),
    "carriage returns": ("Fix the build\r\nnow", "Fix the build"),
}


@pytest.mark.parametrize(("text", "title"), TITLES.values(), ids=TITLES)
def test_the_first_prompt_gives_a_title(client, session, text, title):
    client.prompt(session, text)
    assert titles(client, session) == [title]
    assert row(client, session)["title"] == title


def test_later_prompts_keep_the_title(client, session):
    client.prompt(session, "one")
    client.prompt(session, "two")
    assert titles(client, session) == ["one"]


def test_blank_lines_before_the_title(client, session):
    client.prompt(session, "\n\n  \nFix the build\nnow")
    assert titles(client, session) in (["Fix the build"], [])


def test_every_turn_ends_with_a_time(client, session):
    for n in range(3):
        after = len(client.lines) - 1
        line = client.call("session/prompt", prompt_params(session, f"nap {n + 2}"))
        found = infos(client, session, after)
        assert TIME.fullmatch(found[-1]["updatedAt"])
        assert client.lines[line.index - 1].update["sessionUpdate"] == "session_info_update"
    times = [info["updatedAt"] for info in infos(client, session) if "updatedAt" in info]
    assert len(times) == 3
    assert times == sorted(times)
    assert row(client, session)["updatedAt"] == times[-1]


def test_a_cancelled_and_a_failed_turn_end_with_a_time(client, session):
    client.error("session/prompt", prompt_params(session, "throw it"))
    prompt = client.start_prompt(session, "nap 60000")
    client.sync()
    client.notify("session/cancel", {"sessionId": session})
    client.answer(prompt)
    assert len([info for info in infos(client, session) if "updatedAt" in info]) == 2


def send(client, session, payload):
    """Let the script send a payload; return the updates of this turn without their times."""
    after = len(client.lines) - 1
    client.prompt(session, f"info {json.dumps(payload)}")
    found = [
        {key: value for key, value in info.items() if key != "updatedAt"} for info in infos(client, session, after)
    ]
    return [info for info in found if info]


@pytest.fixture
def titled(client, session):
    client.prompt(session, "return null")
    return session


def test_what_a_script_sends(client, titled):
    payload = {"title": "Debug authentication timeout", "_meta": {"branch": "main"}}
    assert send(client, titled, payload) == [payload]
    assert row(client, titled)["title"] == "Debug authentication timeout"
    assert row(client, titled)["_meta"] == {"branch": "main"}


def test_only_changed_keys_are_sent(client, titled):
    send(client, titled, {"title": "A", "_meta": {"a": 1}})
    assert send(client, titled, {"title": "A", "_meta": {"b": 2}}) == [{"_meta": {"b": 2}}]
    assert send(client, titled, {"title": "B"}) == [{"title": "B"}]


def test_null_clears_a_title(client, titled):
    send(client, titled, {"title": "A"})
    assert send(client, titled, {"title": None}) == [{"title": None}]
    assert row(client, titled).get("title") is None


@pytest.mark.parametrize(("size", "kept"), [(500, 500), (501, 500), (5000, 500)])
def test_titles_of_scripts_are_cut(client, titled, size, kept):
    (info,) = send(client, titled, {"title": "t" * size})
    assert len(info["title"]) == kept
    assert info["title"].startswith("t" * 490)
    assert row(client, titled)["title"] == info["title"]


MERGES = [
    ({"a": {"b": 1, "c": [1, 2]}}, {"a": {"b": 1, "c": [1, 2]}}),
    ({"a": {"c": [3]}}, {"a": {"b": 1, "c": [3]}}),
    ({"a": {"d": {"e": 5}}}, {"a": {"b": 1, "c": [3], "d": {"e": 5}}}),
    ({"a": {"b": None}}, {"a": {"c": [3], "d": {"e": 5}}}),
    ({"f": "g"}, {"a": {"c": [3], "d": {"e": 5}}, "f": "g"}),
    ({"a": 1}, {"a": 1, "f": "g"}),
    ({"a": {"h": 2}}, {"a": {"h": 2}, "f": "g"}),
    ({"a": None, "f": None, "what": None}, None),
    ({"traceparent": "00-1"}, {"traceparent": "00-1"}),
    (None, None),
]


def test_meta_merges_recursively(client, titled):
    for change, stored in MERGES:
        send(client, titled, {"_meta": change})
        assert (row(client, titled).get("_meta") or None) == stored, change


def test_a_number_and_a_boolean_are_different(client, titled):
    for value in (True, 1, 1.5, "1", [1], [True]):
        client.prompt(titled, f"info {json.dumps({'_meta': {'a': {'b': value}}})}")
        assert json.dumps(row(client, titled)["_meta"]) == json.dumps({"a": {"b": value}})


def test_a_secret_in_the_first_prompt_is_redacted_in_the_title(client, session):
    client.prompt(session, "Use password=hunter2hunter2 to log in")
    assert titles(client, session) == ["Use password=[redacted] to log in"]
    assert row(client, session)["title"] == "Use password=[redacted] to log in"


def test_the_change_is_sent_and_the_result_is_listed(client, titled):
    send(client, titled, {"_meta": {"a": {"b": 1}}})
    assert send(client, titled, {"_meta": {"a": {"c": 2}}}) == [{"_meta": {"a": {"c": 2}}}]
    assert send(client, titled, {"_meta": {"a": {"b": None}}}) == [{"_meta": {"a": {"b": None}}}]
    assert send(client, titled, {"_meta": None}) == [{"_meta": None}]


def test_the_key_harn_is_ours(client, titled):
    assert send(client, titled, {"_meta": {"harn": {"turn": 1}, "a": 1}}) == [{"_meta": {"a": 1}}]
    assert row(client, titled)["_meta"] == {"a": 1}
    assert send(client, titled, {"_meta": {"harn": {"turn": 1}}}) == []


def test_a_load_sends_what_is_stored(client, titled, folder):
    send(client, titled, {"title": "A", "_meta": {"a": {"b": 1}}})
    send(client, titled, {"_meta": {"a": {"c": 2}}})
    client.request("session/close", {"sessionId": titled})
    after = client.sync()
    client.request("session/load", {"sessionId": titled, "cwd": folder, "mcpServers": []})
    (info,) = infos(client, titled, after)
    assert info["title"] == "A"
    assert info["_meta"] == {"a": {"b": 1, "c": 2}}
    assert TIME.fullmatch(info["updatedAt"])


def test_secrets_in_a_title_of_a_script_are_redacted(client, titled):
    (info,) = send(client, titled, {"title": "use Bearer abcdefghijklmnop"})
    assert "abcdefghijklmnop" not in info["title"]


def test_a_queued_inject_is_framed(client, session, model):
    content = [text_block("queued")]
    message = client.request("session/inject", {"sessionId": session, "mode": "queue", "content": content})["messageId"]
    idle = client.wait_for(
        lambda line: (
            (line.update.get("_meta") or {}).get("harn", {}).get("turn", {}).get("state") == "idle"
            and line["params"]["sessionId"] == session
        )
    )
    turns = [info["_meta"]["harn"]["turn"] for info in infos(client, session) if "_meta" in info]
    assert turns == [
        {"state": "running", "messageId": message},
        {"state": "idle", "messageId": message, "stopReason": "end_turn"},
    ]
    assert idle.update["_meta"]["harn"]["turn"] == turns[-1]
    assert "_meta" not in row(client, session)
