"""The capabilities of routes: a table of rows. The first row of a provider whose glob matches the model applies."""

from __future__ import annotations

from harnlite.models.tables import DEFAULT_MODELS, INFERENCE, OPENAI_FAMILY, REMINDERS, WIRE_FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

ANTHROPIC, OPENAI = "anthropic", "openai"
OTHER = "other"
"""The provider under which the default model of all providers without one of their own stands."""
NATIVE, TEXT = "native", "text"
"""The formats of tool calls."""

_DATE_DIGITS = 4


class Row:
    """The capabilities of the models whose names match one of the globs."""

    __slots__ = ("flags", "globs", "version_min")

    def __init__(self, globs: Iterable[str], flags: Mapping[str, Any], version_min: tuple[int, ...] = ()) -> None:
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

_ROWS: dict[str, tuple[Row, ...]] = {}
"""The rows that have been read, by provider."""
_MOST_BUILT_IN = 256
_BUILT_IN: dict[tuple[str, str | None], Capabilities] = {}
"""The capabilities that depend on no table of a user, by provider and model."""


def default_model(provider: str) -> str:
    """Return the default model of a provider."""
    return DEFAULT_MODELS.get(provider) or DEFAULT_MODELS[OTHER]


def capabilities_of(provider: str, model: str | None, rows: Iterable[Mapping[str, Any]] = ()) -> Capabilities:
    """Return the capabilities of a route. `rows` are the user's tables for the provider; they take precedence."""
    tables = list(rows)
    if tables:
        return _capabilities(provider, model, tables)
    found = _BUILT_IN.get((provider, model))
    if found is None:
        if len(_BUILT_IN) >= _MOST_BUILT_IN:
            _BUILT_IN.clear()
        found = _BUILT_IN[provider, model] = _capabilities(provider, model, tables)
    return found


def _capabilities(provider: str, model: str | None, tables: list[Mapping[str, Any]]) -> Capabilities:
    route, name = provider.lower(), (model or "").lower()
    row = _first([_user_row(table) for table in tables], name) or _first(_rows_of(route), name)
    if row is None and route in OPENAI_FAMILY:
        row = _first(_rows_of(OPENAI), name)
    flags = {"message_wire_format": WIRE_FORMATS.get(route, OPENAI), **(row.flags if row else {})}
    return Capabilities(f"{provider}:{model or ''}", **{flag: flags[flag] for flag in FLAGS if flag in flags})


def _first(rows: Iterable[Row], model: str) -> Row | None:
    return next((row for row in rows if row.fits(model)), None)


def _rows_of(provider: str) -> tuple[Row, ...]:
    found = _ROWS.get(provider)
    if found is None:
        found = tuple([Row(globs, flags) for globs, flags in REMINDERS.get(provider, ())])
        if found:
            _ROWS[provider] = found
    return found


def infer_provider(model: str) -> str | None:
    """Return the provider that the name of a model implies, or None."""
    name = model.lower()
    return next((provider for glob, provider in INFERENCE if glob_fits(glob, name)), None)


def _user_row(table: Mapping[str, Any]) -> Row:
    """Make a row from one `[[provider.X]]` table; `version_min` may be `[4, 5]` or `"4.5"`."""
    given = table.get("version_min", ())
    parts = given if isinstance(given, (list, tuple)) else str(given).split(".")
    version_min = tuple(int(part) for part in map(str, parts) if part.isdecimal())
    return Row((str(table.get("model_match", "*")),), table, version_min)


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
