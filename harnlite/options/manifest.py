"""The tables of harn.toml that do not belong to a command, and the check of their keys and values."""

from __future__ import annotations

from harnlite.capabilities.grants import grants_of
from harnlite.capabilities.limit_table import checked_limit
from harnlite.diagnostics.suggest import near_name
from harnlite.options.validation import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harnlite.options.validation import Accepted

LLM = """
provider: string; The provider for calls that do not specify one; HARNLITE_LLM_PROVIDER overrides it.
model: string; The model for calls that do not specify one; HARNLITE_LLM_MODEL overrides it.
default_provider: string; The provider for models that no rule assigns to another one.
providers: dict; The addresses and API keys of providers, by name.
aliases: dict; The models that other names stand for, as `{id, provider}`.
models: dict; What is known about models, by patterns of names.
tiers: dict; The models of the tiers, by tier.
inference_rules: list<dict<rule>>; The providers of models, by patterns of names.
tier_rules: list<dict<rule>>; The tiers of models, by patterns of names.
"""
PROVIDER = """
base_url: string; The address, with its version: `https://llm.example.com/v1`.
chat_endpoint: string; The path after the address: `/responses` selects the Responses API of OpenAI.
key_env: string | list<string>; The environment variables that may contain the API key; the first that is set counts.
key_cmd: string | list<string>; The command that prints the API key. It runs once per run, without a shell.
headers: dict; Headers of every request; they must not contain a key.
default_model: string; The model for calls that do not specify one.
fallback: string; The provider that is called when this one fails.
display_name: string; The name for people.
rpm: int; The maximum number of requests per minute.
cost_per_1k_in: float; The price of 1000 tokens of input in USD.
cost_per_1k_out: float; The price of 1000 tokens of output in USD.
base_url_env: string | list<string>; The environment variables that override the address.
auth_style: string; How the key is sent: `bearer`, `header` or `none`.
auth_env: string; The same as key_env.
auth_envs: list<string>; The same as key_env.
extra_headers: dict; The same as headers.
"""
MODEL = """
provider: string; The provider of the model.
family: string; The family of the model.
tier: string; The tier of the model: small, mid or frontier.
tool_format: string; How tools are described to the model: native or text.
context_window: int; The size of the context window in tokens.
max_output_tokens: int; The maximum number of tokens in a reply.
pricing: dict<pricing>; The prices.
native_tools: bool; Whether the model calls tools in its own format.
preferred_tool_format: string; How tools are described to the model: native or text.
tool_mode_parity: string; How well the model does with the other format of tools.
defer_loading: bool; Whether definitions of tools may be loaded later.
tool_search: list<string>; The native searches for tools.
max_tools: int; The maximum number of tools.
prompt_caching: bool; Whether prompts can be cached.
thinking: bool; Whether the model can think before it answers.
thinking_modes: list<string>; The ways to request it: enabled, adaptive, effort.
interleaved_thinking_supported: bool; Whether the model can think between calls of tools.
anthropic_beta_features: list<string>; The beta features that requests name.
vision_supported: bool; Whether messages may contain images.
audio: bool; Whether messages may contain audio.
pdf: bool; Whether messages may contain PDF files.
preserve_thinking: bool; Whether thinking is sent back.
requires_completion_tokens: bool; Whether the limit of the reply is named max_completion_tokens.
reasoning_effort_supported: bool; Whether the model takes a reasoning effort.
structured_output: string; How answers follow a schema: native, tool_use, format or json_object.
accepts_temperature: bool; Whether the model accepts a temperature.
accepts_top_p_with_temperature: bool; Whether it accepts top_p together with a temperature.
accepts_prefill: bool; Whether the last message may be the beginning of the answer.
responses_only: bool; Whether the model has only the Responses API of OpenAI.
"""
PRICING = """
input_per_mtok: float; USD per million tokens of input.
output_per_mtok: float; USD per million tokens of output.
cache_read_per_mtok: float; USD per million tokens of input that are read from the cache.
cache_write_per_mtok: float; USD per million tokens of input that are written to the cache.
"""
RULE = """
pattern: string; A pattern of names of models.
provider: string; The provider of these models.
tier: string; The tier of these models.
"""
HOOKS = """
event: string; The event.
pattern: string; The tools, steps or payloads that the hook is for.
handler: string; The function, as `FILE.harn::function`.
"""
HOOK = """
reminders: list<string>; Canonical reminder providers that run in coding agents too; `-id` turns one off.
context_window: int; The size of the context window in tokens, for agents and models that do not state it.
"""
SKILLS = """
paths: list<string>; The folders that contain skills.
"""
CAPABILITIES = """
allow: list<string>; The capabilities that scripts have only in a scope, as `CAPABILITY=SCOPE`.
deny: list<string>; The capabilities that scripts do not have.
provider: dict; What the models of a provider can do, as [[capabilities.provider.NAME]].
"""
PACKAGE = """
name: string; The name of the package.
version: string; The version of the package.
description: string; A sentence about the package.
entry: string; The program that the package runs.
authors: list<string>; The authors.
license: string; The licence.
readme: string; The file with the description.
homepage: string; The address of the home page.
repository: string; The address of the repository.
documentation: string; The address of the documentation.
keywords: list<string>; Words by which the package is found.
"""
LIMITS_SECTION = "limits"
SECTIONS = {
    "capabilities": CAPABILITIES,
    "hook": HOOK,
    "hooks": HOOKS,
    "llm": LLM,
    "package": PACKAGE,
    "skills": SKILLS,
}
NAMED = {"llm.providers": PROVIDER, "providers": PROVIDER, "llm.models": MODEL, "models": MODEL}
"""The tables whose keys are names of providers, or patterns of names of models."""
_KINDS = {str: "string", int: "int", float: "float", bool: "bool", list: "list", dict: "dict"}


