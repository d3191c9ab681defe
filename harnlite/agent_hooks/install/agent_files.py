"""Where each coding agent keeps its hooks, which of its events are registered, and in which form."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnlite.agent_hooks import agent_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

USER, PROJECT = "user", "project"
SCOPES = (USER, PROJECT)

GROUPS, HANDLERS, SCRIPTS, PLUGIN = "groups", "handlers", "scripts", "plugin"
"""The forms: groups of handlers with a matcher; handlers; one executable for each event; a plugin of the agent."""

EXEC, SHELL = "exec", "shell"
"""How a handler names the command: `exec` and `args`, or a line for a shell."""

SECONDS = 5
"""The time limit that agents are told; the process itself gives up earlier."""


@dataclass(frozen=True, slots=True)
class AgentFiles:
    """The configuration of one agent.

    `user` is a path below the home folder, or below the folder that the environment variable `home` names; `project` is
    a path below the folder of a project. `events` are the names of the events that are always registered, and
    `optional` those that are registered only if the rules want the event of harnlite.
    """

    name: str
    title: str
    user: str
    project: str
    form: str
    events: Mapping[str, str]
    optional: Mapping[str, str]
    home: str = ""
    home_part: str = ""
    command: str = SHELL
    timeout: tuple[str, int] = ("timeout", SECONDS)
    extra: Mapping[str, object] = field(default_factory=dict)
    matchers: Mapping[str, str] = field(default_factory=dict)
    root: Mapping[str, object] = field(default_factory=dict)
    fails_closed: frozenset[str] = frozenset()
    """The events for which an `exec` that fails would refuse something; a line for a shell never fails."""
    has_comments: bool = False
    is_own_file: bool = False
    """Whether the file or folder contains nothing but what harnlite writes."""
    approval: str = ""
    """What the user still has to do in the agent."""

    def path(self, scope: str, folder: str, env: Mapping[str, str]) -> str:
        """Return the path of the configuration in a scope; `folder` is that of the project."""
        if scope == PROJECT:
            return os.path.join(folder, *self.project.split("/"))
        base = env.get(self.home, "") if self.home else ""
        if base:
            return os.path.join(base, *self.user.removeprefix(self.home_part).split("/"))
        return os.path.join(os.path.expanduser("~"), *self.user.split("/"))

    def native_events(self, wants: Callable[[str], bool]) -> list[str]:
        """Return the agent's names of the events to register, given which events the rules want."""
        return [*self.events, *(native for native, event in self.optional.items() if wants(event))]


_BASIC = {
    "SessionStart": agent_calls.SESSION_START,
    "UserPromptSubmit": agent_calls.USER_PROMPT,
}
_SUBAGENTS = {"SubagentStart": agent_calls.SUBAGENT_START, "SubagentStop": agent_calls.SUBAGENT_STOP}
_ENDS = {"PreCompact": agent_calls.PRE_COMPACT, "SessionEnd": agent_calls.SESSION_END}
_TOOLS = {"PreToolUse": agent_calls.PRE_TOOL_USE, "Stop": agent_calls.STOP}
_IDLE = {"Notification": agent_calls.SESSION_IDLE}
_CAMEL = {
    "preToolUse": agent_calls.PRE_TOOL_USE,
    "postToolUseFailure": agent_calls.POST_TOOL_USE,
    "subagentStart": agent_calls.SUBAGENT_START,
    "subagentStop": agent_calls.SUBAGENT_STOP,
    "sessionEnd": agent_calls.SESSION_END,
}

