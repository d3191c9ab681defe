"""Scripts that run against the fake vendors, what they print, and what arrives at the server."""

import contextlib
import json
import os

import pytest

from harnlite import Engine
from tests.vendors import vendor_server

ADDRESSES = {
    "anthropic": ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
    "gemini": ("GEMINI_BASE_URL", "GEMINI_API_KEY"),
    "ollama": ("OLLAMA_HOST", "OLLAMA_TEST_UNUSED"),
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_KEY"),
}
MODELS = {"anthropic": "claude-sonnet-4-6", "gemini": "gemini-2.5-pro", "ollama": "llama3.2", "openai": "gpt-4o"}
OLLAMA_MODELS = ("llama3.2", "llava", "qwen3", "gemma2", "gpt-oss")
PREFIXES = ("HARN", "LOCAL_LLM", "GOOGLE_")
TOOLS = """
let tools = tool_define(tool_registry(), "look", "Looks.", {
  parameters: {at: {type: "string", description: "where"}},
  handler: { a -> if a.at == "bad" { throw "no such place" }; "seen ${a.at}" },
})
"""


class Ran:
    """A finished run: what it printed, as JSON if it is, and the requests that arrived meanwhile."""

    def __init__(self, outcome, requests, refusals):
        self.out, self.notes = outcome.stdout.strip(), outcome.stderr.strip()
        self.error = "" if outcome.error is None else str(outcome.error)
        self.requests = requests
        self.refusals = [refusal.message for refusal in refusals]

    @property
    def value(self):
        assert not self.error, self.error
        return json.loads(self.out)

    @property
    def bodies(self):
        return [request.json() for request in self.requests]

    @property
    def body(self):
        [body] = self.bodies
        return body


class Vendor:
    """A fake vendor, and scripts that call it. `PROVIDER` and `MODEL` in a script are replaced."""

    def __init__(self, name, server):
        self.name, self.server = name, server

    def run(self, program, *replies, model=None, default=None, **engine):
        server = self.server
        server.requests.clear()
        server.refusals.clear()
        server.set_replies(*replies, default=default)
        program = program.replace("PROVIDER", f'"{self.name}"').replace("MODEL", f'"{model or MODELS[self.name]}"')
        outcome = Engine(cache=False, **{"deadline": 60, **engine}).run(program)
        return Ran(outcome, list(server.requests), list(server.refusals))

    def call(self, options, *replies, model=None, prompt='"hi"', system="nil"):
        """Print the response of one call, or its error."""
        program = f"""
        let r = llm_call_safe({prompt}, {system}, {{provider: PROVIDER, model: MODEL, {options}}})
        println(json_stringify(if r.ok {{ r.response }} else {{ r.error }}))
        """
        return self.run(program, *(replies or ("ok",)), model=model)

    def loop(self, options, *replies, model=None, task="go"):
        """Print the result of a loop with the tool `look`, without its transcript."""
        program = f"""{TOOLS}
        let r = agent_loop("{task}", "Be terse.", {{provider: PROVIDER, model: MODEL, tools: tools, llm_backoff_ms: 1,
          {options}}})
        println(json_stringify({{status: r.status, stop: r.stop_reason, acp: r.acp_stop_reason, text: r.text,
          tools: r.tools, llm: r.llm, error: r.error, cost: r.cost_usd, hidden: r.private_reasoning}}))
        """
        return self.run(program, *replies, model=model)


@pytest.fixture(scope="session")
def servers():
    """All fake vendors, each started once."""
    with contextlib.ExitStack() as stack:
        models = {"ollama": OLLAMA_MODELS}
        yield {name: stack.enter_context(vendor_server(name, models=models.get(name, ()))) for name in ADDRESSES}


@pytest.fixture
def vendors(servers, monkeypatch):
    """The fake vendors, with the variables with which a run finds them."""
    for name in list(os.environ):
        if name.startswith(PREFIXES) or name.endswith("_API_KEY") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name, raising=False)
    for name, server in servers.items():
        address, key = ADDRESSES[name]
        monkeypatch.setenv(address, server.base_url)
        monkeypatch.setenv(key, server.key)
    return {name: Vendor(name, server) for name, server in servers.items()}


def text_of(body):
    """Return all text of a request, whatever its form."""
    return json.dumps(body, ensure_ascii=False)


def ids(table):
    """Return the first column of a table, as the names of its tests."""
    return [str(row[0])[:60] for row in table]
