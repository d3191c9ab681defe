"""The tables of harn.toml that do not belong to a command, and the check of their keys and values."""

from __future__ import annotations

from harnlite.capabilities.grants import grants_of
from harnlite.capabilities.limit_table import checked_limit
from harnlite.diagnostics.suggest import near_name
from harnlite.options.validation import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LLM = """
default_provider: string; The provider for models that no rule assigns to another one.
providers: dict; The addresses and API keys of providers, by name.
aliases: dict; The models that other names stand for, as `{id, provider}`.
models: dict; The context windows and prices of models, by name.
tiers: dict; The models of the tiers, by tier.
inference_rules: list<dict<rule>>; The providers of models, by patterns of names.
tier_rules: list<dict<rule>>; The tiers of models, by patterns of names.
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
SECTIONS = {"capabilities": CAPABILITIES, "hooks": HOOKS, "llm": LLM, "package": PACKAGE, "skills": SKILLS}
_KINDS = {str: "string", int: "int", float: "float", bool: "bool", list: "list", dict: "dict"}


class ManifestFault:
    """A wrong key or value: the path to it, and a message that names it."""

    __slots__ = ("message", "path")

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        self.path = path
        self.message = message


def manifest_fault(values: Mapping[str, object]) -> ManifestFault | None:
    """Return the first fault in a table of SECTIONS or in the table `limits`, or None."""
    for section in (*SECTIONS, LIMITS_SECTION):
        if section in values:
            found = next(_faults(values[section], section), None)
            if found is not None:
                return found
    return None


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


def _in_table(value: object, path: tuple[str | int, ...], table: str) -> Iterator[ManifestFault]:
    name = _name(path)
    if not isinstance(value, dict):
        yield ManifestFault(path, f"{name} must be a table")
        return
    known = rows(table, globals())
    for key, item in value.items():
        option = known.get(key)
        here = (*path, key)
        if option is None:
            near = near_name(key, known)
            hint = f"; did you mean '{name}.{near}'?" if near else ""
            yield ManifestFault(here, f"unknown key '{name}.{key}'{hint}")
        elif _KINDS.get(item.__class__) not in option.kinds:
            yield ManifestFault(here, f"{_name(here)} must be {_KIND_NAMES[next(iter(option.kinds))]}")
        elif option.items is not None and isinstance(item, list):
            for index, one in enumerate(item):
                if option.items.keys:
                    yield from _in_table(one, (*here, index), globals()[option.items.keys.upper()])
                elif _KINDS.get(one.__class__) not in option.items.kinds:
                    yield ManifestFault(here, f"{_name(here)} must be {_KIND_NAMES['list']} of strings")


_KIND_NAMES = {"string": "a string", "list": "a list", "dict": "a table"}


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
