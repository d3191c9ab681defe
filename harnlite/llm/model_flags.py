"""The capabilities of models other than reminders: tools, thinking, media and structured output."""

from __future__ import annotations

from harnlite.llm.configuration import configuration_of
from harnlite.models.tables import CAPABILITIES, OPENAI_FAMILY, TRAITS
from harnlite.reminders.capabilities import FLAGS, TEXT, capabilities_of, glob_fits, version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.models.tables import Flags
    from harnlite.runtime.tasks.execution import Execution

NONE: dict[str, object] = {
    "native_tools": False,
    "preferred_tool_format": TEXT,
    "tool_mode_parity": "unknown",
    "defer_loading": False,
    "tool_search": [],
    "max_tools": None,
    "prompt_caching": False,
    "thinking": False,
    "thinking_modes": [],
    "interleaved_thinking_supported": False,
    "anthropic_beta_features": [],
    "vision_supported": False,
    "audio": False,
    "pdf": False,
    "preserve_thinking": False,
    "requires_completion_tokens": False,
    "reasoning_effort_supported": False,
    "structured_output": None,
}
"""The capabilities of an unknown model."""

REQUEST_FLAGS: dict[str, object] = {
    "accepts_temperature": True,
    "accepts_top_p_with_temperature": True,
    "accepts_prefill": True,
    "responses_only": False,
}
"""What only requests need to know; `provider_capabilities` does not return it."""
_FAMILY = "openai_family"
_FOUND: dict[tuple[str, str], str | None] = {}
"""The traits of models that were looked up in the catalogue, which never changes."""
_MOST_FOUND = 256


def built_in(route_name: str, model: str) -> Flags:
    """Return the capabilities of a model in the catalogue, without those that it does not have."""
    name = route_name.lower()
    group = name if name in CAPABILITIES and name != _FAMILY else _FAMILY if name in OPENAI_FAMILY else ""
    key = group, model.lower()
    if key in _FOUND:
        traits = _FOUND[key]
    else:
        traits = _traits(*key)
        if len(_FOUND) < _MOST_FOUND:
            _FOUND[key] = traits
    return TRAITS[traits] if traits else {}


def _traits(group: str, model: str) -> str | None:
    """Return the name of the traits in the first row of a group that matches the model; the name is in lower case."""
    for row in CAPABILITIES.get(group, ()):
        if row.__class__ is str:
            found = _traits(row, model)
            if found is not None:
                return found
        elif any(glob_fits(glob, model) for glob in row[0]):
            return row[1]
    return None


def _applies(row: dict[str, Any], model: str) -> bool:
    """Return whether a capability row from the configuration applies to a model."""
    least = row.get("version_min", ())
    parts = least if isinstance(least, list) else str(least).split(".")
    version = tuple(int(part) for part in map(str, parts) if part.isdecimal())
    return glob_fits(str(row.get("model_match", "*")).lower(), model) and version_of(model) >= version


def flags_of(run: Execution, route_name: str, model: str) -> dict[str, object]:
    """Return all capabilities of a model, in the form that `provider_capabilities` returns."""
    known = configuration_of(run)
    found = known.flags.get((route_name, model))
    if found is None:
        found = known.flags[route_name, model] = _flags(run, route_name, model)
    return found


def request_flags(run: Execution, route_name: str, model: str) -> dict[str, object]:
    """Return the capabilities of a model with those that only requests need."""
    given = _configured(run, route_name, model)
    own = {**REQUEST_FLAGS, **built_in(route_name, model), **given}
    return {**flags_of(run, route_name, model), **{flag: own[flag] for flag in REQUEST_FLAGS}}


def _configured(run: Execution, route_name: str, model: str) -> dict[str, object]:
    """Return the capabilities that the user has configured for a model: in rows of the provider, or by its name."""
    known = configuration_of(run)
    lowered = model.lower()
    row = next((row for row in known.rows_of(route_name) if _applies(row, lowered)), {})
    given = {**row, **known.model_settings(model)}
    return {flag: value for flag, value in given.items() if flag in NONE or flag in REQUEST_FLAGS}


def _flags(run: Execution, route_name: str, model: str) -> dict[str, object]:
    reminding = capabilities_of(route_name, model, configuration_of(run).rows_of(route_name))
    own = {**built_in(route_name, model), **_configured(run, route_name, model)}
    return {
        "provider": route_name,
        "model": model,
        **NONE,
        **{flag: value for flag, value in own.items() if flag in NONE},
        **{flag: getattr(reminding, flag) for flag in FLAGS},
    }
