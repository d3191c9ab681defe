"""Where the requests of a route go, with which key, and in which dialect."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from harnlite.capabilities.grants import Permissions, grants_of
from harnlite.known_keys import added_keys
from harnlite.llm.configuration import configuration_of
from harnlite.llm.keys import keys_of
from harnlite.llm.routes import (
    BACKEND_PAGE,
    configured_providers,
    fallback_of,
    is_chosen,
    require_choice,
    resolve,
)
from harnlite.llm.secrets import Secret
from harnlite.llm.vendors.hosts import credentials_of, dialect_of, host_of
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError

OTHERS = ("HARN_", "HARNLITE_", "LLM_", "LOCAL_LLM_", "OLLAMA_", "HF_", "XDG_CONFIG", "OPENAI_", "AZURE_")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An environment that configures nothing."""
    for name in list(os.environ):
        if name.startswith(OTHERS) or name.endswith(("_API_KEY", "_BASE_URL")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def new_run(**context: object) -> Execution:
    return Execution(cwd=str(Path.cwd()), context=context)


def denying(capability: str) -> Permissions:
    return Permissions([grants_of("the test", "/", deny=[capability])])


def project(text: str) -> None:
    Path("harn.toml").write_text(text, encoding="utf-8")


def user(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path("home-providers.toml")
    path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("HARNLITE_PROVIDERS_CONFIG", str(path.absolute()))


def sent(name: str, **options: object) -> tuple[str, dict[str, str]]:
    """Return the address and the header with the key."""
    run = new_run()
    route = resolve(run, {"provider": name, **options})
    host = host_of(run, route)
    return host.base_url, {key: value.reveal() for key, value in credentials_of(run, route).items()}


def failure(**options: object) -> str:
    run = new_run()
    with pytest.raises(ScriptError) as caught:
        host_of(run, resolve(run, options))
    return str(caught.value.value)


BEARER = {"authorization": "Bearer k-1"}
ADDRESSES = [
    ("anthropic", {"ANTHROPIC_API_KEY": "k-1"}, "https://api.anthropic.com", {"x-api-key": "k-1"}),
    (
        "anthropic",
        {"ANTHROPIC_API_KEY": " k-1\n", "ANTHROPIC_BASE_URL": "http://p/v1/"},
        "http://p",
        {"x-api-key": "k-1"},
    ),
    ("openai", {"OPENAI_API_KEY": "k-1"}, "https://api.openai.com/v1", BEARER),
    ("openai", {"OPENAI_API_KEY": "k-1", "OPENAI_BASE_URL": "http://p/v1/"}, "http://p/v1", BEARER),
    ("gemini", {"GOOGLE_API_KEY": "k-1"}, "https://generativelanguage.googleapis.com", {"x-goog-api-key": "k-1"}),
    (
        "gemini",
        {"GOOGLE_API_KEY": "no", "GEMINI_API_KEY": "k-1", "GOOGLE_GEMINI_BASE_URL": "http://g"},
        "http://g",
        {"x-goog-api-key": "k-1"},
    ),
    (
        "gemini",
        {"GEMINI_API_KEY": "k-1", "GEMINI_BASE_URL": "http://a/v1beta", "GOOGLE_GEMINI_BASE_URL": "http://g"},
        "http://a",
        {"x-goog-api-key": "k-1"},
    ),
    ("ollama", {}, "http://127.0.0.1:11434", {}),
    ("ollama", {"OLLAMA_HOST": "box:99"}, "http://box:99", {}),
    ("ollama", {"OLLAMA_HOST": "box"}, "http://box:11434", {}),
    ("ollama", {"OLLAMA_HOST": ":99"}, "http://127.0.0.1:99", {}),
    ("ollama", {"OLLAMA_HOST": "0.0.0.0"}, "http://127.0.0.1:11434", {}),
    ("ollama", {"OLLAMA_HOST": "[::1]"}, "http://[::1]:11434", {}),
    ("ollama", {"OLLAMA_HOST": "::1"}, "http://[::1]:11434", {}),
    ("ollama", {"OLLAMA_HOST": "https://box.example.com/"}, "https://box.example.com", {}),
    ("local", {"LOCAL_LLM_BASE_URL": "http://h:8000"}, "http://h:8000/v1", {}),
    ("local", {"LOCAL_LLM_BASE_URL": "localhost:8000/"}, "http://localhost:8000/v1", {}),
    ("local", {"LOCAL_LLM_BASE_URL": "http://h/api/v2", "LOCAL_LLM_API_KEY": "k-1"}, "http://h/api/v2", BEARER),
    ("together", {"TOGETHER_AI_API_KEY": "k-1"}, "https://api.together.xyz/v1", BEARER),
    ("together", {"TOGETHER_API_KEY": "k-1", "TOGETHER_AI_API_KEY": "no"}, "https://api.together.xyz/v1", BEARER),
    ("groq", {"GROQ_API_KEY": "k-1"}, "https://api.groq.com/openai/v1", BEARER),
    ("openrouter", {"OPENROUTER_API_KEY": "k-1"}, "https://openrouter.ai/api/v1", BEARER),
    ("deepseek", {"DEEPSEEK_API_KEY": "k-1", "DEEPSEEK_BASE_URL": "http://d/v3"}, "http://d/v3", BEARER),
    ("fireworks", {"FIREWORKS_API_KEY": "k-1"}, "https://api.fireworks.ai/inference/v1", BEARER),
    ("mistral", {"MISTRAL_API_KEY": "k-1"}, "https://api.mistral.ai/v1", BEARER),
    ("xai", {"XAI_API_KEY": "k-1"}, "https://api.x.ai/v1", BEARER),
    (
        "azure_openai",
        {"AZURE_OPENAI_API_KEY": "k-1", "AZURE_OPENAI_ENDPOINT": "https://r.example.com/"},
        "https://r.example.com",
        {"api-key": "k-1"},
    ),
    (
        "azure_openai",
        {
            "AZURE_OPENAI_API_KEY": "k-1",
            "AZURE_OPENAI_ENDPOINT": "https://r.example.com",
            "OPENAI_API_VERSION": "2025-01-01",
        },
        "https://r.example.com?api-version=2025-01-01",
        {"api-key": "k-1"},
    ),
    (
        "azure_openai",
        {
            "AZURE_OPENAI_API_KEY": "k-1",
            "AZURE_OPENAI_ENDPOINT": "https://r.example.com/openai/v1/",
            "OPENAI_API_VERSION": "2025-01-01",
        },
        "https://r.example.com/openai/v1",
        {"api-key": "k-1"},
    ),
]


@pytest.mark.parametrize(("name", "environment", "address", "headers"), ADDRESSES)
def test_addresses_and_keys(name, environment, address, headers, monkeypatch):
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    assert sent(name, model="m") == (address, headers)


def test_a_host_knows_its_model(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    run = new_run()
    host = host_of(run, resolve(run, {"model": "claude-3-5-haiku-20241022"}))
    assert (host.window, host.max_output, host.flags["accepts_prefill"]) == (200_000, 8192, True)
    assert host.headers == {}
    assert host.flags["message_wire_format"] == "anthropic"


class TestWhatIsMissing:
    def test_a_key(self):
        assert failure(provider="xai").startswith("Missing API key: set XAI_API_KEY environment variable")
        assert "set one of TOGETHER_API_KEY, TOGETHER_AI_API_KEY " in failure(provider="together")

    def test_an_address(self, monkeypatch):
        assert failure(provider="local") == "Runtime error: provider `local` has no address: set LOCAL_LLM_BASE_URL"
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k")
        assert "set AZURE_OPENAI_ENDPOINT" in failure(provider="azure_openai")
        assert "[providers.mine]" in failure(provider="mine", model="m")

    def test_a_model(self, monkeypatch):
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k")
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://r")
        assert "no default model: pass the option `model` (the name of a deployment)" in failure(
            provider="azure_openai"
        )
        monkeypatch.setenv("HARNLITE_LLM_MODEL", "mine")
        assert sent("azure_openai")[0] == "https://r"

    @pytest.mark.parametrize("name", ["bedrock", "vertex"])
    def test_a_backend(self, name):
        assert BACKEND_PAGE in failure(provider=name, model="m")
        assert BACKEND_PAGE == "docs/models.md#writing-a-backend"


class TestChoice:
    def chosen(self, **options):
        run = new_run()
        route = resolve(run, options)
        return (route.provider, route.model) if is_chosen(run, options) else None

    def error(self, **options):
        run = new_run()
        assert not is_chosen(run, options)
        with pytest.raises(ScriptError) as caught:
            require_choice(run, 0)
        return str(caught.value.value)

    def test_nothing(self):
        text = self.error()
        for part in ("HARNLITE_LLM_PROVIDER", "HARNLITE_LLM_MODEL", "ANTHROPIC_API_KEY", "`provider`", "--llm-mock"):
            assert part in text
        assert self.error(model_tier="small") == text

    @pytest.mark.parametrize(
        ("variable", "expected"),
        [
            ("OPENAI_API_KEY", ("openai", "gpt-4o")),
            ("GOOGLE_API_KEY", ("gemini", "gemini-2.5-pro")),
            ("GROQ_API_KEY", ("groq", "llama-3.3-70b-versatile")),
            ("OLLAMA_HOST", ("ollama", "llama3.2")),
        ],
    )
    def test_one_key_chooses(self, variable, expected, monkeypatch):
        monkeypatch.setenv(variable, "x")
        assert self.chosen() == expected
        assert self.chosen(provider="auto") == expected
        assert configured_providers(configuration_of(new_run())) == [expected[0]]
        assert self.chosen(model="some-model") == (expected[0], "some-model")

    def test_one_key_and_a_tier(self, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        assert self.chosen(model_tier="small") == ("openai", "gpt-4o-mini")

    def test_several_keys(self, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        monkeypatch.setenv("OLLAMA_HOST", "x")
        text = self.error()
        assert "several providers are configured (ollama by OLLAMA_HOST, openai by OPENAI_API_KEY)" in text
        assert "HARNLITE_LLM_PROVIDER or `provider` in the table [llm]" in text
        assert self.error(model="some-model") == text
        assert self.error(model_tier="small") == text
        assert self.chosen(model="claude-sonnet-4-6") == ("anthropic", "claude-sonnet-4-6")
        monkeypatch.setenv("HARNLITE_LLM_PROVIDER", "openai")
        assert self.chosen() == ("openai", "gpt-4o")

    def test_a_file_chooses_and_the_environment_overrides_it(self, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        monkeypatch.setenv("GROQ_API_KEY", "x")
        project('[llm]\nprovider = "groq"\nmodel = "llama-3.1-8b-instant"\n')
        assert self.chosen() == ("groq", "llama-3.1-8b-instant")
        assert self.chosen(provider="openai") == ("openai", "gpt-4o")
        monkeypatch.setenv("HARNLITE_LLM_MODEL", "gpt-4.1")
        assert self.chosen() == ("openai", "gpt-4.1")
        monkeypatch.setenv("HARNLITE_LLM_PROVIDER", "xai")
        assert self.chosen() == ("xai", "grok-4")

    def test_a_model_of_a_file_chooses_its_provider(self, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        monkeypatch.setenv("GROQ_API_KEY", "x")
        project('[llm]\nmodel = "gpt-4.1"\n')
        assert self.chosen() == ("openai", "gpt-4.1")

    def test_a_fallback_takes_its_default_model(self, monkeypatch):
        monkeypatch.setenv("HARNLITE_LLM_MODEL", "gpt-4.1")
        run = new_run()
        assert resolve(run, {"provider": "ollama"}).model == "gpt-4.1"
        assert fallback_of(run, "ollama", None).model == "llama3.2"


class TestFiles:
    def test_a_provider_of_its_own(self, monkeypatch):
        monkeypatch.setenv("ACME_KEY", "k-1")
        project(
            '[providers.acme]\nbase_url = "https://acme.example.com/v1"\nkey_env = "ACME_KEY"\n'
            'chat_endpoint = "/responses"\nheaders = {X-Team = "a"}\ndefault_model = "acme-1"\n'
        )
        assert sent("acme") == ("https://acme.example.com/v1", BEARER)
        run = new_run()
        host = host_of(run, resolve(run, {"provider": "acme"}))
        assert (host.headers, host.chat_endpoint) == ({"x-team": "a"}, "/responses")

    def test_the_environment_overrides_the_address_of_a_file(self, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "k-1")
        project('[llm.providers.openai]\nbase_url = "https://proxy/v1"\n')
        assert sent("openai")[0] == "https://proxy/v1"
        monkeypatch.setenv("OPENAI_BASE_URL", "https://mine/v1")
        assert sent("openai")[0] == "https://mine/v1"

    def test_a_proxy_may_want_a_bearer_token(self, monkeypatch):
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k-1")
        project('[providers.anthropic]\nbase_url = "https://proxy/v1"\nauth_style = "bearer"\n')
        assert sent("anthropic") == ("https://proxy", BEARER)

    @pytest.mark.parametrize("command", ['"printf %s k-1"', "['printf', '  k-1\\n']"])
    def test_a_command_prints_the_key(self, command, monkeypatch):
        user(f"[providers.openai]\nkey_cmd = {command}\n", monkeypatch)
        assert sent("openai") == ("https://api.openai.com/v1", BEARER)

    def test_a_command_runs_once_and_without_a_shell(self):
        Path("key.py").write_text("import sys\nopen('count', 'a').write('x')\nprint(sys.argv[1])\n")
        project(f"[providers.openai]\nkey_cmd = ['{sys.executable}', 'key.py', '$HOME;ls']\n")
        run = new_run()
        for _again in range(3):
            assert keys_of(run).of(run, "openai") == Secret("$HOME;ls")
        assert Path("count").read_text() == "x"
        assert "$HOME;ls" in added_keys()

    @pytest.mark.parametrize(
        ("command", "text"),
        [
            ("sh -c 'echo sk-hidden; echo sk-hidden >&2; exit 3'", "ended with status 3; its output is not shown"),
            ("true", "must print one key, but printed nothing"),
            ("echo sk-hidden more", "must print one key, but printed several words"),
            ("no-such-program-here", "cannot be run: No such file or directory"),
            ("'", "cannot be read: No closing quotation"),
        ],
    )
    def test_a_command_that_fails(self, command, text, monkeypatch):
        user(f'[providers.openai]\nkey_cmd = "{command}"\n', monkeypatch)
        run = new_run()
        with pytest.raises(ScriptError) as caught:
            credentials_of(run, resolve(run, {"provider": "openai"}))
        message = str(caught.value.value)
        assert message == f"Runtime error: the key_cmd of provider `openai` {text}"

    def test_the_command_of_a_project_needs_the_capability(self, monkeypatch):
        setting = '[providers.openai]\nkey_cmd = "printf k-1"\n'
        denied = {"permissions": denying("process")}
        user(setting, monkeypatch)
        run = new_run(**denied)
        assert keys_of(run).of(run, "openai") == Secret("k-1")
        monkeypatch.delenv("HARNLITE_PROVIDERS_CONFIG")
        project(setting)
        run = new_run(**denied)
        with pytest.raises(ScriptError, match="is not permitted"):
            keys_of(run).of(run, "openai")

    def test_a_variable_of_a_project_needs_the_capability(self, monkeypatch):
        monkeypatch.setenv("OTHER_SECRET", "s-1")
        monkeypatch.setenv("OPENAI_API_KEY", "k-1")
        for variable, key in (("OPENAI_API_KEY", Secret("k-1")), ("OTHER_SECRET", None)):
            project(f'[providers.openai]\nkey_env = "{variable}"\n')
            run = new_run(permissions=denying("env"))
            if key is not None:
                assert keys_of(run).of(run, "openai") == key
                continue
            with pytest.raises(ScriptError, match="is not permitted"):
                keys_of(run).of(run, "openai")

    def test_the_address_of_a_project_needs_the_capability(self, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "k-1")
        project('[providers.openai]\nbase_url = "https://elsewhere.example.com/v1"\n')
        run = new_run(permissions=denying("net"))
        with pytest.raises(ScriptError, match="is not permitted"):
            host_of(run, resolve(run, {"provider": "openai"}))

    @pytest.mark.parametrize(
        ("line", "text"),
        [
            ('api_key = "sk-secret"', "'providers.openai.api_key' is refused: a file must not contain a key"),
            ('key_env = "sk-secret"', "providers.openai.key_env must be the name of an environment variable"),
            ('headers = {Authorization = "Bearer sk-secret"}', "'providers.openai.headers.Authorization' is refused"),
            ('base_url = "https://user:sk-secret@host/v1"', "must not contain a user and password"),
            ("headers = {a = 1}", "providers.openai.headers.a must be a string"),
            ('base_ulr = "x"', "unknown key 'providers.openai.base_ulr'; did you mean 'providers.openai.base_url'?"),
            ("rpm = 1.5", "providers.openai.rpm must be a whole number"),
            ("key_cmd = []", "providers.openai.key_cmd must not be empty"),
            ("key_cmd = 5", "providers.openai.key_cmd must be a string or a list"),
        ],
    )
    def test_files_are_checked(self, line, text, monkeypatch):
        user(f"[providers.openai]\n{line}\n", monkeypatch)
        with pytest.raises(ScriptError) as caught:
            configuration_of(new_run())
        assert text in str(caught.value.value)
        assert "providers.toml:2:1: " in str(caught.value.value)
        assert "sk-secret" not in str(caught.value.value)
        monkeypatch.delenv("HARNLITE_PROVIDERS_CONFIG")
        for head, prefix in (("providers", ""), ("llm.providers", "llm.")):
            project(f"[{head}.openai]\n{line}\n")
            with pytest.raises(ScriptError) as caught:
                configuration_of(new_run())
            assert text.replace("providers.", prefix + "providers.") in str(caught.value.value)

    def test_a_file_that_is_named_must_exist(self, monkeypatch):
        monkeypatch.setenv("HARNLITE_PROVIDERS_CONFIG", "nowhere.toml")
        with pytest.raises(ScriptError, match=r"cannot read nowhere\.toml"):
            configuration_of(new_run())


class TestDialects:
    @pytest.fixture(autouse=True)
    def _modules(self, monkeypatch):
        for name, attribute in (
            ("anthropic", "DIALECT"),
            ("gemini", "DIALECT"),
            ("ollama", "DIALECT"),
            ("openai_chat", "OPENAI_CHAT"),
            ("openai_responses", "OPENAI_RESPONSES"),
        ):
            monkeypatch.setitem(
                sys.modules, f"harnlite.llm.dialects.{name}", SimpleNamespace(**{attribute: f"the {name}"})
            )

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            ({"provider": "anthropic"}, "anthropic"),
            ({"provider": "gemini"}, "gemini"),
            ({"provider": "ollama"}, "ollama"),
            ({"provider": "openai"}, "openai_chat"),
            ({"provider": "groq"}, "openai_chat"),
            ({"provider": "acme", "model": "m"}, "openai_chat"),
            ({"provider": "openai", "api_mode": "responses"}, "openai_responses"),
            ({"provider": "openai", "model": "gpt-5-codex"}, "openai_responses"),
            ({"provider": "openai", "model": "gpt-5-codex", "api_mode": "chat"}, "openai_chat"),
            ({"provider": "openai", "model": "o3-pro-2025-06-10"}, "openai_responses"),
            ({"provider": "openai", "model": "o1-pro"}, "openai_responses"),
            ({"provider": "openai", "model": "gpt-5-pro-2025-10-06"}, "openai_responses"),
            ({"provider": "openai", "model": "gpt-5.2-codex"}, "openai_responses"),
            ({"provider": "openai", "model": "o3-deep-research"}, "openai_responses"),
            ({"provider": "azure_openai", "model": "gpt-5-pro"}, "openai_responses"),
            ({"provider": "openrouter", "model": "openai/gpt-5-pro"}, "openai_chat"),
            ({"provider": "wired", "model": "claude-x"}, "anthropic"),
            ({"provider": "responding", "model": "m"}, "openai_responses"),
        ],
    )
    def test_choice(self, options, expected):
        project(
            '[[capabilities.provider.wired]]\nmessage_wire_format = "anthropic"\n'
            '[providers.responding]\nbase_url = "http://x/v1"\nchat_endpoint = "/responses"\n'
        )
        run = new_run()
        assert dialect_of(run, resolve(run, options), options) == f"the {expected}"
