"""The format of Gemini CLI."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import (
    POST_TOOL_USE,
    PRE_COMPACT,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_START,
    SHELL,
    STOP,
    USER_PROMPT,
)
from harnlite.agent_hooks.calls.json_text import well_formed
from harnlite.agent_hooks.formats.fields import object_of
from harnlite.agent_hooks.formats.plain_brackets import without_brackets
from harnlite.agent_hooks.formats.table_format import TableFormat, json_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.calls.agent_calls import AgentCall, Answer, ToolUse

_LONGEST_RESULT = 40_000
_OPENING, _CLOSING = "<hook_context>", "</hook_context>"


_EVENTS = {
    "SessionStart": SESSION_START,
    "BeforeAgent": USER_PROMPT,
    "BeforeTool": PRE_TOOL_USE,
    "AfterTool": POST_TOOL_USE,
    "PreCompress": PRE_COMPACT,
    "AfterAgent": STOP,
    "SessionEnd": SESSION_END,
}
_FIELDS: dict[str, tuple[str, ...]] = {
    "session": ("session_id",),
    "cwd": ("cwd",),
    "transcript": ("transcript_path",),
    "model": ("model",),
}
_EVENT_TEXTS: dict[str, dict[str, tuple[str, ...]]] = {
    SESSION_START: {"source": ("source",)},
    USER_PROMPT: {"prompt": ("prompt",)},
    PRE_COMPACT: {"source": ("trigger",)},
    STOP: {"message": ("prompt_response",), "prompt": ("prompt",)},
}


class GeminiFormat(TableFormat):
    """Gemini CLI: text of a hook stands inside `<hook_context>`, and its prompts show it to the next hook."""

    name = "gemini"
    events = _EVENTS
    speaking = frozenset(("SessionStart", "BeforeAgent", "AfterTool"))
    denying = frozenset(("BeforeTool", "BeforeAgent"))
    continuing = frozenset(("AfterAgent",))
    changing = frozenset(("BeforeTool",))
    limit = (0, 0, 0)
    fields = _FIELDS
    event_texts = _EVENT_TEXTS
    folder_variables = ("GEMINI_CWD", "GEMINI_PROJECT_DIR")

    def finish(self, call: AgentCall, env: Mapping[str, str]) -> None:
        """Set the session that only the environment tells, and take texts of hooks out of the prompt."""
        call.session = call.session or well_formed(env.get("GEMINI_SESSION_ID", ""))
        call.prompt = without_hook_context(call.prompt)

    def can_speak(self, call: AgentCall) -> bool:
        """Return whether the model reads text; of a tool that has failed, it reads only the error."""
        return super().can_speak(call) and not object_of(call.data.get("tool_response")).get("error")

    def tool_of(self, data: dict[str, object]) -> ToolUse:
        """Return the call of a tool; the agent cuts long results of shells off after the hook has seen them."""
        use = super().tool_of(data)
        if use.kind == SHELL and len(use.result) > _LONGEST_RESULT:
            use.is_truncated, use.size = True, len(use.result)
        return use

    def shown(self, text: str) -> str:
        """Return a text in characters that the agent passes on to its model unchanged."""
        return without_brackets(well_formed(text))

    def denial(self, call: AgentCall, reason: str, context: str) -> Answer:  # noqa: ARG002 - the interface
        """Return the refusal of a tool call or of a prompt."""
        return json_answer({"decision": "deny", "reason": reason})

    def continuation(self, reason: str) -> Answer:
        """Return the request that the agent continue."""
        return json_answer({"decision": "deny", "reason": reason})

    def statement(self, call: AgentCall, context: str, arguments: dict[str, object] | None) -> Answer:
        """Return text for the model, or arguments that are merged into those of the tool."""
        output: dict[str, object] = {"hookEventName": call.native}
        if arguments is not None:
            output["tool_input"] = arguments
        if context:
            output["additionalContext"] = context
        return json_answer({"hookSpecificOutput": output})


def without_hook_context(prompt: str) -> str:
    """Return the prompt as the user wrote it, without the texts of hooks around it."""
    parts, position = [], 0
    while (start := prompt.find(_OPENING, position)) >= 0 and (end := prompt.find(_CLOSING, start)) >= 0:
        parts.append(prompt[position:start])
        position = end + len(_CLOSING)
    return "".join([*parts, prompt[position:]]).strip() if parts else prompt


FORMAT = GeminiFormat()
