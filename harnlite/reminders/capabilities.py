"""The capabilities of routes: a table of rows. The first row of a provider whose glob matches the model applies."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

ANTHROPIC, OPENAI, GEMINI, OLLAMA = "anthropic", "openai", "gemini", "ollama"
NATIVE, TEXT = "native", "text"
"""The formats of tool calls."""

WIRE_FORMATS = {ANTHROPIC: ANTHROPIC, GEMINI: GEMINI, OLLAMA: OLLAMA}
"""The wire formats of providers. All other providers use the format of openai."""

_DATE_DIGITS = 4

OPENAI_FAMILY = frozenset({
    "openrouter",
    "together",
    "groq",
    "cerebras",
    "deepseek",
    "fireworks",
    "huggingface",
    "local",
    "dashscope",
    "llamacpp",
    "mlx",
    "minimax",
    "zai",
    "nvidia",
})  # fmt: skip
"""The providers that use the rows of openai if no row of their own matches."""


class Row:
    """The capabilities of the models of one provider whose names match one of the globs."""

    __slots__ = ("flags", "globs", "provider", "version_min")

    def __init__(
        self,
        provider: str,
        globs: Iterable[str],
        flags: Mapping[str, Any],
        version_min: tuple[int, ...] = (),
    ) -> None:
        self.provider = provider
        self.globs = tuple(glob.lower() for glob in globs)
        self.flags = flags
        self.version_min = version_min

    def fits(self, model: str) -> bool:
        """Return whether this row applies to a model. The name is in lower case."""
        if not any(glob_fits(glob, model) for glob in self.globs):
            return False
        return not self.version_min or version_of(model) >= self.version_min


class Capabilities:
    """The ways in which one route accepts reminders."""

    __slots__ = (
        "accepts_system",
        "message_wire_format",
        "prefers_role_developer",
        "prefers_xml_scaffolding",
        "prompt_caching",
        "route",
    )

    def __init__(
        self,
        route: str = "",
        *,
        prefers_role_developer: bool = False,
        prefers_xml_scaffolding: bool = False,
        message_wire_format: str = OPENAI,
        prompt_caching: bool = False,
        accepts_system: bool = True,
    ) -> None:
        self.route = route
        self.prefers_role_developer = prefers_role_developer
        self.prefers_xml_scaffolding = prefers_xml_scaffolding
        self.message_wire_format = message_wire_format
        self.prompt_caching = prompt_caching
        self.accepts_system = accepts_system


FLAGS = tuple(flag for flag in Capabilities.__slots__ if flag != "route")

_PLAIN: dict[str, Any] = {}
_DEVELOPER = {"prefers_role_developer": True}
_CACHING_DEVELOPER = {**_DEVELOPER, "prompt_caching": True}
_XML = {"prefers_xml_scaffolding": True}
_CLAUDE_WIRE = {**_XML, "message_wire_format": ANTHROPIC}
_CLAUDE = {**_CLAUDE_WIRE, "prompt_caching": True}
_GEMINI_WIRE = {**_XML, "message_wire_format": GEMINI}

_THINKERS = ("o1*", "o3*", "o4*")
_GPTS = ("gpt-4o*", "gpt-4.1*", "gpt-5*", "gpt-*")

ROWS = (
    Row(OPENAI, (*_THINKERS, "openai/o1*", "openai/o3*", "openai/o4*"), _CACHING_DEVELOPER),
    Row(OPENAI, _GPTS, _PLAIN),
    Row("azure_openai", _THINKERS, _DEVELOPER),
    Row("azure_openai", ("gpt-*",), _PLAIN),
    Row(ANTHROPIC, ("claude-*", "anthropic/claude-*"), _CLAUDE),
    Row("bedrock", ("anthropic.claude-*",), _CLAUDE_WIRE),
    Row("bedrock", ("*claude*",), _XML),
    Row("bedrock", ("*",), _PLAIN),
    Row("vertex", ("gemini-*",), _PLAIN),
    Row(GEMINI, ("gemini-*", "models/gemini-*"), _GEMINI_WIRE),
    Row(GEMINI, ("gemma-4*",), _PLAIN),
    Row("openrouter", ("google/gemini-2.5*",), _PLAIN),
    Row("mock", ("claude-*",), _CLAUDE),
    Row("mock", _THINKERS, _CACHING_DEVELOPER),
    Row("mock", ("gpt-*",), _PLAIN),
    Row("mock", ("gemini-*",), _GEMINI_WIRE),
)

INFERENCE = (
    ("claude-*", ANTHROPIC),
    ("gpt-*", OPENAI),
    ("o1*", OPENAI),
    ("o3*", OPENAI),
    ("o4*", OPENAI),
    ("gemini-*", GEMINI),
    ("anthropic.claude-*", "bedrock"),
    ("local:*", OLLAMA),
    ("ollama:*", OLLAMA),
    ("hf:*", "huggingface"),
    ("huggingface:*", "huggingface"),
)
"""The providers that are inferred from the name of a model."""

DEFAULT_MODEL = "claude-sonnet-4-6"
DEFAULT_MODELS = {
    OPENAI: "gpt-4o",
    OLLAMA: "llama3.2",
    "openrouter": "anthropic/claude-sonnet-4.6",
}
"""The default models of providers."""


def default_model(provider: str) -> str:
    """Return the default model of a provider."""
    return DEFAULT_MODELS.get(provider, DEFAULT_MODEL)


def capabilities_of(provider: str, model: str | None, rows: Iterable[Mapping[str, Any]] = ()) -> Capabilities:
    """Return the capabilities of a route. `rows` are the user's tables for the provider; they take precedence."""
    route, name = provider.lower(), (model or "").lower()
    row = _first([_user_row(route, table) for table in rows], route, name) or _first(ROWS, route, name)
    if row is None and route in OPENAI_FAMILY:
        row = _first(ROWS, OPENAI, name)
    flags = {"message_wire_format": WIRE_FORMATS.get(route, OPENAI), **(row.flags if row else {})}
    return Capabilities(f"{provider}:{model or ''}", **{flag: flags[flag] for flag in FLAGS if flag in flags})


