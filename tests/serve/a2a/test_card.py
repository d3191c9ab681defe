"""The agent card, its addresses and its strict form."""

import json

import pytest

from harnlite.version import VERSION
from tests.serve.a2a_client import CARD, TOKEN, URI, Client, a2a_server

PATHS = [CARD, "/.well-known/agent.json", "/.well-known/a2a-agent"]
ALL = ["all", "session", "none"]
HINTS = ["system", "developer", "user_block", "ephemeral_cache"]
MODES = ["interrupt_immediate", "finish_step", "audit_only"]
FOR_OLD_CLIENTS = ("url", "preferredTransport", "protocolVersion")


def test_the_card_is_that_of_the_specification(client, server):
    card = client.get(CARD).json
    url = card["url"]
    assert url == f"http://127.0.0.1:{server.port}/"
    assert card.pop("skills")
    assert card.pop("name") == "agent"
    assert card.pop("description")
    assert card == {
        "version": VERSION,
        "supportedInterfaces": [
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
        ],
        "capabilities": {
            "streaming": True,
            "pushNotifications": False,
            "extendedAgentCard": False,
            "extensions": [
                {
                    "uri": URI,
                    "description": "Ambient reminders for a running task",
                    "required": False,
                    "params": {
                        "method": "tasks/inject_reminder",
                        "inject": True,
                        "emit": True,
                        "propagate": ALL,
                        "roleHints": HINTS,
                        "modes": MODES,
                    },
                }
            ],
            "reminders": {"inject": True, "emit": True, "propagate": ALL, "roleHints": HINTS},
        },
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "url": url,
        "preferredTransport": "JSONRPC",
        "protocolVersion": "0.3.0",
    }


def test_each_pub_pipeline_is_a_skill_described_by_its_doc_comment(client):
    card = client.get(CARD).json
    skills = {skill["id"]: skill for skill in card["skills"]}
    assert set(skills) == {"default", "shout"}
    assert skills["shout"] == {
        "id": "shout",
        "name": "shout",
        "description": "Shouts what it is told.",
        "tags": ["harn"],
    }
    assert skills["default"]["description"] == "Does what its prompt says."
    assert card["description"] == "Does what its prompt says."


@pytest.mark.parametrize("path", PATHS)
def test_the_card_has_three_addresses_and_an_etag(client, path):
    answer = client.get(path)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.headers["cache-control"] == "public, max-age=300"
    assert answer.body == client.get(PATHS[0]).body
    etag = answer.headers["etag"]
    assert etag.startswith(('"', 'W/"'))
    for given in (etag, f'"other", {etag}', "*"):
        again = client.get(path, If_None_Match=given)
        assert (again.status, again.body) == (304, b""), given
    assert again.headers["etag"] == etag
    assert client.get(path, If_None_Match='"other"').status == 200


@pytest.mark.parametrize("path", PATHS)
def test_the_card_cannot_be_posted_to(client, path):
    assert client.post({}, path=path).status == 405


SCRIPT = """/// Rebases branches.
/// It is careful.
pub pipeline rebase(task) { return "done" }
"""


@pytest.mark.slow
def test_the_strict_card_has_no_field_beyond_the_schema(tmp_path):
    with a2a_server(SCRIPT, "--strict-card", "--store", ":memory:", cwd=tmp_path) as server:
        card = Client(server.port).get(CARD).json
        for name in FOR_OLD_CLIENTS:
            assert name not in card
        assert "reminders" not in card["capabilities"]
        assert card["capabilities"]["extensions"][0]["uri"] == URI
        assert [entry["protocolVersion"] for entry in card["supportedInterfaces"]] == ["1.0"]
        assert card["skills"][0]["id"] == "rebase"
        assert card["name"] == "agent"
        assert "Rebases branches." in card["description"]


def test_the_project_names_the_agent(tmp_path):
    (tmp_path / "harn.toml").write_text(
        'name = "rebase-worker"\nversion = "3.2.1"\ndescription = "Rebases."\nentry = "main.harn"\n'
    )
    (tmp_path / "main.harn").write_text("pub pipeline default(task) { return task }\n")
    with a2a_server(None, "--store", ":memory:", cwd=tmp_path) as server:
        client = Client(server.port)
        card = client.get(CARD).json
        assert (card["name"], card["version"], card["description"]) == ("rebase-worker", "3.2.1", "Rebases.")
        assert client.send("hello")["artifacts"][0]["parts"] == [{"text": "hello"}]


def test_without_a_file_the_built_in_pipeline_serves(tmp_path, model, word):
    with a2a_server(None, "--store", ":memory:", cwd=tmp_path, env=model.environment) as server:
        client = Client(server.port)
        card = client.get(CARD).json
        assert card["name"]
        assert card["description"]
        assert card["version"] == VERSION
        model.on(word, "hello from the model")
        assert client.send(word)["artifacts"][0]["parts"] == [{"text": "hello from the model"}]


def test_the_public_url_is_on_the_card_and_is_a_host(tmp_path):
    url = "https://agents.example.org/worker/"
    with a2a_server(SCRIPT, "--public-url", url, "--store", ":memory:", cwd=tmp_path) as server:
        client = Client(server.port)
        for host in ("agents.example.org", "localhost", "127.0.0.1", f"agents.example.org:{server.port}"):
            answer = client.get(CARD, Host=host)
            assert answer.status == 200
            assert answer.json["url"] == url
            assert {entry["url"] for entry in answer.json["supportedInterfaces"]} == {url}
        assert client.get(CARD, Host="evil.example.org").status == 403
        body = {"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}
        assert client.post(body, {"Origin": "https://agents.example.org"}).status == 200
        assert client.post(body, {"Origin": "https://evil.example.org"}).status == 403


def test_a_token_is_on_the_card(guarded):
    answer = Client(guarded.port).get(CARD)
    assert answer.json["securitySchemes"] == {"bearer": {"httpAuthSecurityScheme": {"scheme": "bearer"}}}
    assert answer.json["securityRequirements"] == [{"schemes": {"bearer": {"list": []}}}]
    assert TOKEN not in json.dumps(answer.json)


def test_an_address_that_no_client_can_reach_is_a_warning(guarded, server):
    guarded.wait_for_line("warning: .*set --public-url")
    assert "warning" not in server.stderr.partition("\n")[0]
    assert "--public-url" not in server.stderr