AGENT_FILES = {
    one.name: one
    for one in (
        AgentFiles(
            name="claude-code",
            title="Claude Code",
            user=".claude/settings.json",
            project=".claude/settings.json",
            home="CLAUDE_CONFIG_DIR",
            home_part=".claude/",
            form=GROUPS,
            events={**_BASIC, "PostToolBatch": agent_calls.POST_TOOL_USE},
            optional={**_TOOLS, **_SUBAGENTS, **_IDLE, **_ENDS},
            matchers={"Notification": "idle_prompt"},
            approval="start `claude` in the project once and accept that the folder is trusted",
        ),
        AgentFiles(
            name="codex",
            title="Codex CLI",
            user=".codex/hooks.json",
            project=".codex/hooks.json",
            home="CODEX_HOME",
            home_part=".codex/",
            form=GROUPS,
            events={**_BASIC, "PostToolUse": agent_calls.POST_TOOL_USE},
            optional={**_TOOLS, **_SUBAGENTS, "PreCompact": agent_calls.PRE_COMPACT},
            approval="run `/hooks` in Codex and approve the hooks of harnlite; in a project, also trust the folder",
        ),
        AgentFiles(
            name="gemini",
            title="Gemini CLI",
            user=".gemini/settings.json",
            project=".gemini/settings.json",
            home="GEMINI_CLI_HOME",
            form=GROUPS,
            events={
                "SessionStart": agent_calls.SESSION_START,
                "BeforeAgent": agent_calls.USER_PROMPT,
                "AfterTool": agent_calls.POST_TOOL_USE,
                "PreCompress": agent_calls.PRE_COMPACT,
            },
            optional={
                "BeforeTool": agent_calls.PRE_TOOL_USE,
                "AfterAgent": agent_calls.STOP,
                "SessionEnd": agent_calls.SESSION_END,
            },
            timeout=("timeout", SECONDS * 1000),
            extra={"name": "harnlite"},
            matchers={"AfterTool": ".*", "BeforeTool": ".*"},
            has_comments=True,
            approval="start `gemini` in the project once and trust the folder",
        ),
        AgentFiles(
            name="qwen",
            title="Qwen Code",
            user=".qwen/settings.json",
            project=".qwen/settings.json",
            form=GROUPS,
            events={**_BASIC, "PostToolBatch": agent_calls.POST_TOOL_USE},
            optional={**_TOOLS, **_SUBAGENTS, **_IDLE, **_ENDS},
            extra={"name": "harnlite"},
            matchers={"Notification": "idle_prompt"},
            has_comments=True,
            approval="start `qwen` in the project once and trust the folder",
        ),
        AgentFiles(
            name="copilot",
            title="GitHub Copilot CLI",
            user=".copilot/hooks/harnlite.json",
            project=".github/hooks/harnlite.json",
            home="COPILOT_HOME",
            home_part=".copilot/",
            form=HANDLERS,
            command=EXEC,
            events={
                "sessionStart": agent_calls.SESSION_START,
                "userPromptSubmitted": agent_calls.USER_PROMPT,
                "postToolUse": agent_calls.POST_TOOL_USE,
                "preCompact": agent_calls.PRE_COMPACT,
            },
            optional={**_CAMEL, "agentStop": agent_calls.STOP, "notification": agent_calls.SESSION_IDLE},
            timeout=("timeoutSec", SECONDS),
            root={"version": 1},
            fails_closed=frozenset(("preToolUse",)),
            is_own_file=True,
        ),
        AgentFiles(
            name="cursor",
            title="Cursor",
            user=".cursor/hooks.json",
            project=".cursor/hooks.json",
            form=HANDLERS,
            events={
                "sessionStart": agent_calls.SESSION_START,
                "beforeSubmitPrompt": agent_calls.USER_PROMPT,
                "postToolUse": agent_calls.POST_TOOL_USE,
                "preCompact": agent_calls.PRE_COMPACT,
            },
            optional={**_CAMEL, "stop": agent_calls.STOP},
            root={"version": 1},
            has_comments=True,
            approval="in a project, trust the workspace; Settings > Hooks shows whether Cursor has read the file",
        ),
        AgentFiles(
            name="factory",
            title="Factory Droid",
            user=".factory/hooks.json",
            project=".factory/hooks.json",
            form=GROUPS,
            events={**_BASIC, "PostToolUse": agent_calls.POST_TOOL_USE},
            optional={**_TOOLS, "SubagentStop": agent_calls.SUBAGENT_STOP, **_IDLE, **_ENDS},
            matchers={"PostToolUse": "*", "PreToolUse": "*"},
            approval="run `/hooks` in Droid to review the hooks",
        ),
        AgentFiles(
            name="cline",
            title="Cline",
            user=".cline/hooks",
            project=".cline/hooks",
            home="CLINE_DIR",
            home_part=".cline/",
            form=SCRIPTS,
            events={
                "TaskStart": agent_calls.SESSION_START,
                "TaskResume": agent_calls.SESSION_START,
                "UserPromptSubmit": agent_calls.USER_PROMPT,
                "PostToolUse": agent_calls.POST_TOOL_USE,
                "PreCompact": agent_calls.PRE_COMPACT,
            },
            optional={"PreToolUse": agent_calls.PRE_TOOL_USE, "TaskComplete": agent_calls.STOP},
            is_own_file=True,
            approval="switch hooks on in the settings of Cline",
        ),
        AgentFiles(
            name="opencode",
            title="opencode",
            user=".config/opencode/plugins/harnlite.js",
            project=".opencode/plugins/harnlite.js",
            home="XDG_CONFIG_HOME",
            home_part=".config/",
            form=PLUGIN,
            events={
                "session.created": agent_calls.SESSION_START,
                "chat.message": agent_calls.USER_PROMPT,
                "tool.execute.after": agent_calls.POST_TOOL_USE,
                "experimental.session.compacting": agent_calls.PRE_COMPACT,
                "session.compacted": agent_calls.POST_COMPACT,
            },
            optional={
                "tool.execute.before": agent_calls.PRE_TOOL_USE,
                "file.edited": agent_calls.FILE_EDITED,
                "session.idle": agent_calls.SESSION_IDLE,
                "session.deleted": agent_calls.SESSION_END,
            },
            is_own_file=True,
            approval="restart opencode: it loads plugins when it starts",
        ),
    )
}
