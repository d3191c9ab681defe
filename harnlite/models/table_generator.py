"""Makes `tables.py` from `models.toml`, so that no run parses TOML: `python -m harnlite.models.table_generator`."""

from __future__ import annotations

import tomllib
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SOURCE = Path(__file__).with_name("models.toml")
TABLES = Path(__file__).with_name("tables.py")
_HEAD = '''"""The catalogue of models, made from `models.toml` by `harnlite.models.table_generator`; do not edit."""

# fmt: off

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    Flags: TypeAlias = Mapping[str, object]
    Prices: TypeAlias = tuple[float | None, float | None, float | None, float | None]
    Facts: TypeAlias = tuple[str, str, int | None, int | None, Prices | None]
    Group: TypeAlias = tuple[str | tuple[tuple[str, ...], str], ...]
'''
_PRICES = ("input", "output", "cache_read", "cache_write")


def tables(source: str) -> str:
    """Return the text of the module for the text of the TOML file."""
    data = tomllib.loads(source)
    exact, patterns, facts = _models(data["models"])
    values = (
        ("INFERENCE: tuple[tuple[str, str], ...]", tuple(map(tuple, data["inference"])), "providers of models"),
        ("WIRE_FORMATS: Mapping[str, str]", data["wire_formats"], "formats of messages by provider"),
        ("DEFAULT_MODELS: Mapping[str, str]", data["default_models"], "default models by provider"),
        ("ALIASES: Mapping[str, tuple[str, str]]", _tuples(data["aliases"]), "models and providers by alias"),
        ("TIER_MODELS: Mapping[str, Mapping[str, str]]", data["tiers"], "models by provider and tier"),
        ("TRAITS: Mapping[str, Flags]", _traits(data["traits"]), "sets of capabilities"),
        ("CAPABILITIES: Mapping[str, Group]", _groups(data["capabilities"]), "rows by provider; a name is a group"),
        ("REMINDERS: Mapping[str, tuple[tuple[tuple[str, ...], Flags], ...]]", _reminders(data["reminders"]), ""),
        ("FACTS: tuple[Facts, ...]", facts, "family, tier, context window, output limit, prices"),
        ("IDS: Mapping[str, tuple[str, int]]", exact, "provider and index in FACTS by name"),
        ("PATTERNS: tuple[tuple[str, str, int], ...]", patterns, "pattern, provider and index in FACTS"),
    )
    family = f"OPENAI_FAMILY: frozenset[str] = frozenset({_shown(tuple(data['openai_family']))})\n"
    return "\n".join([_HEAD, family, *[_assignment(*value) for value in values]])


def _assignment(target: str, value: object, meaning: str) -> str:
    text = f"{target} = {_shown(value)}\n"
    return f'{text}"""{meaning[0].upper()}{meaning[1:]}."""\n' if meaning else text


def _shown(value: object, depth: int = 0) -> str:
    """Return a value as a literal, with an entry of a long container on each line."""
    flat = repr(value).replace("'", '"')
    if len(flat) + 4 * depth <= 100 or not isinstance(value, dict | tuple):  # noqa: PLR2004 - fits a line
        return flat
    inner = "    " * (depth + 1)
    if isinstance(value, dict):
        lines = [f'{inner}"{key}": {_shown(item, depth + 1)},\n' for key, item in value.items()]
        return "{\n" + "".join(lines) + "    " * depth + "}"
    lines = [f"{inner}{_shown(item, depth + 1)},\n" for item in value]
    return "(\n" + "".join(lines) + "    " * depth + ")"


def _tuples(table: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(values) for name, values in table.items()}


def _traits(given: dict[str, dict[str, Any]]) -> dict[str, dict[str, object]]:
    """Return each set of capabilities with those of the sets that it extends."""
    found: dict[str, dict[str, object]] = {}
    for name, flags in given.items():
        base = found[flags["from"]] if "from" in flags else {}
        found[name] = {**base, **{key: value for key, value in flags.items() if key != "from"}}
    return found


def _groups(given: dict[str, list[Any]]) -> dict[str, tuple[object, ...]]:
    return {
        name: tuple(row if isinstance(row, str) else (tuple(row["match"]), row["traits"]) for row in rows)
        for name, rows in given.items()
    }


def _reminders(given: dict[str, list[dict[str, Any]]]) -> dict[str, tuple[object, ...]]:
    return {
        name: tuple((tuple(row["match"]), {key: row[key] for key in row if key != "match"}) for row in rows)
        for name, rows in given.items()
    }


def _models(
    given: list[dict[str, Any]],
) -> tuple[dict[str, tuple[str, int]], tuple[tuple[str, str, int], ...], tuple[tuple[object, ...], ...]]:
    """Return the names of the models, their patterns, and the facts that both refer to."""
    exact: dict[str, tuple[str, int]] = {}
    patterns: list[tuple[str, str, int]] = []
    facts: list[tuple[object, ...]] = []
    for model in given:
        prices = model.get("pricing")
        listed = tuple(map(prices.get, _PRICES)) if prices else None
        number = len(facts)
        facts.append((model["family"], model["tier"], model["context_window"], model.get("max_output_tokens"), listed))
        for provider, names in model["ids"].items():
            for name in names:
                if "*" in name:
                    patterns.append((name.lower(), provider, number))
                elif name in exact:
                    raise ValueError(f"{name} is listed twice")
                else:
                    exact[name] = provider, number
    return exact, tuple(patterns), tuple(facts)


if __name__ == "__main__":
    TABLES.write_text(tables(SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
