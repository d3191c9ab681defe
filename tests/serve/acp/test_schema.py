"""Outgoing standard messages match the stable schema of version 1 in the official npm package."""

import json
import os

import jsonschema
import pytest

from tests.serve.acp_client import is_request, is_update, prompt_params, text_block
from tests.serve.clients import installation
from tests.serve.models import ToolCall

EXTENSIONS = {"reminder_emitted", "reminder_deduped", "reminder_expired", "user_message", "state_update"}
RESULTS = {
    "initialize": "InitializeResponse",
    "session/new": "NewSessionResponse",
    "session/load": "LoadSessionResponse",
    "session/resume": "ResumeSessionResponse",
    "session/list": "ListSessionsResponse",
    "session/close": "CloseSessionResponse",
    "session/delete": "DeleteSessionResponse",
    "session/prompt": "PromptResponse",
}


@pytest.fixture(scope="module")
def schema():
    package = os.path.join(installation.typescript(), "node_modules", "@agentclientprotocol", "sdk")
    with open(os.path.join(package, "schema", "v1", "schema.json"), encoding="utf-8") as file:
        return json.load(file)


@pytest.fixture(scope="module")
def check(schema):
    """Return a function that validates a value against a definition of the schema, strictly in the names of keys."""
    validators = {}

    def validate(name, value):
        if name not in validators:
            validators[name] = jsonschema.Draft202012Validator({**schema, "anyOf": [{"$ref": f"#/$defs/{name}"}]})
        errors = [error.message for error in validators[name].iter_errors(value)]
        assert not errors, f"{name}: {errors[:3]}\n{json.dumps(value)[:2000]}"

    return validate


@pytest.fixture
def spoken(client, session, folder, model):
    """Return a session with turns that use every kind of update, and the answers by method."""
    client.permission = lambda _: {"result": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}}
    model.queue("I look.", ToolCall("look", {"path": "a"}), ToolCall("danger", {"what": "b"}), ToolCall("broken", {}))
    model.queue(
        ToolCall("update_plan", {"plan": [{"step": "act", "status": "in_progress"}]}), ToolCall("read", {"path": "x"})
    )
    model.queue("Done.")
    client.request("session/inject_reminder", {"sessionId": session, "body": "Mind the gap.", "ttlTurns": 1})
    client.prompt(session, "Do it.")
    client.request("session/inject", {"sessionId": session, "mode": "queue", "content": [text_block("More.")]})
    client.wait_for(lambda line: '"state":"idle"' in line.raw.decode().replace(" ", ""))
    client.prompt(session, 'info {"title": "T", "_meta": {"a": 1}}')
    client.error("session/prompt", prompt_params(session, "throw it"))
    return session


def test_updates(client, spoken, check):
    lines = client.matching(is_update(None, spoken))
    kinds = {line.update["sessionUpdate"] for line in lines}
    assert {"agent_message_chunk", "tool_call", "tool_call_update", "usage_update", "session_info_update",
            "user_message_chunk", "plan"} <= kinds  # fmt: skip
    for line in lines:
        if line.update["sessionUpdate"] not in EXTENSIONS:
            check("SessionNotification", line["params"])


def test_requests(client, spoken, check):
    lines = client.matching(is_request("session/request_permission"))
    assert lines
    for line in lines:
        check("RequestPermissionRequest", line["params"])


def test_results(client, spoken, folder, check):
    params = {"sessionId": spoken, "cwd": folder, "mcpServers": []}
    check("InitializeResponse", client.initialize())
    for method in ("session/new", "session/list", "session/load", "session/resume", "session/close", "session/delete"):
        given = (
            {"cwd": folder, "mcpServers": []} if method == "session/new" else {} if method == "session/list" else params
        )
        check(RESULTS[method], client.request(method, given))
    for line in client.matching(lambda line: "stopReason" in (line.message.get("result") or {})):
        check("PromptResponse", line["result"])


def test_replay(client, spoken, folder, check):
    after = client.sync()
    client.request("session/load", {"sessionId": spoken, "cwd": folder, "mcpServers": []})
    lines = client.matching(is_update(None, spoken), after)
    assert lines
    for line in lines:
        if line.update["sessionUpdate"] not in EXTENSIONS:
            check("SessionNotification", line["params"])


def test_errors(client, spoken, check):
    client.error("what", {})
    client.error("session/new", {"cwd": "x"})
    lines = client.matching(lambda line: "error" in line.message)
    assert lines
    for line in lines:
        check("Error", line["error"])


@pytest.mark.parametrize("declares", [True])
def test_updates_of_capabilities(start, tmp_path, model, check, declares):
    client = start(capabilities={"session": {"compaction": {}, "notices": {}}})
    servers = [{"name": "files", "command": "/nonexistent/mcp-server", "args": [], "env": []}]
    session = client.new_session(tmp_path, mcpServers=servers)
    client.prompt(session, "hello")
    notices = client.matching(is_update("notice", session))
    assert len(notices) == 1
    for line in client.matching(is_update(None, session)):
        if line.update["sessionUpdate"] not in EXTENSIONS:
            check("SessionNotification", line["params"])