class ManifestFault:
    """A wrong key or value: the path to it, and a message that names it."""

    __slots__ = ("message", "path")

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        self.path = path
        self.message = message


def manifest_fault(values: Mapping[str, object]) -> ManifestFault | None:
    """Return the first fault in a table of SECTIONS, or in the tables `limits` and `providers`, or None."""
    for section in (*SECTIONS, LIMITS_SECTION):
        if section in values:
            found = next(_faults(values[section], section), None)
            if found is not None:
                return found
    return next(_in_named(values["providers"], ("providers",)), None) if "providers" in values else None


def providers_fault(values: Mapping[str, object]) -> ManifestFault | None:
    """Return the first fault in a file of providers, whose keys are those of the table `llm`, or None."""
    return next(_in_table(values, (), LLM), None)


def _faults(value: object, section: str) -> Iterator[ManifestFault]:
    if section == LIMITS_SECTION:
        yield from _limit_faults(value)
        return
    table = SECTIONS[section]
    if section != "hooks":
        yield from _in_table(value, (section,), table)
        if section == "capabilities" and isinstance(value, dict):
            yield from _capability_faults(value)
    elif not isinstance(value, list):
        yield ManifestFault((section,), "hooks must be an array of tables, each written as [[hooks]]")
    else:
        for index, entry in enumerate(value):
            yield from _in_table(entry, (section, index), table)


def _capability_faults(table: Mapping[str, list[str]]) -> Iterator[ManifestFault]:
    for key in ("allow", "deny"):
        for item in table.get(key, ()):
            try:
                grants_of("", "", **{key: [item]})  # type: ignore[arg-type]  # each key is an argument
            except ValueError as error:
                yield ManifestFault(("capabilities", key), f"capabilities.{key}: {error}")


def _limit_faults(table: object) -> Iterator[ManifestFault]:
    if not isinstance(table, dict):
        yield ManifestFault((LIMITS_SECTION,), f"{LIMITS_SECTION} must be a table")
        return
    for name, value in table.items():
        try:
            checked_limit(name, value)
        except ValueError as error:
            yield ManifestFault((LIMITS_SECTION, name), f"{LIMITS_SECTION}: {error}")


def _in_named(value: object, path: tuple[str | int, ...]) -> Iterator[ManifestFault]:
    """Yield the faults in a table of tables by name."""
    if not isinstance(value, dict):
        yield ManifestFault(path, f"{_name(path)} must be a table")
        return
    table = NAMED[_name(path)]
    for name, entry in value.items():
        here = (*path, name)
        if table is PROVIDER and isinstance(entry, dict):
            yield from _exposed_keys(entry, here)
        yield from _in_table(entry, here, table)


