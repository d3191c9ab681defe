"""The prompt turn: content blocks, the line of prompts, scripts, and how turns end."""

import json

import pytest

from tests.serve.acp.scripts import WORKSHOP
from tests.serve.acp_client import AcpClient, is_update, prompt_params, text_block
from tests.serve.models import Fault, ToolCall, last_user_message, seen
from tests.vendors.replies import Reply

RESOURCE = {"type": "resource", "resource": {"uri": "file:///a.py", "mimeType": "text/x-python", "text": "x = 1"}}
LINK = {"type": "resource_link", "uri": "file:///b.py", "name": "b.py"}

BLOCKS = {
    "text": ([text_block("hello")], ["hello"]),
    "text as it is": ([text_block("  <b> & ä\n\nnext ")], ["  <b> & ä\n\nnext "]),
    "two texts": ([text_block("one"), text_block("two")], ["one", "two"]),
    "an annotated text": (
        [{**text_block("hello"), "annotations": {"audience": ["user"]}, "_meta": {"a": 1}}],
        ["hello"],
    ),
    "a link": ([text_block("see"), LINK], ["[b.py](file:///b.py)"]),
    "a link with everything": (
        [{**LINK, "title": "B", "description": "d", "mimeType": "text/plain", "size": 3}],
        ["[b.py](file:///b.py)"],
    ),
    "a resource": ([text_block("see"), RESOURCE], ["file:///a.py", "```", "x = 1"]),
    "a resource without a type": (
        [{"type": "resource", "resource": {"uri": "file:///c", "text": "``` in it"}}],
        ["file:///c", "``` in it"],
    ),
    "an empty text among others": ([text_block(""), text_block("hello")], ["hello"]),
}


@pytest.mark.parametrize(("blocks", "texts"), BLOCKS.values(), ids=BLOCKS)
def test_what_the_model_sees_of_a_prompt(client, session, model, blocks, texts):
    assert client.request("session/prompt", {"sessionId": session, "prompt": blocks}) == {"stopReason": "end_turn"}
    content = last_user_message(model.requests[-1])
    for text in texts:
        assert text in str(content)


