"""Which provider and model a call goes to, with which key, and what a person reads if it cannot."""

import json
from pathlib import Path

import pytest

from harnlite.host.engine import Engine
from tests.commands import run_command

CALL = 'log(llm_call("hi").text)'


def run(script=CALL):
    result = Engine(cwd=str(Path.cwd())).run(script)
    return result.stdout.removeprefix("[harn] ").strip(), str(result.error or "")


def sent_to(server):
    return [(request.target, request.json()["model"]) for request in server.requests]


def project(text):
    Path("harn.toml").write_text(text, encoding="utf-8")


CHAT = "/v1/chat/completions"
DEFAULTS = [
    ("openai", CHAT, "gpt-4o"),
    ("openrouter", "/api/v1/chat/completions", "anthropic/claude-sonnet-4.6"),
    ("groq", "/openai/v1/chat/completions", "llama-3.3-70b-versatile"),
    ("deepseek", CHAT, "deepseek-chat"),
    ("mistral", CHAT, "mistral-large-latest"),
    ("anthropic", "/v1/messages", "claude-sonnet-4-6"),
]


@pytest.mark.parametrize(("vendor", "target", "model"), DEFAULTS)
def test_one_key_chooses_its_vendor(vendors, monkeypatch, vendor, target, model):
    server = vendors.configure(vendor, monkeypatch, "hello")
    assert run() == ("hello", "")
    assert sent_to(server) == [(target, model)]
    header = dict(server.requests[0].headers)
    assert server.key in (header.get("authorization", "").removeprefix("Bearer "), header.get("x-api-key"))


ENVIRONMENTS = [
    ("openai", {"HARNLITE_LLM_MODEL": "gpt-4o-mini"}, "gpt-4o-mini"),
    ("openai", {"HARNLITE_LLM_MODEL": "ft:gpt-4o:me"}, "ft:gpt-4o:me"),
    ("openai", {"HARNLITE_LLM_PROVIDER": "openai", "HARNLITE_LLM_MODEL": "new-model"}, "new-model"),
    ("openai", {"HARN_LLM_PROVIDER": "openai", "HARN_LLM_MODEL": "o3"}, "o3"),
    ("openai", {"HARNLITE_LLM_PROVIDER": "openai", "HARNLITE_LLM_MODEL": "claude-opus-4-5"}, "gpt-4o"),
    ("groq", {"HARNLITE_LLM_PROVIDER": "groq", "HARNLITE_LLM_MODEL": "openai/gpt-oss-120b"}, "openai/gpt-oss-120b"),
    ("together", {"HARNLITE_LLM_MODEL": "deepseek-ai/DeepSeek-V3"}, "deepseek-ai/DeepSeek-V3"),
    ("local", {"LOCAL_LLM_MODEL": "Qwen/Qwen3-8B"}, "Qwen/Qwen3-8B"),
    ("local", {"HARNLITE_LLM_MODEL": "gpt-4o"}, "gpt-4o"),
    ("azure_openai", {"HARNLITE_LLM_MODEL": "gpt-4o"}, None),
]


@pytest.mark.parametrize(("vendor", "variables", "model"), ENVIRONMENTS)
def test_the_model_of_the_environment(vendors, monkeypatch, vendor, variables, model):
    server = vendors.configure(vendor, monkeypatch, default="hello")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    _text, error = run()
    if model is None:
        # The name of a model decides for its vendor, unless the provider is named.
        assert "OPENAI_API_KEY" in error
        monkeypatch.setenv("HARNLITE_LLM_PROVIDER", vendor)
        model = variables["HARNLITE_LLM_MODEL"]
        run()
    assert [name for _target, name in sent_to(server)] == [model]


ORIGINS = ["{origin}/v1", "{origin}", "{origin}/", "{bare}", "{bare}/v1/"]


@pytest.mark.parametrize("form", ORIGINS)
def test_spellings_of_a_local_address(vendors, monkeypatch, form):
    server = vendors.server("local", "hello")
    bare = server.origin.removeprefix("http://")
    monkeypatch.setenv("LOCAL_LLM_BASE_URL", form.format(origin=server.origin, bare=bare))
    monkeypatch.setenv("LOCAL_LLM_MODEL", "Qwen/Qwen3-8B")
    assert run() == ("hello", "")
    assert sent_to(server) == [(CHAT, "Qwen/Qwen3-8B")]


AZURE = [
    ("", "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"),
    ("/", "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"),
    ("/openai/v1", "/openai/v1/chat/completions"),
    ("/openai/v1/", "/openai/v1/chat/completions"),
]


