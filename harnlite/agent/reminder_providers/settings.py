"""Validation of the option `reminders`: the ids that it names, its keys, and the settings of canonical providers."""

from __future__ import annotations

from harnlite.options import facts, reminders
from harnlite.options.validation import Validation, did_you_mean, rows, unknown_key
from harnlite.reminders.enabled_providers import CANONICAL
from harnlite.values.data_types import type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_TABLES = {**vars(facts), **vars(reminders)}
_VALIDATION = Validation(_TABLES, type_name, is_bounded=False)
_OPTION = "reminders"
_WITHOUT = frozenset({name for name, one in rows(reminders.PROVIDER_SETTINGS, _TABLES).items() if not one.keys})
"""The canonical providers without settings."""


def wrong_id(entries: Iterable[str], known: Collection[str]) -> str | None:
    """Return the text about the first id that belongs to no reminder provider, or None."""
    for entry in entries:
        name = entry.strip().removeprefix("-").strip()
        if name and name not in known:
            hint = did_you_mean(name, known) or "; register it first with `register_reminder_provider`"
            return f"unknown reminder provider `{name}`{hint}"
    return None


def wrong_setting(given: dict[str, object], known: Collection[str], replaced: Collection[str]) -> str | None:
    """Return the text about the first wrong key or setting in the dict of the option `reminders`, or None.

    `known` are the ids of all reminder providers, `replaced` the canonical ids that providers of the script use.
    """
    table = rows(reminders.ENABLED_PROVIDERS, _TABLES)
    config = given.get("config")
    settings = config if isinstance(config, dict) else {}
    for key in given:
        if key not in table and key not in known:
            return unknown_key(key, [*table, *known], f"{_OPTION}.")
    for key in settings:
        if key not in known:
            return unknown_key(key, known, f"{_OPTION}.config.").replace("unknown key", "unknown reminder provider")
    outer = {key: value for key, value in given.items() if key in table and key not in {"config", "providers"}}
    wrong = _VALIDATION.of_values(outer, reminders.ENABLED_PROVIDERS, f"{_OPTION}.")
    if wrong is None and config is not None and config.__class__ is not dict:
        wrong = f"`{_OPTION}.config` must be dict, got {type_name(config)}"
    if wrong is not None:
        return wrong
    named = {f"{_OPTION}.config.": settings, f"{_OPTION}.": {key: given[key] for key in given if key not in table}}
    for path, chosen in named.items():
        ours = {key: value for key, value in chosen.items() if key in CANONICAL and key not in replaced}
        wrong = _wrong_value(ours, path)
        if wrong is not None:
            return wrong
    return None


def _wrong_value(settings: dict[str, object], path: str) -> str | None:
    """Return the text about the first unknown or wrong setting of canonical providers, or None."""
    table = reminders.PROVIDER_SETTINGS
    for name, chosen in settings.items():
        if isinstance(chosen, dict) and chosen and name in _WITHOUT:
            return f"unknown key `{path}{name}.{next(iter(chosen))}`; this provider has no settings"
    return _VALIDATION.of_keys(settings, table, path) or _VALIDATION.of_values(settings, table, path)