UNSUPPORTED = {
    "an image": {"type": "image", "data": "aGk=", "mimeType": "image/png"},
    "audio": {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
    "a blob": {"type": "resource", "resource": {"uri": "file:///a", "blob": "aGk="}},
}


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("block", UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_content_that_is_not_supported(client, session, model, block, at):
    blocks = [text_block("hello")] * at + [block]
    error = client.error("session/prompt", {"sessionId": session, "prompt": blocks})
    assert error["code"] == -32602
    assert error["data"] == {"reason": "unsupported_content", "index": at}
    assert model.requests == []


INVALID = {
    "an unknown type": {"type": "video"},
    "no type": {"text": "x"},
    "a type that is a number": {"type": 1},
    "a text that is a number": {"type": "text", "text": 1},
    "a text without text": {"type": "text"},
    "a link without a uri": {"type": "resource_link", "name": "x"},
    "a link without a name": {"type": "resource_link", "uri": "x"},
    "a resource without a resource": {"type": "resource"},
    "a resource that is empty": {"type": "resource", "resource": {}},
    "a string": "x",
    "null": None,
    "a list": [],
}


@pytest.mark.parametrize("block", INVALID.values(), ids=INVALID)
def test_invalid_blocks(client, session, model, block):
    error = client.error("session/prompt", {"sessionId": session, "prompt": [text_block("x"), block]})
    assert (error["code"], error["data"]["reason"]) == (-32602, "invalid_content")
    assert model.requests == []


@pytest.mark.parametrize("prompt", [None, [], {}, "hello", 1, True])
def test_a_prompt_is_a_list_that_is_not_empty(client, session, prompt):
    assert client.error("session/prompt", {"sessionId": session, "prompt": prompt})["code"] == -32602


def test_a_missing_prompt(client, session):
    assert client.error("session/prompt", {"sessionId": session})["code"] == -32602


def test_a_prompt_is_not_echoed(client, session):
    client.prompt(session, "hello")
    assert client.updates(session, "user_message_chunk") == []


def test_prompts_wait_in_line(client, session, model):
    held = [model.queue(text, hold=True) for text in ("first", "second", "third")]
    ids = [client.start_prompt(session, text) for text in ("one", "two", "three")]
    held[0].wait()
    client.sync()
    assert len(model.requests) == 1
    for index, one in enumerate(held):
        one.wait()
        assert str(last_user_message(one.body)) == ("one", "two", "three")[index]
        one.release()
        assert client.answer(ids[index])["result"] == {"stopReason": "end_turn"}
    places = [client.answer(id).index for id in ids]  # noqa: A001
    assert places == sorted(places)
    text = {
        line.update["content"]["text"]: line.index
        for line in client.matching(is_update("agent_message_chunk", session))
    }
    assert text["first"] < places[0] < text["second"] < places[1] < text["third"] < places[2]


def test_prompts_and_queued_injects_share_one_line(client, session, model):
    held = model.queue("first", hold=True)
    first = client.start_prompt(session, "one")
    held.wait()
    inject = {"sessionId": session, "mode": "queue", "content": [text_block("two")]}
    message = client.request("session/inject", inject)["messageId"]
    third = client.start_prompt(session, "three")
    client.sync()
    held.release()
    client.answer(third)
    assert [str(last_user_message(body)) for body in model.requests] == ["one", "two", "three"]
    echo = client.wait_for(is_update("user_message", session, messageId=message))
    assert client.answer(first).index < echo.index < client.answer(third).index


def test_sessions_run_side_by_side(client, folder, model):
    sessions = [client.new_session(folder) for _ in range(3)]
    held = [model.on(f"task {n}", f"answer {n}", hold=True) for n in range(3)]
    ids = [client.start_prompt(session, f"task {n}") for n, session in enumerate(sessions)]
    for one in held:
        one.wait()
    for n in (2, 0, 1):
        held[n].release()
        client.answer(ids[n])
    places = [client.answer(id).index for id in ids]  # noqa: A001
    assert places[2] < places[0] < places[1]
    for n, session in enumerate(sessions):
        assert [u["content"]["text"] for u in client.updates(session, "agent_message_chunk")] == [f"answer {n}"]


# --- what a turn runs


def texts(client, session):
    return "".join(update["content"]["text"] for update in client.updates(session, "agent_message_chunk"))


RETURNED = {
    "a text": ('"hello"', "hello"),
    "a visible text": ('{"visible_text": "seen", "text": "not"}', "seen"),
    "a text in a dict": ('{"text": "in a dict"}', "in a dict"),
    "nothing": ("null", ""),
    "an empty text": ('""', ""),
    "a dict without text": ('{"a": 1}', ""),
}


@pytest.mark.parametrize(("value", "text"), RETURNED.values(), ids=RETURNED)
def test_the_returned_text_is_sent_if_nothing_was_streamed(client, session, value, text):
    line = client.call("session/prompt", prompt_params(session, f"return {value}"))
    assert line["result"] == {"stopReason": "end_turn"}
    assert texts(client, session) == text
    assert all(one.index < line.index for one in client.matching(is_update("agent_message_chunk", session)))


def test_a_streamed_text_is_not_sent_again(client, session, model):
    model.queue("Once ", "only.")
    client.prompt(session, "hello")
    assert texts(client, session) == "Once only."


STATUSES = {
    "done": "end_turn",
    "idle": "end_turn",
    "whatever": "end_turn",
    "suspended": "end_turn",
    "input_required": "end_turn",
    "budget_exhausted": "max_turn_requests",
    "stuck": "max_turn_requests",
    "verify_exhausted": "max_turn_requests",
    "incomplete": "max_turn_requests",
    "blocked": "refusal",
    "rejected": "refusal",
    "auth_required": "refusal",
}


@pytest.mark.parametrize(("status", "reason"), STATUSES.items())
def test_the_stop_reason_follows_the_status(client, session, status, reason):
    assert client.prompt(session, f'return {{"status": "{status}"}}') == {"stopReason": reason}


@pytest.mark.parametrize("status", ["failed", "provider_error", "watchdog"])
def test_a_failed_status_is_an_error(client, session, status):
    assert client.error("session/prompt", prompt_params(session, f'return {{"status": "{status}"}}'))["code"] == -32603


def test_an_error_of_the_script(client, session):
    error = client.error("session/prompt", prompt_params(session, "throw it is\nmy fault"))
    assert error["code"] == -32603
    assert "it is" in error["message"]
    assert "\n" not in error["message"]
    assert error["data"]["kind"]
    assert error["data"]["line"] == next(
        number for number, line in enumerate(WORKSHOP.splitlines(), 1) if "throw rest" in line
    )
    assert error["data"]["file"].endswith("agent.harn")
    assert isinstance(error["data"]["column"], int)
    assert "Traceback" not in client.stderr
    assert client.prompt(session, "return null") == {"stopReason": "end_turn"}, "the session goes on"


def test_secrets_in_errors_are_redacted(client, session):
    error = client.error("session/prompt", prompt_params(session, "throw password=hunter2hunter2 failed"))
    assert "hunter2" not in str(error)
    assert "password=[redacted]" in error["message"]


def test_a_model_error(client, session, model):
    model.queue(Reply(fault=Fault(status=401, message="invalid key")))
    error = client.error("session/prompt", prompt_params(session, "hello"))
    assert error["code"] == -32603
    assert "\n" not in error["message"]
    assert client.prompt(session, "again") == {"stopReason": "end_turn"}


def test_a_missing_key_names_its_variable(start, tmp_path):
    environment = {"OPENAI_API_KEY": "", "HARNLITE_LLM_PROVIDER": "openai"}
    client = start("pipeline main(task) {\n  return agent_loop(task)\n}\n", environment=environment)
    session = client.new_session(tmp_path)
    error = client.error("session/prompt", prompt_params(session, "hello"))
    assert error["code"] == -32603
    assert "OPENAI_API_KEY" in error["message"]


LIMITS = {
    "iterations": ({"max_iterations": 1, "loop_until_done": True}, "max_turn_requests"),
    "tokens": ({"token_budget": 10, "loop_until_done": True}, "max_tokens"),
    "nudges": ({"max_nudges": 1, "loop_until_done": True}, "max_turn_requests"),
}


@pytest.mark.parametrize(("options", "reason"), LIMITS.values(), ids=LIMITS)
def test_limits_of_the_loop(client, session, options, reason):
    assert client.prompt(session, f"loop {json.dumps(options)}") == {"stopReason": reason}


def test_the_second_parameter_describes_the_turn(client, session, folder):
    params = {**prompt_params(session, "turn"), "_meta": {"origin": "test"}}
    params["prompt"].append(LINK)
    params["prompt"][0]["text"] = "turn"
    client.request("session/prompt", {**params, "prompt": [text_block("turn")]})
    turn = json.loads(texts(client, session))
    assert set(turn) == {"protocol", "session_id", "message_id", "cwd", "content", "metadata"}
    assert (turn["protocol"], turn["session_id"], turn["cwd"]) == ("acp", session, folder)
    assert turn["content"] == [text_block("turn")]
    assert isinstance(turn["message_id"], str)
    assert turn["message_id"]


def test_calls_without_a_session_use_the_wire_session(client, session, model):
    model.queue("Ada.")
    model.queue("Hopper.")
    client.prompt(session, "call Who?")
    assert "Ada." in texts(client, session)
    client.prompt(session, "call And then?")
    assert "Who?" in seen(model.requests[2])
    assert "Ada." in seen(model.requests[2])


def test_the_built_in_pipeline(start, tmp_path, model):
    client = start(None)
    session = client.new_session(tmp_path)
    model.queue("I am built in.")
    assert client.prompt(session, "hello") == {"stopReason": "end_turn"}
    assert texts(client, session) == "I am built in."


def test_the_entry_of_the_project(start, tmp_path):
    (tmp_path / "entry.harn").write_text('pipeline main(task) {\n  return "from the project: ${task}"\n}\n')
    (tmp_path / "harn.toml").write_text('[package]\nname = "p"\nversion = "1.2.3"\nentry = "entry.harn"\n')
    client = start(None)
    session = client.new_session(tmp_path)
    client.prompt(session, "hello")
    assert texts(client, session) == "from the project: hello"


def test_a_file_that_does_not_compile_is_read_again(start, tmp_path):
    client = start("pipeline main(task) {\n  return (\n}\n")
    session = client.new_session(tmp_path)
    error = client.error("session/prompt", prompt_params(session, "hello"))
    assert error["code"] == -32603
    assert "\n" not in error["message"]
    (tmp_path / "agent0.harn").write_text('pipeline main(task) {\n  return "repaired"\n}\n')
    assert client.prompt(session, "hello") == {"stopReason": "end_turn"}
    assert texts(client, session) == "repaired"


def test_a_file_that_does_not_exist_fails_the_prompt_or_the_start(model, tmp_path):
    with AcpClient(str(tmp_path / "missing.harn"), environment=model.environment) as client:
        client.send_request("initialize", {"protocolVersion": 1})
        found = client.find(lambda line: line.message.get("id") == 1)
        if found is None:
            assert client.wait() == 2
            assert "missing.harn" in client.stderr


def test_the_entry_is_chosen_as_by_run(start, tmp_path):
    names = ("pipeline first", "pipeline main", "pub pipeline default")
    script = "".join(f'{name}(task) {{ return "{name}" }}\n' for name in names)
    client = start(script)
    session = client.new_session(tmp_path)
    client.prompt(session, "x")
    assert texts(client, session) == "pub pipeline default"


def test_the_working_folder_is_that_of_the_session(client, tmp_path):
    (tmp_path / "note.txt").write_text("found")
    session = client.new_session(tmp_path)
    assert client.prompt(session, "file note.txt") == {"stopReason": "end_turn"}
    assert texts(client, session) == "found"


def test_state_of_the_script_is_not_shared_between_turns(client, session):
    client.prompt(session, "count")
    client.prompt(session, "count")
    assert texts(client, session) == "11"


def test_tools_see_the_next_answers(client, session, model):
    model.queue(ToolCall("look", {"path": "a.py"}))
    model.queue("A tree.")
    assert client.prompt(session, "Look.") == {"stopReason": "end_turn"}
    assert "seen a.py" in seen(model.requests[1])
