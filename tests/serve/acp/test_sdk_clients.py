"""The official SDK clients drive the server unmodified."""

import json
import os
import subprocess
import sys

import pytest

from tests.serve.acp_client import REPOSITORY
from tests.serve.clients import installation
from tests.serve.models import ToolCall


def run(command, scenario, model, folder, script, **environment):
    """Run a client with a scenario; return what it found."""
    server = [sys.executable, "-m", "harnlite", "acp", script, "--store", ":memory:"]
    path = os.pathsep.join([REPOSITORY, *filter(None, [environment.pop("PYTHONPATH", "")])])
    done = subprocess.run(
        [*command, scenario, folder, *server],
        env={**model.environment, **environment, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["exit"] in {0, None}, done.stderr
    return found


@pytest.fixture
def typescript(model, folder, module_script):
    folder_of_client = installation.typescript()
    return lambda scenario, name="client": run(
        ["node", os.path.join(folder_of_client, f"{name}.mjs")], scenario, model, folder, module_script
    )


@pytest.fixture
def python(model, folder, module_script):
    path = installation.python()
    client = os.path.join(installation.HERE, "client.py")
    return lambda scenario: run([sys.executable, client], scenario, model, folder, module_script, PYTHONPATH=path)


@pytest.fixture
def rust(model, folder, module_script):
    program = installation.rust()
    return lambda scenario: run([program], scenario, model, folder, module_script)


LIVE = ["agent_message_chunk", "tool_call", "tool_call_update", "usage_update", "session_info_update"]


def script_tour(model):
    model.queue("I look. ", ToolCall("danger", {"what": "harm"}))
    model.queue("So be it.")


def script_wait(model):
    model.queue(ToolCall("pause", {"ms": 1500}))
    model.queue("Done.")


def check_tour(found):
    assert found["permissions"] == 1
    assert set(LIVE) <= set(found["live"])
    assert found["session"] != "EVIL"


def check_extensions(found):
    assert found["inject"]["messageId"]
    assert found["reminder"]["reminderId"]
    rows = found["pending"]["injections"]
    assert [row["kind"] for row in rows] == ["user", "reminder", "reminder"]
    assert found["revoked"] == {"reminderId": rows[2]["id"], "status": "revoked"}
    assert found["error"]["code"] == -32010
    assert found["error"]["data"]["reason"] == "already_delivered"


def kinds(found):
    return [update["sessionUpdate"] for update in found["updates"]]


def test_a_tour_of_the_typescript_sdk(typescript, model):
    script_tour(model)
    found = typescript("tour")
    check_tour(found)
    assert found["prompt"] == {"stopReason": "end_turn"}
    assert found["session"] in [row["sessionId"] for row in found["list"]["sessions"]]
    assert (found["loaded"], found["resumed"]) == ({}, {})
    assert found["unknown"] == -32601
    assert found["initialized"]["protocolVersion"] == 1
    assert found["initialized"]["agentCapabilities"]["_meta"]["harn"]["session"]["inject"]["modes"] == [
        "queue",
        "steer",
    ]
    replay = kinds(found)
    assert {"user_message_chunk", "agent_message_chunk", "tool_call", "session_info_update"} <= set(replay)


@pytest.mark.slow
def test_extensions_over_the_typescript_sdk(typescript, model):
    script_wait(model)
    found = typescript("extensions")
    check_extensions(found)
    assert found["prompt"] == {"stopReason": "end_turn"}
    assert "user_message_chunk" in kinds(found)


@pytest.mark.slow
def test_a_cancel_over_the_typescript_sdk(typescript, model):
    model.queue(ToolCall("pause", {"ms": 60_000}))
    assert typescript("cancel")["prompt"] == {"stopReason": "cancelled"}


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["tour", "extensions"])
def test_the_typescript_sdk_of_2025(typescript, model, scenario):
    script_tour(model)
    found = typescript(scenario, "old_client")
    check_tour({**found, "live": [*found["live"], "usage_update", "session_info_update"]})
    assert found["prompt"]["stopReason"] == "end_turn"
    if scenario == "extensions":
        assert found["reminder"]["reminderId"]


@pytest.mark.slow
def test_a_tour_of_the_python_sdk(python, model):
    script_tour(model)
    found = python("tour")
    check_tour(found)
    assert found["prompt"] == "end_turn"
    assert found["session"] in found["list"]
    assert {"user_message_chunk", "agent_message_chunk", "tool_call"} <= set(found["replay"])
    assert found["evil"] != "EVIL"
    assert found["meta"] == {"stopReason": "end_turn"}


@pytest.mark.slow
def test_extensions_over_the_python_sdk(python, model):
    script_wait(model)
    found = python("extensions")
    check_extensions(found)
    assert found["prompt"] == "end_turn"
    assert {"user_message", "reminder_emitted", "reminder_expired"} <= set(kinds(found))


@pytest.mark.slow
def test_a_cancel_over_the_python_sdk(python, model):
    model.queue(ToolCall("pause", {"ms": 60_000}))
    assert python("cancel")["prompt"] == "cancelled"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_tour_of_the_rust_sdk(rust, model):
    script_tour(model)
    found = rust("tour")
    check_tour(found)
    assert found["prompt"] == "end_turn"