def _first(rows: Iterable[Row], provider: str, model: str) -> Row | None:
    return next((row for row in rows if row.provider == provider and row.fits(model)), None)


def infer_provider(model: str) -> str | None:
    """Return the provider that the name of a model implies, or None."""
    name = model.lower()
    return next((provider for glob, provider in INFERENCE if glob_fits(glob, name)), None)


def _user_row(provider: str, table: Mapping[str, Any]) -> Row:
    """Make a row from one `[[provider.X]]` table; `version_min` may be `[4, 5]` or `"4.5"`."""
    given = table.get("version_min", ())
    parts = given if isinstance(given, (list, tuple)) else str(given).split(".")
    version_min = tuple(int(part) for part in map(str, parts) if part.isdecimal())
    return Row(provider, (str(table.get("model_match", "*")),), table, version_min)


def version_of(model: str) -> tuple[int, ...]:
    """Return the version in the name of a model: (4, 6) for `claude-sonnet-4-6`. Dates are not versions."""
    found: list[int] = []
    for part in model.replace(".", "-").split("-"):
        if part.isdecimal() and len(part) < _DATE_DIGITS:
            found.append(int(part))
        elif found:
            break
    return tuple(found)


def glob_fits(glob: str, text: str) -> bool:
    """Return whether a text matches a glob: `*` matches any text, even an empty one; all else is literal."""
    first, *rest = glob.split("*")
    if not rest:
        return text == glob
    *middle, last = rest
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    place, end = len(first), len(text) - len(last)
    for part in middle:
        place = text.find(part, place, end)
        if place < 0:
            return False
        place += len(part)
    return True
