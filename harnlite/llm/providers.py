"""The providers that harnlite knows: their addresses, and the variables that hold their keys."""

from __future__ import annotations

AZURE, OLLAMA, LOCAL, GEMINI, ANTHROPIC, OPENAI = "azure_openai", "ollama", "local", "gemini", "anthropic", "openai"

BEARER, NO_KEY = "bearer", "none"
KEY_HEADERS = {ANTHROPIC: "x-api-key", AZURE: "api-key", GEMINI: "x-goog-api-key"}
"""The headers of the key by provider; all others expect `authorization: Bearer KEY`."""

WITHOUT_BACKEND = frozenset({"bedrock", "vertex"})
"""Providers that are known by name, but need a backend of an installed package."""

_CHAT = "/chat/completions"


def _entry(
    name: str,
    base_url: str,
    keys: tuple[str, ...],
    variables: tuple[str, ...] = (),
    style: str = BEARER,
    chat: str = _CHAT,
    *,
    needs_key: bool = True,
) -> dict[str, object]:
    return {
        "display_name": name,
        "base_url": base_url,
        "base_url_envs": list(variables),
        "auth_style": style,
        "auth_envs": list(keys),
        "chat_endpoint": chat,
        "needs_key": needs_key,
    }


ENDPOINTS: dict[str, dict[str, object]] = {
    ANTHROPIC: _entry(
        "Anthropic",
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY",),
        ("ANTHROPIC_BASE_URL",),
        "header",
        "/v1/messages",
    ),
    OPENAI: _entry("OpenAI", "https://api.openai.com/v1", ("OPENAI_API_KEY",), ("OPENAI_BASE_URL",)),
    AZURE: _entry("Azure OpenAI", "", ("AZURE_OPENAI_API_KEY",), ("AZURE_OPENAI_ENDPOINT",), "header"),
    GEMINI: _entry(
        "Google Gemini",
        "https://generativelanguage.googleapis.com",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ("GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
        "header",
        "/v1beta/models/{model}:generateContent",
    ),
    OLLAMA: _entry("Ollama", "http://127.0.0.1:11434", (), ("OLLAMA_HOST",), NO_KEY, "/api/chat", needs_key=False),
    LOCAL: _entry("Local server", "", ("LOCAL_LLM_API_KEY",), ("LOCAL_LLM_BASE_URL",), needs_key=False),
    "openrouter": _entry(
        "OpenRouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), ("OPENROUTER_BASE_URL",)
    ),
    "groq": _entry("Groq", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",), ("GROQ_BASE_URL",)),
    "together": _entry(
        "Together AI",
        "https://api.together.xyz/v1",
        ("TOGETHER_API_KEY", "TOGETHER_AI_API_KEY"),
        ("TOGETHER_BASE_URL", "TOGETHER_AI_BASE_URL"),
    ),
    "deepseek": _entry("DeepSeek", "https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",), ("DEEPSEEK_BASE_URL",)),
    "fireworks": _entry(
        "Fireworks", "https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",), ("FIREWORKS_BASE_URL",)
    ),
    "mistral": _entry("Mistral", "https://api.mistral.ai/v1", ("MISTRAL_API_KEY",), ("MISTRAL_BASE_URL",)),
    "xai": _entry("xAI", "https://api.x.ai/v1", ("XAI_API_KEY",), ("XAI_BASE_URL",)),
    "cerebras": _entry("Cerebras", "https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",), ("CEREBRAS_BASE_URL",)),
    "dashscope": _entry(
        "DashScope",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        ("DASHSCOPE_API_KEY",),
        ("DASHSCOPE_BASE_URL",),
    ),
    "huggingface": _entry(
        "Hugging Face",
        "https://router.huggingface.co/v1",
        ("HF_TOKEN", "HUGGINGFACE_API_KEY"),
        ("HUGGINGFACE_BASE_URL",),
    ),
    "mock": _entry("Mock", "", (), (), NO_KEY, "", needs_key=False),
}
