"""Finds out which agent really calls: agents run hooks that were registered for another one."""

from __future__ import annotations

from harnlite.agent_hooks.formats.fields import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_SIGNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("cursor", ("cursor_version",)),
    ("cursor", ("conversation_id", "generation_id")),
    ("antigravity", ("conversationId", "workspacePaths")),
    ("windsurf", ("agent_action_name",)),
    ("cline", ("clineVersion",)),
    ("cline", ("hookName",)),
    ("goose", ("event", "matcher_context")),
    ("factory", ("sessionId", "hookEventName", "permissionMode")),
    ("vscode", ("sessionId", "hookEventName", "transcript_path")),
    ("codex", ("hook_event_name", "turn_id", "model")),
)
"""An agent, and fields that only its payloads have together."""

_GEMINI_EVENTS = frozenset(
    (
        "BeforeAgent",
        "AfterAgent",
        "BeforeModel",
        "AfterModel",
        "BeforeToolSelection",
        "BeforeTool",
        "AfterTool",
        "PreCompress",
    )
)
_GEMINI_LIKE = frozenset(("gemini", "tabnine"))
_TIMED = frozenset(("gemini", "tabnine", "qwen", "copilot"))
_CLAUDE_LIKE = frozenset(("claude-code", "qwen", "copilot", "factory", "kimi", "codebuddy"))
_CODEX_WITHOUT_TURN = frozenset(("SessionStart", "SessionEnd"))
_CAMEL = frozenset(("factory", "vscode"))
_VARIABLES = (
    ("CURSOR_VERSION", "cursor"),
    ("QWEN_PROJECT_DIR", "qwen"),
    ("GEMINI_SESSION_ID", "gemini"),
    ("FACTORY_PROJECT_DIR", "factory"),
)


def caller_of(data: dict[str, object], env: Mapping[str, str], named: str) -> str:
    """Return the name of the agent that calls, from its payload, its environment, or else as the command names it."""
    if data.get("agent") == "opencode" and "event" in data:
        return "opencode"
    for agent, signs in _SIGNS:
        if all(sign in data for sign in signs):
            return agent
    if "sessionId" in data:
        return _camel_caller(data, named)
    if "hook_event_name" in data:
        return _snake_caller(data, env, named)
    for variable, agent in _VARIABLES:
        if variable in env:
            return agent
    return named


def _camel_caller(data: dict[str, object], named: str) -> str:
    """Return the caller whose payload has a `sessionId`."""
    if "hookEventName" not in data:
        return "copilot"
    if named in _CAMEL:
        return named
    return "factory" if "transcriptPath" in data else "vscode"


def _snake_caller(data: dict[str, object], env: Mapping[str, str], named: str) -> str:
    """Return the caller whose payload has a `hook_event_name`."""
    event = text_of(data, ("hook_event_name",))
    if event in _GEMINI_EVENTS:
        return named if named in _GEMINI_LIKE else "gemini"
    if "session_id" not in data:
        return "kiro"
    if isinstance(data.get("timestamp"), str):
        return _timed_caller(data, env, named)
    if named == "codex":
        return "codex" if event in _CODEX_WITHOUT_TURN or "model" in data or "turn_id" in data else "claude-code"
    if named == "kiro":
        return "kiro" if event[:1].islower() else "claude-code"
    return named if named in _CLAUDE_LIKE else "claude-code"


def _timed_caller(data: dict[str, object], env: Mapping[str, str], named: str) -> str:
    """Return the caller whose payload is like that of Claude Code with the time."""
    is_qwen, is_gemini = "QWEN_PROJECT_DIR" in env, "GEMINI_SESSION_ID" in env
    if is_qwen and is_gemini and named in _TIMED:
        return named
    if is_qwen:
        return "qwen"
    if is_gemini:
        return named if named in _GEMINI_LIKE else "gemini"
    if named in _TIMED:
        return named
    if "tool_result" in data or "stop_reason" in data or "transcript_path" not in data:
        return "copilot"
    return named if named in _CLAUDE_LIKE else "claude-code"
