"""One call of a coding agent in the terms of harnlite, and the answer to it.

The modules of `formats` translate both from and to the JSON of each agent. The module is on the path of every tool call
of an agent: plain classes, and no imports.
"""

from __future__ import annotations

SESSION_START, USER_PROMPT, SESSION_END = "session_start", "user_prompt", "session_end"
PRE_TOOL_USE, POST_TOOL_USE = "pre_tool_use", "post_tool_use"
PRE_COMPACT, POST_COMPACT = "pre_compact", "post_compact"
SESSION_IDLE, STOP = "session_idle", "stop"
SUBAGENT_START, SUBAGENT_STOP = "subagent_start", "subagent_stop"
FILE_EDITED = "file_edited"
EVENTS = (
    SESSION_START,
    USER_PROMPT,
    PRE_TOOL_USE,
    POST_TOOL_USE,
    PRE_COMPACT,
    POST_COMPACT,
    SESSION_IDLE,
    STOP,
    SUBAGENT_START,
    SUBAGENT_STOP,
    FILE_EDITED,
    SESSION_END,
)

READ, EDIT, SHELL, SEARCH, FETCH, TASK, OTHER = "read", "edit", "shell", "search", "fetch", "task", "other"


class ToolUse:
    """A call of one of the agent's own tools; `result` and what follows are known after the call only."""

    __slots__ = ("arguments", "command", "error", "id", "is_truncated", "kind", "name", "paths", "result", "size")

    def __init__(self, name: str, arguments: dict[str, object], use_id: str = "") -> None:
        self.name = name
        """The agent's name of the tool, such as `Edit`, `apply_patch` or `run_shell_command`."""
        self.kind = OTHER
        """What the tool does, the same word for all agents."""
        self.arguments = arguments
        self.id = use_id
        self.paths: list[str] = []
        """The files that the call reads or changes, as the agent wrote them."""
        self.command = ""
        """The command of a shell tool."""
        self.result = ""
        """The text that the model reads."""
        self.error = ""
        """The text of the error; empty if the call succeeded."""
        self.is_truncated = False
        """Whether the agent cut the result off before the model read it."""
        self.size = 0
        """The number of characters of the uncut result; 0 if the agent does not tell."""


class Budget:
    """How full the context window is. A window of 0 is unknown."""

    __slots__ = ("is_exact", "used", "window")

    def __init__(self, used: int, window: int, *, is_exact: bool = True) -> None:
        self.used = used
        self.window = window
        self.is_exact = is_exact
        """Whether the agent told the window itself; otherwise it follows from the name of the model."""


class AgentCall:
    """One event that a coding agent reports, with everything that harnlite uses of it."""

    __slots__ = (
        "actor",
        "actor_type",
        "agent",
        "budget",
        "cwd",
        "data",
        "event",
        "is_continuing",
        "is_user_prompt",
        "message",
        "model",
        "native",
        "parent",
        "paths",
        "prompt",
        "session",
        "source",
        "task",
        "tools",
        "transcript",
        "turn_id",
    )

    def __init__(self, agent: str, native: str, event: str, data: dict[str, object]) -> None:
        self.agent = agent
        """The agent that really calls, such as `claude-code`."""
        self.native = native
        """The agent's name of the event, such as `PostToolUse`."""
        self.event = event
        """One of `EVENTS`, or an empty string for an event that harnlite does not use."""
        self.data = data
        """The object that the agent wrote to stdin."""
        self.session = ""
        """The agent's id of the session."""
        self.parent = ""
        """The id of the session that this one is a fork of, if the agent tells it."""
        self.actor = ""
        """The id of the sub-agent in which the event happens; empty in the main conversation."""
        self.actor_type = ""
        self.task = ""
        """The task of a sub-agent that starts."""
        self.source = ""
        """Why a session starts: startup, resume, clear, compact or fork; of a compaction: manual or auto."""
        self.cwd = ""
        self.transcript = ""
        """The path of the transcript of the session, or of the sub-agent if its event has one."""
        self.model = ""
        self.turn_id = ""
        """The agent's id of the user's prompt or turn."""
        self.prompt = ""
        self.is_user_prompt = False
        """Whether the user has written the prompt; some agents fire the event for other reasons too."""
        self.message = ""
        """The text of a notification, or the last message of the assistant at a stop."""
        self.tools: list[ToolUse] = []
        self.paths: list[str] = []
        """The files that changed, at `file_edited`."""
        self.budget: Budget | None = None
        """What the event itself tells about the context window."""
        self.is_continuing = False
        """Whether the agent is working only because a hook has continued it after a stop."""


class Speech:
    """The answer of the rules to a call, before it takes the form of an agent."""

    __slots__ = ("arguments", "context", "deny", "go_on")

    def __init__(
        self,
        context: str = "",
        *,
        deny: str | None = None,
        go_on: str | None = None,
        arguments: dict[str, object] | None = None,
    ) -> None:
        self.context = context
        """The text of the reminders that the model is to read; empty if there is nothing to say."""
        self.deny = deny
        """The reason why a tool call or a prompt is refused."""
        self.go_on = go_on
        """The reason why the agent is to continue after a stop."""
        self.arguments = arguments
        """The arguments with which the tool is to be called instead of its own."""


class Answer:
    """What the process writes and how it ends."""

    __slots__ = ("status", "stderr", "stdout")

    def __init__(self, stdout: str = "", *, status: int = 0, stderr: str = "") -> None:
        self.stdout = stdout
        self.status = status
        self.stderr = stderr
