"""The routes whose requests are compared with golden files: one file for each provider or form of its address."""

import dataclasses
from collections.abc import Mapping

NO_SYSTEM = "accepts_system = false"
NO_CACHE = "prompt_caching = false"
TOOLS = "native_tools = true"
DEVELOPER = "prefers_role_developer = true"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A model of a provider. `row` is a capability row that replaces the built-in one; `api` is an option of calls."""

    model: str
    row: str = ""
    api: str = ""
    takes_marks: bool = False

    @property
    def title(self) -> str:
        """Return the name of the route in the golden file."""
        return ", ".join([self.model, *filter(None, [*self.row.splitlines(), self.api and f"api_mode = {self.api}"])])


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """The routes of one golden file. `path` is appended to the address, `variables` are set in the environment."""

    provider: str
    routes: tuple[Route, ...]
    path: str = ""
    variables: Mapping[str, str] = dataclasses.field(default_factory=dict)


def _host(name: str, *routes: Route) -> Backend:
    return Backend(provider=name, routes=routes)


def _xml(model: str, rest: str) -> Route:
    return Route(model=model, row=f'prefers_xml_scaffolding = true\nmessage_wire_format = "anthropic"\n{rest}')


def _usual(name: str, model: str) -> Backend:
    return _host(name, Route(model=model), Route(model=model, row=NO_SYSTEM))


_AZURE = (Route(model="gpt-4o"), Route(model="o3"), Route(model="gpt-4o", row=NO_SYSTEM))
BACKENDS: dict[str, Backend] = {
    "anthropic": _host(
        "anthropic",
        Route(model="claude-sonnet-4-6", takes_marks=True),
        _xml("claude-sonnet-4-6", NO_CACHE),
        _xml("claude-sonnet-4-6", f"prompt_caching = true\n{NO_SYSTEM}"),
    ),
    "openai_chat": _host(
        "openai",
        Route(model="gpt-4o"),
        Route(model="gpt-5"),
        Route(model="o3"),
        Route(model="gpt-4o", row=NO_SYSTEM),
        Route(model="o3", row=f"{DEVELOPER}\n{NO_SYSTEM}"),
    ),
    "openai_responses": _host(
        "openai",
        Route(model="gpt-4o", api="responses"),
        Route(model="o3", api="responses"),
        Route(model="o3-pro"),
        Route(model="gpt-4o", row=NO_SYSTEM, api="responses"),
    ),
    "azure_deployments": Backend(
        provider="azure_openai",
        routes=_AZURE,
        variables={"OPENAI_API_VERSION": "2025-04-01-preview"},
    ),
    "azure_v1": Backend(
        provider="azure_openai",
        routes=(*_AZURE, Route(model="o3", api="responses")),
        path="/openai/v1",
    ),
    "gemini": _host(
        "gemini",
        Route(model="gemini-2.5-pro"),
        Route(model="gemma-4-31b-it", row=TOOLS),
        Route(
            model="gemini-2.5-pro",
            row=f'prefers_xml_scaffolding = true\nmessage_wire_format = "gemini"\n{NO_SYSTEM}',
        ),
    ),
    "ollama": Backend(
        provider="ollama",
        routes=(Route(model="llama3.2"), Route(model="llama3.2", row=NO_SYSTEM)),
    ),
    "local": Backend(
        provider="local",
        routes=(
            Route(model="Qwen/Qwen3-8B", row=TOOLS),
            Route(model="Qwen/Qwen3-8B", row=f"{TOOLS}\n{NO_SYSTEM}"),
        ),
    ),
    "openrouter": _host(
        "openrouter",
        Route(model="anthropic/claude-sonnet-4.6"),
        Route(model="openai/o3"),
        Route(model="google/gemini-2.5-pro"),
        Route(model="anthropic/claude-sonnet-4.6", row=NO_SYSTEM),
    ),
    "groq": _usual("groq", "llama-3.3-70b-versatile"),
    "together": _usual("together", "meta-llama/Llama-3.3-70B-Instruct-Turbo"),
    "deepseek": _usual("deepseek", "deepseek-chat"),
    "fireworks": _usual("fireworks", "accounts/fireworks/models/llama-v3p3-70b-instruct"),
    "mistral": _usual("mistral", "mistral-large-latest"),
    "xai": _usual("xai", "grok-4"),
}
