"""Recorded sessions of Codex CLI: rollouts, whose records have a type and a payload."""

from __future__ import annotations

from harnlite.agent_hooks.agent_calls import Budget
from harnlite.agent_hooks.formats.fields import list_of, number_of, object_of, text_of, texts_of
from harnlite.agent_hooks.json_text import parsed
from harnlite.agent_hooks.replay.conversation import Conversation
from harnlite.agent_hooks.replay.dialects import CODEX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnlite.agent_hooks.replay.steps import Step

_SHELLS = frozenset(("shell", "exec_command", "shell_command", "local_shell", "container.exec", "unified_exec"))
_UNREPORTED = frozenset(("write_stdin",))
_SHELL, _PATCH = "Bash", "apply_patch"
_INPUTS = ("<", "# AGENTS.md instructions")
"""How messages of role `user` begin that the user has not written; `user_message` events show the others."""
_WINDOW = ("model_context_window",)
_OUTPUT = "Output:\n"
_KINDS = frozenset(("session_meta", "turn_context", "response_item", "event_msg", "compacted", "token_usage_record"))


class CodexSession:
    """The conversation of a rollout, which may be that of a sub-agent."""

    def __init__(self, actor: str = "", actor_type: str = "", session: str = "") -> None:
        self._talk = Conversation(CODEX, actor, actor_type)
        self._talk.session = session
        self._turns = 0
        self._window = 0
        self._written = ""
        """The prompt of the last `response_item`, which a `user_message` event may repeat."""
        self._has_turn_ids = False

    def feed(self, record: dict[str, object]) -> Iterator[Step]:
        """Yield the calls that follow from a record."""
        talk, kind = self._talk, record.get("type")
        payload = object_of(record.get("payload"))
        if kind not in _KINDS:
            return
        talk.at(record.get("timestamp"))
        if kind == "session_meta":
            talk.session = talk.session or text_of(payload, ("session_id", "id"))
        if kind in {"session_meta", "turn_context"}:
            talk.cwd = text_of(payload, ("cwd",)) or talk.cwd
            talk.model = text_of(payload, ("model",)) or talk.model
        if kind == "turn_context":
            self._begin_turn(text_of(payload, ("turn_id",)))
        elif kind == "compacted":
            yield from talk.compaction("auto")
        elif kind == "token_usage_record":
            self._note_use(payload.get("usage"))
        else:
            take: Callable[[dict[str, object]], Iterator[Step]] | None
            take = self._table().get(f"{kind}:{payload.get('type')}")
            if take is not None:
                yield from take(payload)

    def end(self) -> Iterator[Step]:
        """Yield the calls that follow from the end of the file."""
        yield from self._talk.finish(is_certain=bool(self._talk.actor), is_at_end=True)

    def _table(self) -> dict[str, Callable[[dict[str, object]], Iterator[Step]]]:
        return {
            "response_item:message": self._message,
            "response_item:function_call": self._function_call,
            "response_item:custom_tool_call": self._function_call,
            "response_item:local_shell_call": self._local_shell_call,
            "response_item:function_call_output": self._output,
            "response_item:custom_tool_call_output": self._output,
            "event_msg:user_message": self._user_message,
            "event_msg:token_count": self._token_count,
            "event_msg:task_started": self._turn_started,
            "event_msg:turn_started": self._turn_started,
            "event_msg:task_complete": self._turn_complete,
            "event_msg:turn_complete": self._turn_complete,
            "event_msg:turn_aborted": self._turn_aborted,
        }

    # Messages

    def _message(self, payload: dict[str, object]) -> Iterator[Step]:
        text = "\n".join(text_of(object_of(part), ("text",)) for part in list_of(payload.get("content"))).strip()
        role = payload.get("role")
        if role == "assistant":
            yield from self._talk.start()
            self._talk.is_working = True
            yield from self._talk.says(text)
        elif role == "user" and text and not text.startswith(_INPUTS):
            self._written = text
            yield from self._prompt(text)

    def _user_message(self, payload: dict[str, object]) -> Iterator[Step]:
        text = text_of(payload, ("message",)).strip()
        if text and text != self._written:
            yield from self._prompt(text)
        self._written = ""

    def _prompt(self, text: str) -> Iterator[Step]:
        talk = self._talk
        if talk.actor:
            yield from talk.start(task=text)
            return
        if not self._has_turn_ids or not talk.turn_id:
            self._turns += 1
            talk.turn_id = ""
        yield from talk.prompt(text, turn_id=talk.turn_id or f"turn-{self._turns}")

    # Turns

    def _turn_started(self, payload: dict[str, object]) -> Iterator[Step]:
        yield from self._talk.finish()
        self._window = int(number_of(payload, _WINDOW)) or self._window
        self._begin_turn(text_of(payload, ("turn_id",)))

    def _begin_turn(self, turn_id: str) -> None:
        if turn_id:
            self._talk.turn_id, self._has_turn_ids = turn_id, True

    def _turn_complete(self, payload: dict[str, object]) -> Iterator[Step]:
        yield from self._talk.says(text_of(payload, ("last_agent_message",)))
        yield from self._talk.finish(is_certain=True)
        self._talk.turn_id = ""

    def _turn_aborted(self, payload: dict[str, object]) -> Iterator[Step]:  # noqa: ARG002 - the interface
        self._talk.interrupt()
        self._talk.turn_id = ""
        yield from ()

    def _token_count(self, payload: dict[str, object]) -> Iterator[Step]:
        info = object_of(payload.get("info"))
        self._window = int(number_of(info, _WINDOW)) or self._window
        self._note_use(info.get("last_token_usage"))
        yield from ()

    def _note_use(self, usage: object) -> None:
        used = int(number_of(object_of(usage), ("total_tokens",)))
        if used:
            self._talk.budget = Budget(used, self._window)

    # Tools

    def _function_call(self, payload: dict[str, object]) -> Iterator[Step]:
        name, arguments = text_of(payload, ("name",)), _arguments(payload)
        if name in _SHELLS:
            name, arguments = _SHELL, {"command": _command(arguments)}
        elif name == _PATCH:
            arguments = {"command": text_of(payload, ("input",)) or text_of(arguments, ("input", "patch"))}
        else:
            space = text_of(payload, ("namespace",))
            name = f"{space.removesuffix('__')}__{name}" if space.startswith("mcp__") else name
        yield from self._use(name, arguments, payload)

    def _local_shell_call(self, payload: dict[str, object]) -> Iterator[Step]:
        yield from self._use(_SHELL, {"command": _command(object_of(payload.get("action")))}, payload)

    def _use(self, name: str, arguments: dict[str, object], payload: dict[str, object]) -> Iterator[Step]:
        if name and name not in _UNREPORTED:
            yield from self._talk.start()
            self._talk.is_working = True
            yield from self._talk.use(name, arguments, text_of(payload, ("call_id", "id")))

    def _output(self, payload: dict[str, object]) -> Iterator[Step]:
        yield from self._talk.result(text_of(payload, ("call_id",)), _response(payload.get("output")))


