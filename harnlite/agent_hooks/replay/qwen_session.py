"""Recorded sessions of Qwen Code: records like those of Claude Code, with messages like those of Gemini."""

from __future__ import annotations

from harnlite.agent_hooks.agent_calls import Budget
from harnlite.agent_hooks.formats.fields import list_of, number_of, object_of, text_of
from harnlite.agent_hooks.replay.conversation import Conversation
from harnlite.agent_hooks.replay.dialects import QWEN
from harnlite.agent_hooks.replay.message_parts import calls_in, responses_in, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.agent_hooks.replay.steps import Step
_ADDED = ("<qwen:", "<system-reminder>")
"""How parts of a prompt begin that hooks and the agent have added."""
_BY_USER = "real_user"


class QwenSession:
    """The main conversation; the records of sub-agents are not part of the file."""

    def __init__(self) -> None:
        self._talk = Conversation(QWEN)
        self._window = 0

    def feed(self, record: dict[str, object]) -> Iterator[Step]:
        """Yield the calls that follow from a record."""
        talk, kind = self._talk, record.get("type")
        if kind not in {"user", "assistant", "tool_result", "system"} or record.get("isSidechain") is True:
            return
        talk.at(record.get("timestamp"))
        talk.session = talk.session or text_of(record, ("sessionId",))
        talk.cwd = text_of(record, ("cwd",)) or talk.cwd
        message = object_of(record.get("message"))
        if kind == "system":
            yield from self._system(record)
        elif kind == "assistant":
            yield from self._assistant(record, message)
        elif kind == "tool_result":
            about = object_of(record.get("toolCallResult"))
            for response in responses_in(message):
                use_id = text_of(response, ("id",)) or text_of(about, ("callId",))
                parts = {"response_parts": [{"functionResponse": response}]}
                yield from talk.result(use_id, {**parts, "result_display": text_of(about, ("resultDisplay",))})
        else:
            text = text_in([part for part in list_of(message.get("parts")) if not text_in([part]).startswith(_ADDED)])
            if text:
                is_system = text_of(record, ("subtype",)) or record.get("provenance", _BY_USER) != _BY_USER
                yield from talk.prompt(text, None if is_system else {"submitted_prompt": text})

    def end(self) -> Iterator[Step]:
        """Yield the calls that follow from the end of the file."""
        yield from self._talk.finish(is_at_end=True)

    def _system(self, record: dict[str, object]) -> Iterator[Step]:
        if record.get("subtype") == "chat_compression":
            trigger = text_of(object_of(record.get("systemPayload")), ("trigger",))
            yield from self._talk.compaction("manual" if trigger == "manual" else "auto")

    def _assistant(self, record: dict[str, object], message: dict[str, object]) -> Iterator[Step]:
        talk, message_id = self._talk, text_of(record, ("uuid",))
        yield from talk.start()
        yield from talk.end_batch()
        talk.is_working = True
        talk.model = text_of(record, ("model",)) or talk.model
        used = int(number_of(object_of(record.get("usageMetadata")), ("promptTokenCount", "totalTokenCount")))
        self._window = int(number_of(record, ("contextWindowSize",))) or self._window
        if used:
            talk.budget = Budget(used, self._window)
        calls = calls_in(message)
        yield from talk.says("" if calls else text_in(message), message_id)
        for call in calls:
            arguments = object_of(call.get("args"))
            yield from talk.use(text_of(call, ("name",)), arguments, text_of(call, ("id",)), message_id)


def is_record(record: dict[str, object]) -> bool:
    """Return whether a record is one of Qwen Code."""
    has_parts = bool(list_of(object_of(record.get("message")).get("parts")))
    return "sessionId" in record and (has_parts or "systemPayload" in record)
