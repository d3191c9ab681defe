"""The coding agents that run here without an account: how each is started with a model on loopback."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.agent_hooks.programs.model_server import MODEL, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.agent_hooks.programs.model_server import ModelServer


@dataclass(frozen=True, slots=True)
class Agent:
    """A coding agent. `configure` writes its settings below the home folder and returns its environment."""

    name: str
    pattern: str
    """Where its program is in the installed packages."""
    words: tuple[str, ...]
    """The arguments of a run without a terminal; the prompt follows."""
    configure: Callable[[Path, ModelServer], dict[str, str]]
    shell: str
    """The model's name of the tool that runs commands."""
    command: str = "command"
    more: Mapping[str, object] = field(default_factory=dict)
    """Other arguments that the tool requires."""
    events: tuple[str, ...] = ()
    """The events that the test causes, in their order, each once."""
    resumed: tuple[str, ...] = ()
    """The arguments of a run that continues the last session; the prompt follows."""
    continues: bool = True
    """Whether a rule can make it continue at a stop."""
    tokens: int = 90_000
    """How many tokens are between 40 and 50 % of the context window of the model."""
    measured: tuple[int, ...] = (2, 3)
    """The requests in which it may be seen first that the context is so full: the transcript may be written late."""

    def write(self, path: str) -> ToolCall:
        """Return the model's call of the tool that makes a file."""
        if self.name == "codex":
            return ToolCall("apply_patch", {"input": f"*** Begin Patch\n*** Add File: {path}\n+text\n*** End Patch\n"})
        tools = {"claude-code": "Write", "opencode": "write"}
        key = "filePath" if self.name == "opencode" else "file_path"
        return ToolCall(tools.get(self.name, "write_file"), {key: path, "content": "text\n"})

    def run(self, command: str) -> ToolCall:
        """Return the model's call of the shell."""
        return ToolCall(self.shell, {self.command: command, **self.more})


def _claude_code(_home: Path, server: ModelServer) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _codex(home: Path, server: ModelServer) -> dict[str, str]:
    _write(
        home / ".codex" / "config.toml",
        f'model = "gpt-5.5"\nmodel_provider = "loopback"\n[model_providers.loopback]\nname = "loopback"\n'
        f'base_url = "{server.url}/v1"\nwire_api = "responses"\n[analytics]\nenabled = false\n',
    )
    return {}


def _gemini(home: Path, server: ModelServer) -> dict[str, str]:
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}
    _write(home / ".gemini" / "settings.json", json.dumps(settings, indent=2))
    trust = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
    return {"GEMINI_API_KEY": "key", "GOOGLE_GEMINI_BASE_URL": server.url, **trust}


def _qwen(home: Path, server: ModelServer) -> dict[str, str]:
    # Without its memory, which starts conversations of its own.
    memory = dict.fromkeys(("enableManagedAutoMemory", "enableManagedAutoDream", "enableAutoSkill"), False)
    settings = {"security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": False}}
    settings["memory"] = memory
    _write(home / ".qwen" / "settings.json", json.dumps(settings, indent=2))
    return {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_MODEL": MODEL}


def _opencode(home: Path, server: ModelServer) -> dict[str, str]:
    model = {"name": MODEL, "limit": {"context": 200_000, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "loopback",
        "options": {"baseURL": f"{server.url}/v1", "apiKey": "key"},
        "models": {MODEL: model},
    }
    settings = {
        "provider": {"loopback": provider},
        "model": f"loopback/{MODEL}",
        "small_model": f"loopback/{MODEL}",
        "autoupdate": False,
        "share": "disabled",
        "permission": {"bash": "allow"},
    }
    _write(home / ".config" / "opencode" / "opencode.json", json.dumps(settings, indent=2))
    switches = ("AUTOUPDATE", "MODELS_FETCH", "DEFAULT_PLUGINS", "LSP_DOWNLOAD")
    # opencode installs the types for plugins beside them: without a registry it fails at once and continues.
    offline = {"npm_config_registry": server.url, "npm_config_fetch_retries": "0", "BUN_CONFIG_REGISTRY": server.url}
    return {**{f"OPENCODE_DISABLE_{name}": "1" for name in switches}, **offline}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


_CLAUDE = ("--allowedTools", "Bash", "--permission-mode", "acceptEdits", "--model", "claude-opus-4-8")
_CODEX = ("--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust")
_GEMINI = ("--yolo", "--model", "gemini-2.5-pro")
_CLAUDE_EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolBatch", "Stop")
AGENTS = {
    agent.name: agent
    for agent in (
        Agent(
            name="claude-code",
            pattern="@anthropic-ai/claude-code-*/claude",
            words=(*_CLAUDE, "-p"),
            resumed=(*_CLAUDE, "-c", "-p"),
            configure=_claude_code,
            shell="Bash",
            more={"description": "a command"},
            events=_CLAUDE_EVENTS,
        ),
        Agent(
            name="codex",
            pattern="@openai/codex/bin/codex.js",
            words=("exec", *_CODEX),
            resumed=("exec", "resume", "--last", *_CODEX),
            configure=_codex,
            shell="exec_command",
            command="cmd",
            events=("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"),
            tokens=120_000,
        ),
        Agent(
            name="gemini",
            pattern="@google/gemini-cli/bundle/gemini.js",
            words=(*_GEMINI, "-p"),
            resumed=(*_GEMINI, "--resume", "latest", "-p"),
            configure=_gemini,
            shell="run_shell_command",
            events=("SessionStart", "BeforeAgent", "PreCompress", "BeforeTool", "AfterTool", "AfterAgent"),
            tokens=450_000,
        ),
        Agent(
            name="qwen",
            pattern="@qwen-code/qwen-code/cli-entry.js",
            words=("--yolo", "-p"),
            resumed=("--yolo", "-c", "-p"),
            configure=_qwen,
            shell="run_shell_command",
            more={"is_background": False},
            events=_CLAUDE_EVENTS,
            measured=(4,),  # of a model that Qwen Code does not know, it tells the window at a stop only
        ),
        Agent(
            name="opencode",
            pattern="opencode-*/bin/opencode",
            words=("run",),
            resumed=("run", "--continue"),
            configure=_opencode,
            shell="bash",
            more={"description": "a command"},
            events=("session.created", "chat.message", "tool.execute.before", "tool.execute.after"),
            continues=False,
        ),
    )
}
