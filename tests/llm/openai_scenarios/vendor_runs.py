"""Scripts that the engine runs against fakes of vendors, over real sockets."""

import contextlib
import os

from harnlite.host.engine import Engine
from tests.vendors import vendor_server

SETTINGS = {
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL", "gpt-4o"),
    "azure_openai": ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "gpt-4o"),
    "openrouter": ("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "anthropic/claude-sonnet-4.6"),
    "groq": ("GROQ_API_KEY", "GROQ_BASE_URL", "llama-3.3-70b-versatile"),
    "together": ("TOGETHER_AI_API_KEY", "TOGETHER_BASE_URL", "meta-llama/Llama-3.3-70B-Instruct-Turbo"),
    "deepseek": ("DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", "deepseek-chat"),
    "fireworks": ("FIREWORKS_API_KEY", "FIREWORKS_BASE_URL", "accounts/fireworks/models/llama-v3p3-70b-instruct"),
    "mistral": ("MISTRAL_API_KEY", "MISTRAL_BASE_URL", "mistral-large-latest"),
    "xai": ("XAI_API_KEY", "XAI_BASE_URL", "grok-3-mini"),
    "local": ("LOCAL_LLM_API_KEY", "LOCAL_LLM_BASE_URL", "Qwen/Qwen3-8B"),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "claude-sonnet-4-6"),
    "gemini": ("GEMINI_API_KEY", "GEMINI_BASE_URL", "gemini-2.5-pro"),
}
"""The variable of the key, the variable of the address, and a model of each vendor."""

COMPATIBLE = tuple(name for name in SETTINGS if name not in ("anthropic", "gemini"))
_OTHERS = ("HARN_", "HARNLITE_", "LLM_", "LOCAL_LLM_", "OLLAMA_", "OPENAI_", "AZURE_", "HF_", "XDG_CONFIG")


def clean_environment(monkeypatch):
    """Remove everything that configures a model."""
    for name in list(os.environ):
        if name.startswith(_OTHERS) or name.endswith(("_API_KEY", "_BASE_URL")):
            monkeypatch.delenv(name)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


class Outcome:
    """What a script wrote, and what the server received from it."""

    def __init__(self, result, server):
        self.exit_code = result.exit_code
        self.lines = [line.removeprefix("[harn] ") for line in result.stdout.splitlines()]
        self.notes = [line.removeprefix("[harn] warning: ") for line in result.stderr.splitlines()]
        self.error = str(result.error) if result.error else ""
        self.server = server
        self.requests = list(server.requests)
        self.refusals = [refusal.message for refusal in server.refusals]

    @property
    def bodies(self):
        return [request.json() for request in self.requests]

    @property
    def body(self):
        return self.requests[-1].json()


class Vendors:
    """Servers of the vendors, started on first use, and runs against them."""

    def __init__(self, stack):
        self._stack = stack
        self._servers = {}

    def server(self, name, *replies, default=None):
        """Return the server of a vendor with these replies and no requests."""
        if name not in self._servers:
            self._servers[name] = self._stack.enter_context(vendor_server(name))
        server = self._servers[name]
        server.requests.clear()
        server.refusals.clear()
        server.set_replies(*replies, default=default)
        return server

    def configure(self, name, monkeypatch, *replies, default=None):
        """Set the variables of a vendor, and return its server."""
        server = self.server(name, *replies, default=default)
        key, address, _model = SETTINGS[name]
        monkeypatch.setenv(key, server.key)
        monkeypatch.setenv(address, server.base_url)
        return server

    def run(self, name, script, *replies, model=None, default=None, **engine):
        """Run a script in which P and M stand for the provider and the model."""
        server = self.server(name, *replies, default=default)
        key, address, usual = SETTINGS[name]
        with _variables({key: server.key, address: server.base_url}):
            result = Engine(**engine).run(script.replace("$P", name).replace("$M", model or usual))
        return Outcome(result, server)

    def call(self, name, options="", *replies, shown="r.text", prompt="hi", **more):
        """Make one call and log some fields of its result."""
        given = f"{{provider: $P, model: $M, {options}}}".replace("$P", '"$P"').replace("$M", '"$M"')
        script = f'let r = llm_call("{prompt}", nil, {given})\nlog({shown})\n'
        return self.run(name, script, *(replies or ("hello",)), **more)


@contextlib.contextmanager
def _variables(values):
    old = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in old.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
