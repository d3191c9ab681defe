"""The provider and model of a call, and the requests that they reject."""

import os
from pathlib import Path

import pytest

import harnlite
from harnlite.llm.gates import gates
from harnlite.llm.model_call import call
from harnlite.llm.model_flags import flags_of
from harnlite.llm.routes import capabilities_of_route, require_key, resolve
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError
from tests.llm.running import Backend, installed, within

PREFIXES = ("HARN_", "HARNLITE_", "LLM_", "LOCAL_LLM_", "OLLAMA_", "HF_", "XDG_CONFIG")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Execution:
    """A run that nothing outside has configured."""
    for name in list(os.environ):
        if name.startswith(PREFIXES) or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Execution(cwd=str(tmp_path))


def fresh(run: Execution, **context: object) -> Execution:
    """Another run in the same place, which reads its configuration again."""
    return Execution(cwd=run.cwd, context=context)


def route(run: Execution, **options: object) -> tuple[str, str]:
    found = resolve(run, options)
    return found.provider, found.model


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"provider": "mock"}, ("mock", "claude-sonnet-4-6")),
        ({"provider": "mock", "model": "gpt-4o"}, ("mock", "gpt-4o")),
        ({"provider": "openai"}, ("openai", "gpt-4o")),
        ({"provider": "ollama"}, ("ollama", "llama3.2")),
        ({"provider": "openrouter"}, ("openrouter", "anthropic/claude-sonnet-4.6")),
        ({"provider": "auto", "model": "gemini-2.5-pro"}, ("gemini", "gemini-2.5-pro")),
        ({"provider": "auto", "model": "never-heard-of"}, ("anthropic", "never-heard-of")),
        ({"model": "o3-mini"}, ("openai", "o3-mini")),
        ({"model": "sonnet"}, ("anthropic", "claude-sonnet-4-6")),
        ({"model": "anthropic.claude-x"}, ("bedrock", "anthropic.claude-x")),
        ({"model": "ollama:qwen"}, ("ollama", "qwen")),
        ({"model": "hf:some/model"}, ("huggingface", "some/model")),
        ({"provider": "openai", "model_tier": "small"}, ("openai", "gpt-4o-mini")),
        ({"model_tier": "frontier"}, ("anthropic", "claude-opus-4-6")),
        ({}, ("ollama", "llama3.2")),
    ],
)
def test_options_choose_the_route(run: Execution, options: dict[str, object], expected: tuple[str, str]) -> None:
    assert route(run, **options) == expected


