"""The agent card."""

import json

import pytest

from harnlite.serve.a2a.card import card, card_settings, document, matches
from harnlite.serve.a2a.skills import Skills

URL = "http://127.0.0.1:8000/"
SCRIPT = """/** Rebases
branches. */
pub pipeline default(task) { return task }
/** Merges. */
pub pipeline merge(task) { return task }
pub pipeline bare(task) { return task }
pipeline hidden(task) { return task }
"""
REMINDERS = {
    "inject": True,
    "emit": True,
    "propagate": ["all", "session", "none"],
    "roleHints": ["system", "developer", "user_block", "ephemeral_cache"],
}
EXTENSION = {
    "uri": "urn:harnlite:reminders:v1",
    "description": "Ambient reminders for a running task",
    "required": False,
    "params": {
        "method": "tasks/inject_reminder",
        **REMINDERS,
        "modes": ["interrupt_immediate", "finish_step", "audit_only"],
    },
}
GOLDEN = {
    "name": "rebase-worker",
    "description": "Rebases branches.",
    "version": "0.1.0",
    "supportedInterfaces": [
        {"url": URL, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
        {"url": URL, "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
    ],
    "capabilities": {
        "streaming": True,
        "pushNotifications": False,
        "extendedAgentCard": False,
        "extensions": [EXTENSION],
        "reminders": REMINDERS,
    },
    "defaultInputModes": ["text/plain", "application/json"],
    "defaultOutputModes": ["text/plain", "application/json"],
    "skills": [
        {"id": "default", "name": "default", "description": "Rebases branches.", "tags": ["harn"]},
        {"id": "merge", "name": "merge", "description": "Merges.", "tags": ["harn"]},
        {"id": "bare", "name": "bare", "description": "Rebases branches.", "tags": ["harn"]},
    ],
    "url": URL,
    "preferredTransport": "JSONRPC",
    "protocolVersion": "0.3.0",
}


@pytest.fixture
def skills(tmp_path):
    script = tmp_path / "rebase-worker.harn"
    script.write_text(SCRIPT)
    return Skills(str(script))


def made(skills, project=None, *, is_strict=False, has_token=False):
    path = skills._script
    return card(card_settings(URL, path, project or {}, is_strict=is_strict, has_token=has_token), skills.facts())


def test_the_card_of_a_script(skills):
    assert made(skills) == GOLDEN
    assert list(made(skills)) == list(GOLDEN)


def test_a_strict_card(skills):
    dropped = {"url", "preferredTransport", "protocolVersion"}
    strict = {key: value for key, value in GOLDEN.items() if key not in dropped}
    strict["supportedInterfaces"] = GOLDEN["supportedInterfaces"][:1]
    strict["capabilities"] = {key: value for key, value in GOLDEN["capabilities"].items() if key != "reminders"}
    assert made(skills, is_strict=True) == strict


def test_the_project_names_the_agent(skills):
    project = {"package": {"name": "agent", "version": "2.1.0"}, "description": "Does it all."}
    found = made(skills, project)
    assert (found["name"], found["version"], found["description"]) == ("agent", "2.1.0", "Does it all.")


def test_the_card_with_a_token(skills):
    found = made(skills, has_token=True)
    assert found["securitySchemes"] == {"bearer": {"httpAuthSecurityScheme": {"scheme": "bearer"}}}
    assert found["securityRequirements"] == [{"schemes": {"bearer": {"list": []}}}]


def test_skills_follow_the_file(skills, tmp_path):
    assert skills.names() == {"default", "merge", "bare"}
    assert (skills.entry("default"), skills.entry("merge")) == (None, "merge")
    (tmp_path / "rebase-worker.harn").write_text("pipeline (")
    assert skills.names() == {"default", "merge", "bare"}
    (tmp_path / "rebase-worker.harn").write_text("pipeline main(task) { return 1 }")
    assert (skills.names(), skills.entry("main")) == ({"main"}, None)
    assert Skills(None).names() == {"default"}


def test_the_etag(skills):
    settings = card_settings(URL, None, {}, is_strict=False, has_token=False)
    found = document(settings, skills.facts())
    assert json.loads(found.body)["name"] == "harnlite"
    given = [found.etag, f"W/{found.etag}", f'"x", {found.etag}', "*", '"x"', None]
    assert [matches(found.etag, header) for header in given] == [True, True, True, True, False, False]
