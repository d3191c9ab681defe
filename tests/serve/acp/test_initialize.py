"""`initialize`: the answer in full, versions, and switches of the client."""

import copy
import os

import pytest

from harnlite.version import VERSION

REMINDERS = {
    "inject": True,
    "emit": True,
    "propagate": ["all", "session", "none"],
    "roleHints": ["system", "developer", "user_block", "ephemeral_cache"],
}
SESSION = {
    "inject": {"modes": ["queue", "steer"], "steer_in_stream": ["finish"], "pending": {"replace": True}},
    "remind": {
        "modes": ["interrupt_immediate", "finish_step", "audit_only"],
        "pending": {"list": True, "revoke": True},
    },
}
ANSWER = {
    "protocolVersion": 1,
    "agentInfo": {"name": "harnlite", "title": "harnlite", "version": VERSION},
    "agentCapabilities": {
        "loadSession": True,
        "promptCapabilities": {"image": False, "audio": False, "embeddedContext": True},
        "mcpCapabilities": {"http": False, "sse": False},
        "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
        "reminders": REMINDERS,
        "session": SESSION,
        "_meta": {
            "harn": {
                "reminders": REMINDERS,
                "session": SESSION,
                "sessionUpdateExtensions": ["reminder_emitted", "reminder_deduped", "reminder_expired", "user_message"],
                "methods": [
                    "session/inject",
                    "session/revoke_inject",
                    "session/replace_inject",
                    "session/inject_reminder",
                    "session/remind",
                    "session/pending_injections",
                    "session/revoke_reminder",
                ],
            }
        },
    },
    "authMethods": [],
    "_meta": {"steering": {"supported": True}},
}


def test_the_whole_answer(start):
    client = start(initialize=False)
    id = client.send_request("initialize", {"protocolVersion": 1, "clientCapabilities": {}}, id=0)  # noqa: A001
    line = client.answer(id)
    assert line.message == {"jsonrpc": "2.0", "id": 0, "result": ANSWER}


PARAMS = {
    "version 1": {"protocolVersion": 1},
    "version 0": {"protocolVersion": 0},
    "version 2, a draft": {"protocolVersion": 2},
    "version 99": {"protocolVersion": 99},
    "a negative version": {"protocolVersion": -1},
    "client info": {"protocolVersion": 1, "clientInfo": {"name": "zed", "title": "Zed", "version": "0.200"}},
    "client info null": {"protocolVersion": 1, "clientInfo": None},
    "capabilities null": {"protocolVersion": 1, "clientCapabilities": None},
    "unknown capabilities": {
        "protocolVersion": 1,
        "clientCapabilities": {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True, "what": [1]},
    },
    "unknown keys": {"protocolVersion": 1, "what": True, "_meta": {"a": 1}},
    "a meta of others": {"protocolVersion": 1, "clientCapabilities": {"_meta": {"terminal_output": True}}},
}


@pytest.mark.parametrize("params", PARAMS.values(), ids=PARAMS)
def test_the_answer_is_version_one(client, params):
    assert client.request("initialize", params) == ANSWER


@pytest.mark.parametrize("version", [None, "1", "v1", 1.5, True, False, [], {}, "2025-06-18"])
def test_a_version_that_is_not_an_integer(client, version):
    assert client.error("initialize", {"protocolVersion": version})["code"] == -32602


@pytest.mark.parametrize("params", [None, {}, {"clientCapabilities": {}}])
def test_a_missing_version(client, params):
    assert client.error("initialize", params)["code"] == -32602


def test_without_reminders_emit_is_false(client):
    params = {"protocolVersion": 1, "clientCapabilities": {"_meta": {"harn": {"reminders": False}}}}
    expected = copy.deepcopy(ANSWER)
    expected["agentCapabilities"]["reminders"]["emit"] = False
    expected["agentCapabilities"]["_meta"]["harn"]["reminders"]["emit"] = False
    assert client.request("initialize", params) == expected
    client.initialize()


def remind(client, session):
    client.request("session/inject_reminder", {"sessionId": session, "body": "Mind the gap.", "ttlTurns": 1})


def test_a_second_initialize_replaces_the_switches(client, session, model):
    client.initialize(harn={"reminders": False})
    remind(client, session)
    client.prompt(session, "hello")
    assert client.updates(session, "reminder_emitted") == []
    client.initialize()
    remind(client, session)
    client.prompt(session, "hello")
    assert [update["body"] for update in client.updates(session, "reminder_emitted")] == ["Mind the gap."]


def test_sessions_stay_open_after_a_second_initialize(client, session):
    client.initialize()
    assert client.prompt(session, "return null") == {"stopReason": "end_turn"}


def test_state_updates_frame_a_turn_if_the_client_asks(client, session):
    client.initialize(harn={"stateUpdate": True})
    id = client.start_prompt(session, "return null")  # noqa: A001
    end = client.answer(id)
    states = client.updates(session, "state_update")
    assert [(update["state"], update.get("stopReason")) for update in states] == [
        ("running", None),
        ("idle", "end_turn"),
    ]
    lines = client.matching(lambda line: line.update.get("sessionUpdate") == "state_update")
    assert lines[-1].index < end.index
    client.initialize()
    client.prompt(session, "return null")
    assert len(client.updates(session, "state_update")) == 2


@pytest.mark.parametrize("params", [{}, {"methodId": "api-key"}, {"methodId": 1}])
def test_there_is_nothing_to_authenticate(client, params):
    assert client.error("authenticate", params)["code"] == -32602


def test_initialize_needs_little_computing(start):
    client = start()
    with open(f"/proc/{client.process.pid}/stat") as file:
        ticks = file.read().rpartition(")")[2].split()[11:13]
    assert sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK") < 1.5