def _arguments(payload: dict[str, object]) -> dict[str, object]:
    """Return the arguments of a call, which are stored as the text of a JSON object."""
    value = payload.get("arguments")
    if isinstance(value, str):
        try:
            value = parsed(value)
        except (ValueError, RecursionError):
            return {}
    return object_of(value)


def _command(arguments: dict[str, object]) -> str:
    """Return the command of a shell tool as text; `bash -lc` in front of it is left out."""
    value = arguments.get("cmd", arguments.get("command"))
    words = texts_of(value)
    if len(words) > 2 and words[1].startswith("-") and words[1].endswith("c"):  # noqa: PLR2004 - bash -lc COMMAND
        return words[2]
    return value if isinstance(value, str) else " ".join(words)


def _response(output: object) -> object:
    """Return the output of a tool as hooks get it: the text, after the exit code of a command that has failed."""
    if isinstance(output, dict):
        output = output.get("content", output.get("output"))
    if not isinstance(output, str):
        return output
    if output.lstrip().startswith("{"):
        try:
            stored = object_of(parsed(output))
        except (ValueError, RecursionError):
            return output
        code = object_of(stored.get("metadata")).get("exit_code")
        text = text_of(stored, ("output",))
        if isinstance(code, int):
            return f"Exit code: {code}\n{_OUTPUT}{text}" if code else text
        return output
    head, sign, rest = output.partition(f"\n{_OUTPUT}")
    if sign and ("Process exited with code 0" in head or head.startswith("Exit code: 0\n")):
        return rest
    return output if not sign else _failure(head, rest)


def _failure(head: str, rest: str) -> str:
    """Return the output of a failed command with its exit code in front of what else is known of the process."""
    lines = head.splitlines()
    codes = [line for line in lines if line.startswith(("Process exited with code ", "Exit code: "))]
    others = [line for line in lines if line not in codes]
    return "\n".join([*codes, *others, _OUTPUT + rest])


def is_record(record: dict[str, object]) -> bool:
    """Return whether a record is one of Codex CLI."""
    return isinstance(record.get("payload"), dict) and isinstance(record.get("type"), str)


def origin_of(record: dict[str, object]) -> tuple[str, str, str]:
    """Return the id of a rollout, the id of the session that has started it as a sub-agent, and its type."""
    payload = object_of(record.get("payload"))
    if record.get("type") != "session_meta":
        return "", "", ""
    source = object_of(object_of(payload.get("source")).get("subagent"))
    spawn = object_of(source.get("thread_spawn"))
    parent = text_of(spawn, ("parent_thread_id",)) or text_of(payload, ("parent_thread_id", "forked_from_id"))
    kind = text_of(spawn, ("agent_role", "agent_type", "agent_nickname")) or text_of(payload, ("agent_role",))
    return text_of(payload, ("id",)), parent if source else "", kind
