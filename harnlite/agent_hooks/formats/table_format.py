"""A format whose calls are read by tables of field names, and whose answers are JSON objects."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import (
    FILE_EDITED,
    POST_TOOL_USE,
    PRE_COMPACT,
    PRE_TOOL_USE,
    SESSION_START,
    STOP,
    SUBAGENT_STOP,
    USER_PROMPT,
    AgentCall,
    Answer,
)
from harnlite.agent_hooks.calls.json_text import parsed, well_formed, written
from harnlite.agent_hooks.formats.fields import list_of, object_of, text_of, texts_of
from harnlite.agent_hooks.formats.format import Format
from harnlite.agent_hooks.formats.tool_fields import read_result, tool_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.calls.agent_calls import Speech, ToolUse

_SOURCES = {source: source for source in ("startup", "resume", "clear", "compact", "fork", "manual", "auto")}
_SOURCES["new"] = "startup"


class TableFormat(Format):
    """A format with tables: which field of the payload gives which attribute of the call."""

    event_fields: tuple[str, ...] = ("hook_event_name",)
    aliases: Mapping[str, str] = {}
    """Other names of events, and the names in `events` that they stand for."""
    fields: Mapping[str, tuple[str, ...]] = {}
    """Attributes of the call that every event has."""
    event_texts: Mapping[str, Mapping[str, tuple[str, ...]]] = {}
    """Attributes of the call that only some events of harnlite have."""
    folders: tuple[str, ...] = ("workspace_roots",)
    """Lists of folders, whose first is the working directory if no field is."""
    folder_variables: tuple[str, ...] = ()
    """Environment variables with the working directory, if neither is there."""
    tool_name: tuple[str, ...] = ("tool_name",)
    tool_arguments: tuple[str, ...] = ("tool_input",)
    tool_id: tuple[str, ...] = ("tool_use_id",)
    tool_response: tuple[str, ...] = ("tool_response",)
    tool_calls = "tool_calls"
    """The field with the calls of a batch."""
    continuing_fields: tuple[str, ...] = ("stop_hook_active",)

    def native_of(self, data: dict[str, object], native: str) -> str:
        """Return the agent's name of the event: the payload's if harnlite uses it, else that of the command line."""
        told = text_of(data, self.event_fields)
        told = self.aliases.get(told, told)
        native = self.aliases.get(native, native)
        return native if native in self.events and told not in self.events else told or native

    def read(self, data: dict[str, object], native: str, env: Mapping[str, str]) -> AgentCall:
        """Return a call in the terms of harnlite. Wrong or missing fields have their defaults."""
        native = self.native_of(data, native)
        call = AgentCall(self.name, native, self.events.get(native, ""), data)
        for name, keys in self.fields.items():
            setattr(call, name, text_of(data, keys))
        if not call.cwd:
            call.cwd = self._folder(data, env)
        event = call.event
        for name, keys in self.event_texts.get(event, {}).items():
            setattr(call, name, text_of(data, keys))
        if event == USER_PROMPT:
            call.is_user_prompt = True
        elif event in {PRE_TOOL_USE, POST_TOOL_USE}:
            call.tools = self.tools_of(call)
        elif event in {STOP, SUBAGENT_STOP}:
            call.is_continuing = any(data.get(name) is True for name in self.continuing_fields)
        elif event in {SESSION_START, PRE_COMPACT}:
            call.source = _SOURCES.get(call.source, "")
        elif event == FILE_EDITED:
            call.paths = self.edited(data)
        self.finish(call, env)
        return call

    def _folder(self, data: dict[str, object], env: Mapping[str, str]) -> str:
        for name in self.folders:
            folders = texts_of(data.get(name))
            if folders:
                return folders[0]
        for name in self.folder_variables:
            folder = env.get(name)
            if folder:
                return well_formed(folder)
        return ""

    def finish(self, call: AgentCall, env: Mapping[str, str]) -> None:
        """Set what the tables cannot express."""

    def tools_of(self, call: AgentCall) -> list[ToolUse]:
        """Return the calls of the event: those of a batch, or the one that the payload describes."""
        batch = list_of(call.data.get(self.tool_calls))
        if batch:
            items = [object_of(item) for item in batch]
            return [use for use in [self.tool_of(item) for item in items if self.has_run(item)] if use.name]
        use = self.tool_of(call.data)
        return [use] if use.name else []

    def has_run(self, data: dict[str, object]) -> bool:  # noqa: ARG002 -- the interface
        """Return whether the call of a batch was carried out; a batch may contain calls that a hook has refused."""
        return True

    def tool_of(self, data: dict[str, object]) -> ToolUse:
        """Return the call of a tool that an object describes."""
        use = tool_use(
            text_of(data, self.tool_name), _arguments(data, self.tool_arguments), text_of(data, self.tool_id)
        )
        response = next((data[name] for name in self.tool_response if name in data), None)
        read_result(use, response, data.get("error"))
        return use

    def edited(self, data: dict[str, object]) -> list[str]:
        """Return the files of a `file_edited` event."""
        path = text_of(data, ("file_path", "path", "file"))
        return [path] if path else []

    def answer(self, call: AgentCall, speech: Speech) -> Answer:
        """Return the answer that the event of the agent accepts; what it cannot express is left out."""
        native = call.native
        context = self.shown(speech.context) if speech.context.strip() and self.can_speak(call) else ""
        if speech.deny is not None and native in self.denying:
            reason = self.shown(speech.deny.strip()) or "A rule of the project refuses it."
            return self.denial(call, reason, context if native in self.speaking_with_denial else "")
        if speech.go_on is not None and native in self.continuing:
            reason = self.shown(speech.go_on.strip()) or "The work is not finished."
            return self.continuation(reason)
        arguments = speech.arguments if native in self.changing else None
        if arguments is not None:
            try:
                return self.statement(call, context, arguments)
            except RecursionError:  # they are nested too deeply to be written
                pass
        return self.statement(call, context, None) if context else Answer(self.empty)

    def shown(self, text: str) -> str:
        """Return a text in characters that the agent passes on to its model unchanged."""
        return well_formed(text)

    def denial(self, call: AgentCall, reason: str, context: str) -> Answer:  # noqa: ARG002 -- the interface
        """Return the refusal of a tool call, a prompt or a compaction."""
        return Answer(self.empty)

    def continuation(self, reason: str) -> Answer:  # noqa: ARG002 -- the interface
        """Return the request that the agent continue."""
        return Answer(self.empty)

    def statement(self, call: AgentCall, context: str, arguments: dict[str, object] | None) -> Answer:  # noqa: ARG002 -- the interface
        """Return text for the model, or changed arguments of the tool, or both."""
        return Answer(self.empty)


def json_answer(value: dict[str, object]) -> Answer:
    """Return an answer of one JSON object."""
    return Answer(written(value))


def _arguments(data: dict[str, object], names: tuple[str, ...]) -> object:
    """Return the arguments of a tool; some agents write them as the text of a JSON object."""
    value = next((data[name] for name in names if name in data), None)
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return parsed(value)
        except (ValueError, RecursionError):
            return value
    return value
