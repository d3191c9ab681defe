"""The built-in catalogue of models and providers: aliases, tiers, prices, context windows and key variables."""

from __future__ import annotations

# model: provider, tier, context window, USD per million tokens in and out
MODELS: dict[str, tuple[str, str, int, float, float]] = {
    "claude-3-5-haiku": ("anthropic", "small", 200_000, 0.8, 4.0),
    "claude-3-7-sonnet": ("anthropic", "mid", 200_000, 3.0, 15.0),
    "claude-sonnet-4": ("anthropic", "mid", 200_000, 3.0, 15.0),
    "claude-opus-4": ("anthropic", "frontier", 200_000, 15.0, 75.0),
    "claude-opus-4-1": ("anthropic", "frontier", 200_000, 15.0, 75.0),
    "claude-haiku-4-5": ("anthropic", "small", 200_000, 1.0, 5.0),
    "claude-sonnet-4-6": ("anthropic", "mid", 200_000, 3.0, 15.0),
    "claude-sonnet-4-5": ("anthropic", "mid", 200_000, 3.0, 15.0),
    "claude-opus-4-6": ("anthropic", "frontier", 200_000, 5.0, 25.0),
    "claude-opus-4-5": ("anthropic", "frontier", 200_000, 5.0, 25.0),
    "gpt-4o-mini": ("openai", "small", 128_000, 0.15, 0.6),
    "gpt-4o": ("openai", "mid", 128_000, 2.5, 10.0),
    "gpt-4.1": ("openai", "mid", 1_047_576, 2.0, 8.0),
    "gpt-4.1-mini": ("openai", "small", 1_047_576, 0.4, 1.6),
    "gpt-5": ("openai", "frontier", 400_000, 1.25, 10.0),
    "gpt-5-mini": ("openai", "small", 400_000, 0.25, 2.0),
    "o1": ("openai", "frontier", 200_000, 15.0, 60.0),
    "o3": ("openai", "frontier", 200_000, 15.0, 60.0),
    "o3-mini": ("openai", "mid", 200_000, 1.1, 4.4),
    "o4-mini": ("openai", "mid", 200_000, 1.1, 4.4),
    "gemini-2.5-flash": ("gemini", "small", 1_048_576, 0.3, 2.5),
    "gemini-2.5-pro": ("gemini", "frontier", 1_048_576, 1.25, 5.0),
    "anthropic/claude-sonnet-4.6": ("openrouter", "mid", 200_000, 3.0, 15.0),
    "anthropic.claude-sonnet-4-6": ("bedrock", "mid", 200_000, 3.0, 15.0),
    "llama3.2": ("ollama", "small", 131_072, 0.0, 0.0),
}

_DATE_SHAPES = ((8,), (4, 2, 2))
"""The lengths of the numbers in a date: 20250514 and 2024-08-06."""


def row_of(model: str) -> tuple[str, str, int, float, float] | None:
    """Return the row of a model; a name with a date and no row of its own has the row of the name without it."""
    return MODELS.get(model) or MODELS.get(undated(model))


def undated(model: str) -> str:
    """Return the name of a model without its date: `claude-sonnet-4` for `claude-sonnet-4-20250514`.

    A revision after the date, as in `-20250514-v1:0`, is removed with it.
    """
    name, mark, revision = model.rpartition("-v")
    dated = name if mark and revision.replace(":", "", 1).isdecimal() else model
    parts = dated.replace("@", "-").split("-")
    for shape in _DATE_SHAPES:
        last = parts[-len(shape) :]
        if len(parts) > len(shape) and all(part.isdecimal() for part in last) and tuple(map(len, last)) == shape:
            return dated[: -len("-".join(last)) - 1]
    return model


# alias: model, provider
ALIASES: dict[str, tuple[str, str]] = {
    "haiku": ("claude-haiku-4-5", "anthropic"),
    "sonnet": ("claude-sonnet-4-6", "anthropic"),
    "opus": ("claude-opus-4-6", "anthropic"),
    "gemini-flash": ("gemini-2.5-flash", "gemini"),
    "gemini-pro": ("gemini-2.5-pro", "gemini"),
}

TIERS = ("small", "mid", "frontier")

# The model of each tier, by provider; a provider without a row uses the models of anthropic.
TIER_MODELS: dict[str, dict[str, str]] = {
    "anthropic": {"small": "claude-haiku-4-5", "mid": "claude-sonnet-4-6", "frontier": "claude-opus-4-6"},
    "openai": {"small": "gpt-4o-mini", "mid": "gpt-4o", "frontier": "o3"},
    "gemini": {"small": "gemini-2.5-flash", "mid": "gemini-2.5-pro", "frontier": "gemini-2.5-pro"},
    "ollama": {"small": "llama3.2", "mid": "llama3.2", "frontier": "llama3.2"},
}

DEFAULT_PROVIDER = "anthropic"

# Prefixes that only specify where a model is served.
STRIPPED = ("ollama:", "local:", "huggingface:", "hf:")

# Parts of names that identify a small model among unknown models.
SMALL_NAMES = ("9b", "a3b")

_BEARER = "bearer"
_CHAT = "/chat/completions"


def _entry(
    name: str, base_url: str, keys: tuple[str, ...], style: str = _BEARER, chat: str = _CHAT
) -> dict[str, object]:
    return {
        "display_name": name,
        "base_url": base_url,
        "auth_style": style,
        "auth_envs": list(keys),
        "chat_endpoint": chat,
    }


ENDPOINTS: dict[str, dict[str, object]] = {
    "anthropic": _entry(
        "Anthropic", "https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",), style="header", chat="/messages"
    ),
    "openai": _entry("OpenAI", "https://api.openai.com/v1", ("OPENAI_API_KEY",)),
    "openrouter": _entry("OpenRouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "gemini": _entry(
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        style="header",
        chat="/models/{model}:generateContent",
    ),
    "together": _entry("Together AI", "https://api.together.xyz/v1", ("TOGETHER_AI_API_KEY",)),
    "groq": _entry("Groq", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    "cerebras": _entry("Cerebras", "https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",)),
    "deepseek": _entry("DeepSeek", "https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",)),
    "fireworks": _entry("Fireworks", "https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",)),
    "dashscope": _entry("DashScope", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", ("DASHSCOPE_API_KEY",)),
    "huggingface": _entry("Hugging Face", "https://router.huggingface.co/v1", ("HF_TOKEN", "HUGGINGFACE_API_KEY")),
    "ollama": {
        **_entry("Ollama", "http://localhost:11434", (), style="none", chat="/api/chat"),
        "base_url_env": "OLLAMA_HOST",
    },
    "local": {
        **_entry("Local server", "http://localhost:8000", (), style="none", chat="/v1/chat/completions"),
        "base_url_env": "LOCAL_LLM_BASE_URL",
    },
    "mock": _entry("Mock", "", (), style="none", chat=""),
}