@pytest.mark.parametrize(("path", "target"), AZURE)
def test_both_forms_of_azure(vendors, monkeypatch, path, target):
    server = vendors.configure("azure_openai", monkeypatch, "hello")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.origin + path)
    monkeypatch.setenv("HARNLITE_LLM_PROVIDER", "azure_openai")
    monkeypatch.setenv("HARNLITE_LLM_MODEL", "gpt-4o")
    assert run() == ("hello", "")
    assert sent_to(server) == [(target, "gpt-4o")]
    assert dict(server.requests[0].headers)["api-key"] == server.key


MINE = '[llm]\nprovider = "mine"\nmodel = "gpt-4o"\n[providers.mine]\nbase_url = "{url}"\n'
HOSTS = [
    (MINE + 'key_env = "MY_KEY"\n', CHAT),
    (MINE + 'key_cmd = "printf %s {key}"\n', CHAT),
    (MINE + 'key_cmd = ["printf", "%s", "{key}"]\n', CHAT),
    (MINE + 'key_env = "MY_KEY"\nchat_endpoint = "/responses"\n', "/v1/responses"),
    (MINE + 'key_env = "MY_KEY"\nchat_endpoint = "/v1/chat/completions"\n', CHAT),
    (MINE + 'key_env = "MY_KEY"\nheaders = {{ X-Team = "a" }}\n', CHAT),
    ('[providers.mine]\nbase_url = "{url}"\nkey_env = "MY_KEY"\ndefault_model = "gpt-4o"\n', CHAT),
]


@pytest.mark.parametrize(("text", "target"), HOSTS)
def test_a_configured_host(vendors, monkeypatch, text, target):
    server = vendors.server("openai", "hello")
    monkeypatch.setenv("MY_KEY", server.key)
    project(text.format(url=server.base_url, key=server.key))
    assert run() == ("hello", "")
    assert sent_to(server) == [(target, "gpt-4o")]
    assert dict(server.requests[0].headers).get("x-team") == ("a" if "X-Team" in text else None)


def test_a_file_of_providers(vendors, monkeypatch):
    server = vendors.server("openai", "hello")
    monkeypatch.setenv("MY_KEY", server.key)
    monkeypatch.setenv("HARNLITE_PROVIDERS_CONFIG", "mine.toml")
    text = f'[providers.mine]\nbase_url = "{server.base_url}"\nkey_env = "MY_KEY"\ndefault_model = "gpt-4o"\n'
    Path("mine.toml").write_text(text, encoding="utf-8")
    assert run() == ("hello", "")


def test_a_fallback_without_a_model_takes_its_default_one(vendors, monkeypatch):
    server = vendors.configure("groq", monkeypatch, "hello")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("HARNLITE_LLM_MODEL", "gpt-4o")
    assert run('log(llm_call("hi", nil, {provider: "openai", fallback_chain: "groq"}).text)') == ("hello", "")
    assert sent_to(server) == [("/openai/v1/chat/completions", "llama-3.3-70b-versatile")]


