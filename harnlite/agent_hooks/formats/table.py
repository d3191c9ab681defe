"""The formats of all agents by their names; only the module of the agent that calls is imported."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.formats.format import Format

FORMATS = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "qwen": "qwen",
    "copilot": "copilot",
    "cursor": "cursor",
    "factory": "factory",
    "cline": "cline",
    "opencode": "opencode",
    "kiro": "kiro",
    "goose": "goose",
    "antigravity": "antigravity",
    "windsurf": "windsurf",
    "vscode": "vscode",
    "kimi": "kimi",
    "codebuddy": "codebuddy",
    "tabnine": "tabnine",
}


def format_of(name: str) -> Format | None:
    """Return the format of an agent, or None for a name that is not known."""
    module = FORMATS.get(name)
    if module is None:
        return None
    path = f"harnlite.agent_hooks.formats.{module}"
    found: Format = __import__(path, fromlist=("FORMAT",)).FORMAT
    return found
