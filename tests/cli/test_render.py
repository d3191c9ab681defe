"""`harnlite render`: the request that a program would send, compared with the one that a server receives."""

import json

import pytest

from tests.commands import run_command
from tests.vendors import Reply, vendor_server

PROGRAM = """
import { agent_session_inject_reminder } from "std/agent/state"
println("starting")
let session = agent_session_open("s")
agent_session_inject_reminder(session, {body: "Mind the <gap>", role_hint: "user_block"})
agent_session_inject_reminder(session, {body: "Tests fail."})
let tools = tool_define(tool_registry(), "add", "Adds numbers.", {parameters: {a: "int"}, handler: { x -> x.a }})
agent_loop("Add.", "Be brief.", {session_id: session, tools: tools, tool_format: "native", reminders: false})
println("never")
"""
VENDORS = {
    "anthropic": ("ANTHROPIC", "claude-sonnet-4-6"),
    "openai": ("OPENAI", "o3"),
    "gemini": ("GEMINI", "gemini-2.5-pro"),
    "mistral": ("MISTRAL", "mistral-large-latest"),
}


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "main.harn"
    path.write_text(PROGRAM)
    return str(path)


@pytest.mark.parametrize("name", VENDORS)
def test_the_body_is_the_one_that_is_sent(name, program, monkeypatch):
    variable, model = VENDORS[name]
    with vendor_server(name, default=Reply("Done.")) as server:
        monkeypatch.setenv(f"{variable}_BASE_URL", server.base_url)
        shown = run_command("render", "--provider", name, "--model", model, "--format", "json", program)
        assert server.requests == []
        monkeypatch.setenv(f"{variable}_API_KEY", server.key)
        monkeypatch.setenv("HARNLITE_LLM_PROVIDER", name)
        monkeypatch.setenv("HARNLITE_LLM_MODEL", model)
        assert run_command("run", program).returncode == 0
        sent = server.requests[0]
    assert (shown.returncode, shown.stderr) == (0, "starting\n")
    found = json.loads(shown.stdout)
    assert found["body"] == json.loads(sent.body)
    assert found["url"].startswith(server.origin + sent.path)
    sent_headers = {(header.lower(), value) for header, value in sent.headers}
    for header, value in found["headers"].items():
        assert "[hidden]" in value or (header, value) in sent_headers
    assert len(found["reminders"]) == 2
    for reminder in found["reminders"]:
        place = found["body"]
        for step in reminder["path"]:
            place = place[step]
        assert reminder["text"] in place


def test_lines_with_reminders_are_marked(program):
    shown = run_command("render", "--provider", "anthropic", program)
    assert shown.returncode == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == "  POST https://api.anthropic.com/v1/messages"
    assert "  x-api-key: [hidden]" in lines
    marked = [line for line in lines if line.startswith("> ")]
    assert len(marked) == 2
    assert all("<system-reminder>" in line for line in marked)
    assert not any("<system-reminder>" in line for line in lines if line not in marked)
    body = "\n".join(line[2:] for line in lines[lines.index("") + 1 :])
    assert json.loads(body)["model"] == "claude-sonnet-4-6"


def test_colours_highlight_the_reminders(program):
    shown = run_command("render", "--provider", "openai", "--model", "gpt-4o", "--color", "always", program)
    assert "\x1b[30;43mSystem reminder:\\nMind the <gap>\x1b[0m" in shown.stdout


def test_the_own_model_of_the_program_stays_if_the_provider_has_it(tmp_path):
    path = tmp_path / "main.harn"
    path.write_text('llm_call("x", nil, {provider: "mock", model: "claude-opus-4-6"})')
    models = [
        json.loads(run_command("render", "--provider", name, "--format", "json", str(path)).stdout)["model"]
        for name in ("anthropic", "openai")
    ]
    assert models == ["claude-opus-4-6", "gpt-4o"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("println(1)", ["--provider", "openai"], "error: the program ended without a model call\n"),
        ('llm_call_safe("x", nil, {provider: "mock"})', [], "error: this call goes to the mock"),
        ('llm_call("x")', ["--provider", "opnai"], "error: provider `opnai` is not known"),
        ('llm_call("x")', ["--provider", "bedrock"], "docs/models.md"),
        ('throw "stop"', ["--provider", "openai"], "error: Thrown: stop"),
        ('llm_call("x")', ["--provider", "openai", "--deny", "llm"], "Error [tool_rejected]"),
    ],
)
def test_what_prevents_a_request_is_an_error(tmp_path, text, options, message):
    path = tmp_path / "main.harn"
    path.write_text(text)
    shown = run_command("render", *options, str(path))
    assert (shown.returncode, shown.stdout) == (1, "")
    assert message in shown.stderr


def test_scripted_answers_do_not_prevent_it(tmp_path):
    path = tmp_path / "main.harn"
    path.write_text('llm_mock({text: "hi"})\nllm_call("x", nil, {provider: "anthropic"})')
    assert run_command("render", str(path)).returncode == 0