CONFIGURED = {"OPENAI_API_KEY": "k-openai", "ANTHROPIC_API_KEY": "k-anthropic"}
DEAD = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
ERRORS = [
    ({}, "", ["no model is configured", "HARNLITE_LLM_PROVIDER", "ANTHROPIC_API_KEY", "--llm-mock"]),
    (CONFIGURED, "", ["several providers", "anthropic by ANTHROPIC_API_KEY", "openai by OPENAI_API_KEY", "[llm]"]),
    ({"OPENAI_API_KEY": "  "}, "", ["no model is configured"]),
    ({"HARNLITE_LLM_PROVIDER": "openai"}, "", ["Missing API key: set OPENAI_API_KEY"]),
    ({"HARNLITE_LLM_PROVIDER": "openai", "OPENAI_API_KEY": " "}, "", ["Missing API key: set OPENAI_API_KEY"]),
    ({"HARNLITE_LLM_PROVIDER": "together"}, "", ["set one of TOGETHER_API_KEY, TOGETHER_AI_API_KEY"]),
    ({"OPENAI_API_KEY": "a b"}, "", ["OPENAI_API_KEY contains a space"]),
    ({"OPENAI_API_KEY": "a\nb"}, "", ["OPENAI_API_KEY contains a space, a line break"]),
    ({"OPENAI_API_KEY": "schlüssel"}, "", ["OPENAI_API_KEY contains"]),
    ({"HARNLITE_LLM_PROVIDER": "azure_openai"}, "", ["AZURE_OPENAI_API_KEY"]),
    ({"AZURE_OPENAI_API_KEY": "k", "HARNLITE_LLM_PROVIDER": "azure_openai"}, "", ["set AZURE_OPENAI_ENDPOINT"]),
    (
        {"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "http://127.0.0.1:1"},
        "",
        ["no default model", "the name of a deployment"],
    ),
    ({"HARNLITE_LLM_PROVIDER": "local"}, "", ["set LOCAL_LLM_BASE_URL"]),
    ({"LOCAL_LLM_BASE_URL": "http://127.0.0.1:1"}, "", ["no default model", "a model that the server has"]),
    ({"HARNLITE_LLM_PROVIDER": "bedrock"}, "", ["no backend for provider `bedrock`", "docs/models.md"]),
    ({"HARNLITE_LLM_PROVIDER": "vertex"}, "", ["no backend for provider `vertex`", "docs/models.md"]),
    ({"HARNLITE_LLM_PROVIDER": "OpenAI"}, "", ["provider `OpenAI`; did you mean `openai`?"]),
    ({"HARNLITE_LLM_PROVIDER": "opena"}, "", ["provider `opena`; did you mean `openai`?"]),
    ({"HARNLITE_LLM_PROVIDER": "acme"}, "", ["provider `acme`; a table [providers.acme] with `base_url`"]),
    ({**DEAD, "HARNLITE_LLM": "off"}, "", ["LLM calls are disabled"]),
    ({**DEAD, "HARN_LLM_CALLS_DISABLED": "1"}, "", ["LLM calls are disabled"]),
    (DEAD, "", ["cannot connect to 127.0.0.1:1: connection refused"]),
    ({**DEAD, "OPENAI_BASE_URL": "ftp://x/v1"}, "", ["'ftp'", "only http and https"]),
    ({"OLLAMA_HOST": ":1"}, "", ["cannot connect to 127.0.0.1:1"]),
    ({"OLLAMA_HOST": "127.0.0.1:1"}, "", ["cannot connect to 127.0.0.1:1"]),
    ({"OLLAMA_HOST": "http://127.0.0.1:1/"}, "", ["cannot connect to 127.0.0.1:1"]),
    ({}, MINE + 'key_env = "MY_KEY"\n', ["Missing API key: set MY_KEY"]),
    ({}, MINE + 'key_cmd = "false"\n', ["key_cmd of provider `mine` ended with status 1"]),
    ({}, MINE + 'key_cmd = "true"\n', ["must print one key, but printed nothing"]),
    ({}, MINE + 'key_cmd = "echo a b"\n', ["must print one key, but printed several words"]),
    ({}, MINE + 'key_cmd = "no-such-program"\n', ["cannot be run: No such file"]),
    ({"K": "k"}, '[llm]\nprovider = "mine"\n[providers.mine]\nkey_env = "K"\n', ["no address: set `base_url`"]),
    ({}, '[llm]\nprovidr = "x"\n', ["harn.toml:2:1", "did you mean 'llm.provider'?"]),
    ({}, '[providers.x]\nbase_ur = "x"\n', ["harn.toml:2:1", "did you mean 'providers.x.base_url'?"]),
    ({}, "[providers.x]\nbase_url = 3\n", ["harn.toml:2:1", "must be a string"]),
    ({}, "[llm\n", ["cannot read", "harn.toml", "line 1"]),
    ({"HARNLITE_PROVIDERS_CONFIG": "missing.toml"}, "", ["cannot read missing.toml: No such file or directory"]),
]


@pytest.mark.parametrize(("variables", "text", "parts"), ERRORS)
def test_errors_say_what_to_do(vendors, monkeypatch, variables, text, parts):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    if text:
        project(text.format(url="http://127.0.0.1:1/v1"))
    shown, error = run()
    assert shown == ""
    for part in parts:
        assert part in error
    for python in ("Traceback", "Errno", "Error:", "object at"):
        assert python not in error
    for secret in variables.values():
        if len(secret) > 4 and secret.startswith("k-"):
            assert secret not in error


def test_the_list_of_models_shows_what_is_configured(vendors, monkeypatch):
    server = vendors.configure("openai", monkeypatch)
    done = run_command("models")
    shown = done.stdout
    assert done.returncode == 0
    assert "calls that specify nothing go to openai, model gpt-4o" in shown
    assert server.key not in shown
    assert "set ANTHROPIC_API_KEY" in shown


def test_the_check_tells_what_is_wrong(vendors, monkeypatch):
    vendors.configure("openai", monkeypatch)
    vendors.configure("groq", monkeypatch)
    monkeypatch.setenv("GROQ_API_KEY", "wrong-key")
    monkeypatch.setenv("LOCAL_LLM_BASE_URL", "http://127.0.0.1:1")
    done = run_command("models", "--check", "--format", "json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    checks = {entry["name"]: entry["check"] for entry in found["providers"]}
    assert checks["openai"]["status"] == "reachable"
    assert checks["groq"] == {"status": "key refused", "detail": "HTTP 401"}
    assert checks["local"] == {"status": "unreachable", "detail": "cannot connect to 127.0.0.1:1: connection refused"}
