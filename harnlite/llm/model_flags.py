"""The capabilities of models other than reminders: tools, thinking, media and structured output."""

from __future__ import annotations

from harnlite.llm.configuration import configuration_of
from harnlite.reminders.capabilities import FLAGS, NATIVE, OPENAI_FAMILY, TEXT, capabilities_of, glob_fits, version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

_NONE: dict[str, object] = {
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

_NATIVE: dict[str, object] = {"native_tools": True, "preferred_tool_format": NATIVE, "tool_mode_parity": "full"}
_CLAUDE: dict[str, object] = {
    **_NATIVE,
    "max_tools": 10_000,
    "thinking": True,
    "thinking_modes": ["enabled"],
    "vision_supported": True,
    "pdf": True,
    "preserve_thinking": True,
    "structured_output": "tool_use",
}
_CLAUDE_4: dict[str, object] = {
    **_CLAUDE,
    "thinking_modes": ["enabled", "adaptive", "effort"],
    "interleaved_thinking_supported": True,
    "anthropic_beta_features": ["interleaved-thinking-2025-05-14"],
    "reasoning_effort_supported": True,
}
_SEARCHING: dict[str, object] = {**_CLAUDE_4, "defer_loading": True, "tool_search": ["bm25", "regex"]}
_GPT: dict[str, object] = {
    **_NATIVE,
    "max_tools": 128,
    "vision_supported": True,
    "structured_output": "native",
}
_REASONING: dict[str, object] = {
    **_GPT,
    "thinking": True,
    "thinking_modes": ["effort"],
    "reasoning_effort_supported": True,
    "requires_completion_tokens": True,
}
_GEMINI: dict[str, object] = {
    **_NATIVE,
    "max_tools": 128,
    "vision_supported": True,
    "audio": True,
    "pdf": True,
    "structured_output": "native",
}
_THINKING_GEMINI: dict[str, object] = {**_GEMINI, "thinking": True, "thinking_modes": ["enabled", "adaptive"]}
_SERVED: dict[str, object] = {"structured_output": "json_object"}
_OLLAMA: dict[str, object] = {"structured_output": "format"}

_CLAUDE_ROWS = (
    ("*claude-sonnet-4*", _SEARCHING),
    ("*claude-opus-4*", _SEARCHING),
    ("*claude-haiku-4*", _CLAUDE_4),
    ("*claude*", _CLAUDE),
)
_BEDROCK_ROWS = (
    ("*claude-sonnet-4*", _CLAUDE_4),
    ("*claude-opus-4*", _CLAUDE_4),
    ("*claude*", _CLAUDE),
)
_OPENAI_ROWS = (
    *((pattern, _REASONING) for pattern in ("o1*", "o3*", "o4*", "openai/o1*", "openai/o3*", "openai/o4*", "gpt-5*")),
    ("gpt-*", _GPT),
    ("openai/gpt-*", _GPT),
)
_GEMINI_ROWS = (
    ("*gemini-2.5*", _THINKING_GEMINI),
    ("*gemini-3*", _THINKING_GEMINI),
    ("*gemini-*", _GEMINI),
)

# provider: (glob for the model name in lower case, its capabilities); the first match wins
_ROWS: dict[str, tuple[tuple[str, dict[str, object]], ...]] = {
    "anthropic": _CLAUDE_ROWS,
    "bedrock": _BEDROCK_ROWS,
    "openai": _OPENAI_ROWS,
    "azure_openai": _OPENAI_ROWS,
    "gemini": _GEMINI_ROWS,
    "vertex": _GEMINI_ROWS,
    "openrouter": (*_OPENAI_ROWS, ("anthropic/claude*", _CLAUDE), ("google/gemini*", _GEMINI), ("*", _SERVED)),
    "ollama": (("*", _OLLAMA),),
}
_MOCK_ROWS = (*_CLAUDE_ROWS, *_OPENAI_ROWS, *_GEMINI_ROWS)


def _rows_of(route_name: str) -> tuple[tuple[str, dict[str, object]], ...]:
    if route_name in _ROWS:
        return _ROWS[route_name]
    if route_name in OPENAI_FAMILY:
        return (*_OPENAI_ROWS, ("*", _SERVED))
    return _MOCK_ROWS if route_name in ("mock", "fake") else ()


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
        found = known.flags[route_name, model] = _flags(known.rows_of(route_name), route_name, model)
    return found


def _flags(rows: list[dict[str, Any]], route_name: str, model: str) -> dict[str, object]:
    name, lowered = route_name.lower(), model.lower()
    built_in = next((flags for pattern, flags in _rows_of(name) if glob_fits(pattern, lowered)), {})
    given = next((row for row in rows if _applies(row, lowered)), {})
    reminding = capabilities_of(route_name, model, rows)
    return {
        "provider": route_name,
        "model": model,
        **_NONE,
        **built_in,
        **{key: value for key, value in given.items() if key in _NONE},
        **{flag: getattr(reminding, flag) for flag in FLAGS},
    }