def test_environment_names_provider_and_model(run: Execution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARN_LLM_PROVIDER", "openai")
    assert route(run, model="claude-sonnet-4-6") == ("openai", "claude-sonnet-4-6")
    monkeypatch.setenv("HARN_LLM_MODEL", "gpt-4.1")
    assert route(run) == ("openai", "gpt-4.1")
    assert route(run, provider="gemini") == ("gemini", "gemini-2.5-pro")
    assert route(run, provider="mock") == ("mock", "gpt-4.1")


def test_a_default_provider_is_used_without_its_key(run: Execution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert route(run) == ("anthropic", "claude-sonnet-4-6")
    monkeypatch.setenv("HARN_DEFAULT_PROVIDER", "groq")
    assert route(run)[0] == "groq"
    monkeypatch.setenv("LOCAL_LLM_BASE_URL", "http://localhost:1")
    assert route(run)[0] == "groq"
    monkeypatch.setenv("LOCAL_LLM_MODEL", "tiny")
    assert route(run) == ("local", "tiny")


def test_missing_key_tells_what_to_set(run: Execution, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ScriptError) as failure:
        require_key(run, resolve(run, {"provider": "openai"}))
    assert failure.value.value == (
        "Missing API key: set OPENAI_API_KEY environment variable (provider 'openai' selected via LLM_PROVIDER / "
        "llm.toml @ <built-in defaults>; set HARN_LLM_PROVIDER=mock or LLM_PROVIDER=mock for offline use)"
    )
    with pytest.raises(ScriptError, match="set one of GEMINI_API_KEY, GOOGLE_API_KEY environment variables"):
        require_key(run, resolve(run, {"provider": "gemini"}))
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    require_key(run, resolve(run, {"provider": "gemini"}))
    require_key(run, resolve(run, {"provider": "ollama"}))


@pytest.mark.parametrize(
    ("option", "options"),
    [
        ("thinking", {"thinking": True}),
        ("thinking", {"thinking": {"mode": "enabled"}}),
        ("reasoning_effort", {"reasoning_effort": "low"}),
        ("interleaved_thinking", {"interleaved_thinking": True}),
        ("output_format", {"output_format": {"kind": "json_schema", "schema": {}}, "provider": "vertex"}),
        ("output_format", {"output_format": "json", "provider": "vertex"}),
        ("vision", {"vision": True}),
        ("vision", {"messages": [{"role": "user", "content": [{"type": "image"}]}]}),
        ("audio", {"audio": True}),
        ("pdf", {"pdf": True}),
        ("cache", {"cache": True}),
        ("tools", {"tools": [{"name": "t"}], "tool_format": "native"}),
        ("tool_choice", {"tools": [{"name": "t"}], "tool_choice": "auto"}),
    ],
)
def test_gates_name_the_option(run: Execution, option: str, options: dict[str, object]) -> None:
    given = {"provider": "mock", "model": "plain", **options}
    with pytest.raises(ScriptError) as failure:
        gates(run, resolve(run, given), given)
    assert failure.value.value == (f"option `{option}` is not supported by `plain` (provider `{given['provider']}`).")


def test_what_gates_let_pass(run: Execution) -> None:
    able = {"provider": "mock", "thinking": "low", "cache": True, "vision": True, "tools": [{"name": "t"}]}
    gates(run, resolve(run, able), able)
    plain = {"provider": "mock", "model": "plain", "thinking": "off", "output_format": "json", "tools": [{"name": "t"}]}
    gates(run, resolve(run, plain), plain)
    given = {"provider": "groq", "model": "llama", "output_format": "json_schema"}
    with pytest.raises(ScriptError, match="option `output_format`"):
        gates(run, resolve(run, given), given)


def test_media_are_found_in_messages_that_grow(run: Execution) -> None:
    given = {"provider": "mock", "model": "plain", "messages": [{"role": "user", "content": "a"}]}
    gates(run, resolve(run, given), given)
    grown = {**given, "messages": [*given["messages"], {"role": "user", "content": [{"type": "image_url"}]}]}
    for _again in range(2):
        with pytest.raises(ScriptError, match="option `vision`"):
            gates(run, resolve(run, grown), grown)
    gates(run, resolve(run, given), given)


def test_tool_format_of_a_route(run: Execution, monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve(run, {"provider": "mock"}).tool_format == "native"
    assert resolve(run, {"provider": "mock", "model": "plain"}).tool_format == "text"
    monkeypatch.setenv("HARN_AGENT_TOOL_FORMAT", "text")
    assert resolve(run, {"provider": "mock"}).tool_format == "text"


def test_project_file_has_rows_of_capabilities(run: Execution, tmp_path: Path) -> None:
    (tmp_path / "harn.toml").write_text(
        '[[capabilities.provider.acme]]\nmodel_match = "big-*"\nprefers_role_developer = true\nnative_tools = true\n'
        '[llm]\ndefault_provider = "mock"\n[llm.aliases.mine]\nid = "big-1"\nprovider = "acme"\ntool_format = "text"\n',
        encoding="utf-8",
    )
    configured = fresh(run)
    found = resolve(configured, {"model": "mine"})
    assert (found.provider, found.model, found.alias, found.tool_format) == ("acme", "big-1", "mine", "text")
    assert capabilities_of_route(configured, found).prefers_role_developer
    assert flags_of(configured, "acme", "big-1")["native_tools"] is True
    assert flags_of(configured, "acme", "small")["native_tools"] is False
    assert route(configured) == ("mock", "claude-sonnet-4-6")
    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)
    beside = Execution(cwd="/", context={"script": str(folder / "main.harn")})
    assert flags_of(beside, "acme", "big-2")["native_tools"] is True


def test_malformed_project_file_is_told(run: Execution, tmp_path: Path) -> None:
    (tmp_path / "harn.toml").write_text("[llm\n", encoding="utf-8")
    with pytest.raises(ScriptError, match=r"cannot read .*harn\.toml: Expected"):
        route(fresh(run))


def test_providers_file_of_the_user(run: Execution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "providers.toml"
    path.write_text(
        '[providers.acme]\nbase_url = "http://x"\nauth_env = "ACME_KEY"\ndefault_model = "acme-1"\n'
        '[[inference_rules]]\npattern = "acme-*"\nprovider = "acme"\n'
        '[[tier_rules]]\npattern = "acme-*"\ntier = "small"\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("HARN_PROVIDERS_CONFIG", str(path))
    configured = fresh(run)
    assert route(configured, provider="acme") == ("acme", "acme-1")
    found = resolve(configured, {"model": "acme-9"})
    assert (found.provider, found.tier) == ("acme", "small")
    with pytest.raises(ScriptError, match=rf"set ACME_KEY environment variable .* @ {path}"):
        require_key(configured, found)


@pytest.mark.parametrize(
    ("options", "most"),
    [
        ({"model": "claude-3-5-haiku-latest"}, 8192),
        ({"model": "claude-sonnet-4-6"}, 16_384),
        ({"model": "unknown"}, 16_384),
        ({"model": "claude-3-5-haiku-latest", "max_tokens": 10_000}, 10_000),
    ],
)
def test_the_default_of_max_tokens_is_not_more_than_a_model_can_write(options, most, monkeypatch):
    monkeypatch.delenv("HARNLITE_LLM", raising=False)
    backend = Backend("mine", "ok")

    def work(run):
        installed(run, backend)
        call(run, "x", None, {"provider": "mine", **options})

    within(work)
    assert backend.requests[0].options["max_tokens"] == most


class TestNothingChosen:
    @pytest.fixture(autouse=True)
    def _bare(self, monkeypatch):
        for name in ("LLM_PROVIDER", "HARN_LLM_PROVIDER", "HARN_LLM_MODEL", "ANTHROPIC_API_KEY", "OLLAMA_HOST"):
            monkeypatch.delenv(name, raising=False)

    @pytest.mark.parametrize(
        "options", ["", 'provider: "auto"', 'model_tier: "small"', 'tools: t, tool_format: "native"']
    )
    @pytest.mark.parametrize("call", ['llm_call("x", "s", {OPTIONS})', 'agent_loop("x", "s", {OPTIONS})'])
    def test_one_message_names_what_to_set(self, call, options):
        result = harnlite.run("tool t() { return 1 }\n" + call.replace("OPTIONS", options))
        assert result.error.startswith("Runtime error: no model is configured: set HARNLITE_LLM_PROVIDER ")
        assert "--llm-mock FILE" in result.error
        assert "llama" not in result.error

    def test_scripted_answers_that_are_used_up_are_named(self):
        result = harnlite.run('llm_mock({text: "a"})\nllm_call("x")\nllm_call("y")')
        assert result.error.startswith("Runtime error: the scripted answers are used up after 1 call, and no model ")

    def test_a_default_provider_without_a_key_names_the_key(self, monkeypatch):
        monkeypatch.setenv("HARN_DEFAULT_PROVIDER", "openai")
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        assert "set OPENAI_API_KEY" in harnlite.run('llm_call("x")').error
