"""The options that control how much a model thinks before it answers, and their recorded form."""

from __future__ import annotations

from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DISABLED: dict[str, Any] = {"mode": "disabled"}
_OFF = ("disabled", "off", "none")
_ON = ("true", "enabled", "on")
_ADAPTIVE = "adaptive"
_EFFORTS = ("minimal", "low", "medium", "high", "xhigh")
_LEVELS = ("none", *_EFFORTS)
_MODES = ("disabled", "enabled", "adaptive", "effort")


def _choices(names: tuple[str, ...]) -> str:
    return " | ".join([f'"{name}"' for name in names])


def thinking_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return the recorded form of the options `thinking` and `reasoning_effort`; throw if they are not valid."""
    thinking = _thinking(options.get("thinking"))
    effort = options.get("reasoning_effort")
    if effort is None:
        return thinking
    if effort.__class__ is not str:
        raise thrown(f"reasoning_effort: expected {_choices(_LEVELS)}, got {type_name(effort)}")
    if effort not in _LEVELS:
        raise thrown(f'reasoning_effort: expected {_choices(_LEVELS)}, got "{effort}"')
    if thinking is not DISABLED:
        raise thrown("reasoning_effort cannot be combined with a non-disabled thinking option")
    return DISABLED if effort == "none" else {"mode": "effort", "level": effort}


def _enabled(budget: object = None) -> dict[str, Any]:
    return {"mode": "enabled", "budget_tokens": budget}


def _thinking(value: object) -> dict[str, Any]:
    if value.__class__ is dict:
        return _from_dict(value)
    if value is None or value is False or value in _OFF:
        return DISABLED
    if value is True or value in _ON:
        return _enabled()
    if value == _ADAPTIVE:
        return {"mode": _ADAPTIVE}
    if value in _EFFORTS:
        return {"mode": "effort", "level": value}
    choices = _choices(("enabled", _ADAPTIVE, *_EFFORTS))
    raise thrown(f'thinking: expected bool, dict, or one of {choices}, got "{display(value)}"')


def _from_dict(fields: dict[str, Any]) -> dict[str, Any]:
    if fields.get("enabled") is False:
        return DISABLED
    mode, level, budget = fields.get("mode"), fields.get("level"), fields.get("budget_tokens")
    mode = "enabled" if mode is None else mode
    if mode not in _MODES:
        raise thrown(f'thinking.mode: expected {_choices(_MODES)}, got "{display(mode)}"')
    if level is not None and level not in _LEVELS:
        raise thrown(f'thinking.level: expected {_choices(_LEVELS)}, got "{display(level)}"')
    if budget is not None and (budget.__class__ is not int or budget < 0):
        raise thrown("thinking.budget_tokens: expected a non-negative int")
    if mode == "effort":
        if level is None:
            raise thrown('thinking.level is required when thinking.mode is "effort"')
        return {"mode": mode, "level": level}
    if mode == "enabled":
        return _enabled(budget)
    return DISABLED if mode == "disabled" else {"mode": _ADAPTIVE}