def _in_table(value: object, path: tuple[str | int, ...], table: str) -> Iterator[ManifestFault]:
    if not isinstance(value, dict):
        yield ManifestFault(path, f"{_name(path)} must be a table")
        return
    known = rows(table, globals())
    for key, item in value.items():
        option = known.get(key)
        here = (*path, key)
        if option is None:
            near = near_name(key, known)
            hint = f"; did you mean '{_name((*path, near))}'?" if near else ""
            yield ManifestFault(here, f"unknown key '{_name(here)}'{hint}")
        else:
            yield from _in_value(item, here, option)


def _in_value(item: object, here: tuple[str | int, ...], option: Accepted) -> Iterator[ManifestFault]:
    kind = _KINDS.get(item.__class__)
    if kind not in option.kinds and not (kind == "int" and "float" in option.kinds):
        yield ManifestFault(here, f"{_name(here)} must be {' or '.join([_KIND_NAMES[one] for one in option.kinds])}")
    elif option.items is not None and isinstance(item, list):
        for index, one in enumerate(item):
            if option.items.keys:
                yield from _in_table(one, (*here, index), globals()[option.items.keys.upper()])
            elif _KINDS.get(one.__class__) not in option.items.kinds:
                yield ManifestFault(here, f"{_name(here)} must be {_KIND_NAMES['list']} of strings")
    elif isinstance(item, dict) and option.keys:
        yield from _in_table(item, here, globals()[option.keys.upper()])
    elif isinstance(item, dict) and _name(here) in NAMED:
        yield from _in_named(item, here)


_KIND_NAMES = {
    "string": "a string",
    "list": "a list",
    "dict": "a table",
    "int": "a whole number",
    "float": "a number",
    "bool": "a bool: true or false",
}
_SECRET_KEYS = frozenset({"api_key", "apikey", "key", "token", "auth_token", "secret", "password", "bearer"})
_SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"}
)
_ADVICE = "a file must not contain a key; key_env names the variable that does, key_cmd the command that prints it"


def _exposed_keys(entry: dict[str, object], path: tuple[str | int, ...]) -> Iterator[ManifestFault]:
    """Yield the places at which the settings of a provider contain a key, without its text."""
    for key, value in entry.items():
        here = (*path, key)
        if key.lower().replace("-", "_") in _SECRET_KEYS:
            yield ManifestFault(here, f"'{_name(here)}' is refused: {_ADVICE}")
        elif key == "key_cmd" and not value:
            yield ManifestFault(here, f"{_name(here)} must not be empty")
        elif key in ("key_env", "auth_env", "auth_envs"):
            for name in value if isinstance(value, list) else [value]:
                if isinstance(name, str) and not (name.isidentifier() and name.isascii()):
                    yield ManifestFault(here, f"{_name(here)} must be the name of an environment variable: {_ADVICE}")
        elif key == "base_url" and isinstance(value, str) and "@" in value.partition("://")[2].partition("/")[0]:
            yield ManifestFault(here, f"{_name(here)} must not contain a user and password: {_ADVICE}")
        elif key in ("headers", "extra_headers") and isinstance(value, dict):
            yield from _exposed_headers(value, here)


def _exposed_headers(headers: dict[str, object], path: tuple[str | int, ...]) -> Iterator[ManifestFault]:
    for header, text in headers.items():
        name = f"{_name(path)}.{header}"
        if header.lower() in _SECRET_HEADERS:
            yield ManifestFault(path, f"'{name}' is refused: {_ADVICE}")
        elif not isinstance(text, str):
            yield ManifestFault(path, f"{name} must be a string")


def _name(path: tuple[str | int, ...]) -> str:
    return ".".join([part for part in path if isinstance(part, str)])


def place_of(text: str, path: tuple[str | int, ...]) -> tuple[int, int] | None:
    """Return the line and the column of a key in the text of a TOML file, or None if it is not found."""
    names = [part for part in path if isinstance(part, str)]
    wanted = next((part for part in path if isinstance(part, int)), 0)
    header: list[str] = []
    count = -1
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("["):
            header = [part.strip().strip("\"'") for part in stripped.strip("[] \t").partition("]")[0].split(".")]
            count += stripped.startswith("[[") and header == names[: len(header)]
            if header[: len(names)] == names:
                return number, len(line) - len(line.lstrip()) + 1
        key, sign, _ = stripped.partition("=")
        is_ours = sign and [*header, *[part.strip().strip("\"'") for part in key.split(".")]] == names
        if is_ours and (count < 0 or count == wanted):
            return number, len(line) - len(line.lstrip()) + 1
    return None
