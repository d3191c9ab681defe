"""Recorded chats of Gemini CLI: a record is written again, under the same id, when its tools have run."""

from __future__ import annotations

from harnlite.agent_hooks.agent_calls import Budget
from harnlite.agent_hooks.context_windows import gemini_window
from harnlite.agent_hooks.formats.fields import list_of, number_of, object_of, text_of
from harnlite.agent_hooks.formats.gemini import without_hook_context
from harnlite.agent_hooks.replay.conversation import Conversation
from harnlite.agent_hooks.replay.dialects import GEMINI
from harnlite.agent_hooks.replay.message_parts import response_of, responses_in, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.agent_hooks.replay.steps import Step

_KEPT = 0.7  # Gemini keeps less than a third when it compresses; smaller falls have other reasons
_CONTEXT = ("<session_context>", "This is the Gemini CLI.", "[SYSTEM]")


class GeminiSession:
    """The conversation of a chat file."""

    def __init__(self) -> None:
        self._talk = Conversation(GEMINI)
        self._seen: set[str] = set()
        """The ids of the messages whose text was reported."""
        self._called: set[str] = set()
        self._answered: set[str] = set()
        self._tokens: dict[str, float] = {}
        """The tokens that the last record of a message states."""

    def feed(self, record: dict[str, object]) -> Iterator[Step]:
        """Yield the calls that follow from a record."""
        talk = self._talk
        talk.session = talk.session or text_of(record, ("sessionId",))
        talk.cwd = text_of(record, ("cwd", "projectRoot")) or talk.cwd
        patch = object_of(record.get("$set"))
        for item in list_of(patch.get("messages")) or list_of(record.get("messages")):
            yield from self._message(object_of(item))
        if text_of(record, ("$rewindTo",)):
            talk.interrupt()
            talk.budget = None
        elif "type" in record:
            yield from self._message(record)

    def end(self) -> Iterator[Step]:
        """Yield the calls that follow from the end of the file."""
        yield from self._talk.finish(is_at_end=True)

    def _message(self, record: dict[str, object]) -> Iterator[Step]:
        kind, known = record.get("type"), text_of(record, ("id",))
        if kind not in {"user", "gemini"}:
            return
        self._talk.at(record.get("timestamp"))
        is_new = not known or known not in self._seen
        self._seen.add(known)
        if kind == "gemini":
            yield from self._gemini(record, known, is_new=is_new)
            return
        text = text_in(record.get("content"))
        if is_new and text and not text.startswith(_CONTEXT) and not responses_in(record.get("content")):
            yield from self._talk.prompt(without_hook_context(text))

    def _gemini(self, record: dict[str, object], known: str, *, is_new: bool) -> Iterator[Step]:
        talk = self._talk
        yield from talk.start()
        talk.is_working = talk.is_working or is_new
        yield from self._measure(record, known)
        calls = [object_of(item) for item in list_of(record.get("toolCalls"))]
        yield from talk.says("" if calls else text_in(record.get("content")))
        for index, call in enumerate(calls):
            use_id = text_of(call, ("id",)) or f"{known}:{index}"
            if use_id not in self._called:
                self._called.add(use_id)
                yield from talk.use(text_of(call, ("name",)), object_of(call.get("args")), use_id)
            result = _result(call)
            if result is not None and use_id not in self._answered:
                self._answered.add(use_id)
                talk.at(call.get("timestamp"))
                yield from talk.result(use_id, result)

    def _measure(self, record: dict[str, object], known: str) -> Iterator[Step]:
        """Note the use of the context; a great fall shows that the chat was compressed before the message."""
        tokens, talk = object_of(record.get("tokens")), self._talk
        used = number_of(tokens, ("input",)) + number_of(tokens, ("output",)) or number_of(tokens, ("total",))
        if not used or self._tokens.get(known) == used:
            return
        self._tokens = {known: used}
        before = talk.budget.used if talk.budget is not None else 0
        if used < before * _KEPT:
            yield from talk.compaction("auto", has_end=False)
        talk.model = text_of(record, ("model",)) or talk.model
        talk.budget = Budget(int(used), gemini_window(talk.model), is_exact=False)


def _result(call: dict[str, object]) -> dict[str, object] | None:
    """Return the result of a tool as hooks get it, or None if the tool has not run."""
    status = call.get("status")
    responses = responses_in(call.get("result"))
    if status in {"cancelled", "awaiting_approval", "executing", "scheduled", "validating"}:
        return None
    if not responses and status not in {"success", "error"}:
        return None
    found: dict[str, object] = response_of(responses[0]) if responses else {"llmContent": ""}
    display = call.get("resultDisplay")
    if isinstance(display, str):
        found["returnDisplay"] = display
    if status == "error" and "error" not in found:
        found["error"] = {"message": display if isinstance(display, str) and display else "error"}
    return found


def is_record(record: dict[str, object]) -> bool:
    """Return whether a record is one of Gemini CLI."""
    is_message = record.get("type") in {"gemini", "user", "info"} and "content" in record and "id" in record
    return is_message or ("projectHash" in record and "sessionId" in record)
