"""Recorded sessions of Claude Code: one record for each block of a message."""

from __future__ import annotations

from harnlite.agent_hooks.agent_calls import Budget
from harnlite.agent_hooks.context_windows import claude_window
from harnlite.agent_hooks.formats.fields import list_of, number_of, object_of, text_of
from harnlite.agent_hooks.replay.conversation import Conversation
from harnlite.agent_hooks.replay.dialects import CLAUDE_CODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.agent_hooks.replay.steps import Step

_TOKENS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_INTERRUPTED = "[Request interrupted by user"
_LOCAL = ("<local-command-", "<command-name>", "<bash-input>", "<bash-stdout>", "<bash-stderr>")
_SYSTEM = ("<task-notification>", "<teammate-message", "<tick>")
_RESUMED = (":resume", ":fork")
_SYNTHETIC = "<synthetic>"
_OTHER_CHAIN = "sidechain"


class ClaudeSession:
    """The main conversation, or with `actor` that of a sub-agent that has a file of its own."""

    def __init__(self, actor: str = "", actor_type: str = "") -> None:
        self._talk = Conversation(CLAUDE_CODE, actor, actor_type)
        self._window = 0
        self._message_id = ""
        self._chains: dict[str, ClaudeSession] = {}
        """The sub-agents whose records are in this file."""
        self._tasks: dict[str, str] = {}
        """The types of sub-agents by the ids of the tool calls that start them."""

    def feed(self, record: dict[str, object]) -> Iterator[Step]:
        """Yield the calls that follow from a record."""
        talk = self._talk
        if record.get("isSidechain") is True and not talk.actor:
            yield from self._feed_chain(record)
            return
        kind = record.get("type")
        if kind == "attachment":
            yield from self._attachment(record)
        if kind not in {"user", "assistant", "system"} or record.get("isMeta") is True:
            return
        talk.at(record.get("timestamp"))
        talk.session = talk.session or text_of(record, ("sessionId",))
        talk.cwd = text_of(record, ("cwd",)) or talk.cwd
        if kind == "system":
            yield from self._system(record)
        elif kind == "assistant":
            yield from self._assistant(record)
        elif record.get("isCompactSummary") is not True and record.get("isVisibleInTranscriptOnly") is not True:
            yield from self._user(record)

    def end(self) -> Iterator[Step]:
        """Yield the calls that follow from the end of the file."""
        for chain in self._chains.values():
            yield from chain.end()
        yield from self._talk.finish(is_certain=bool(self._talk.actor), is_at_end=True)

    def finish(self) -> Iterator[Step]:
        """Yield the call with which the work on the task ends."""
        yield from self._talk.finish(is_certain=True)

    def _system(self, record: dict[str, object]) -> Iterator[Step]:
        subtype = record.get("subtype")
        if subtype == "compact_boundary":
            trigger = text_of(object_of(record.get("compactMetadata")), ("trigger",)) or "auto"
            yield from self._talk.compaction(trigger)
            self._window = 0
        elif subtype in {"turn_duration", "stop_hook_summary"}:
            yield from self._talk.finish(is_certain=True)

    def _attachment(self, record: dict[str, object]) -> Iterator[Step]:
        """Yield the start with which a session was resumed, which only the output of its hooks shows."""
        about, talk = object_of(record.get("attachment")), self._talk
        name = text_of(about, ("hookName",))
        if talk.is_started and about.get("hookEvent") == "SessionStart" and name.endswith(_RESUMED):
            talk.at(record.get("timestamp"))
            yield from talk.resume(name.partition(":")[2])

    def _user(self, record: dict[str, object]) -> Iterator[Step]:
        content = object_of(record.get("message")).get("content")
        blocks = [object_of(block) for block in list_of(content)]
        results = [block for block in blocks if block.get("type") == "tool_result"]
        for block in results:
            use_id = text_of(block, ("tool_use_id",))
            yield from self._talk.result(use_id, block.get("content"))
            yield from self._end_task(use_id, object_of(record.get("toolUseResult")))
        text = content if isinstance(content, str) else "\n".join(text_of(block, ("text",)) for block in blocks).strip()
        if text.startswith(_INTERRUPTED):
            self._talk.interrupt()
        elif self._talk.actor:
            if not results:
                yield from self._talk.start(task=text)
        elif text and not results and not text.startswith(_LOCAL):
            turn_id = text_of(record, ("promptId", "uuid"))
            source = "system" if text.startswith(_SYSTEM) else "user"
            yield from self._talk.prompt(text, {"source": source}, turn_id=turn_id)

    def _assistant(self, record: dict[str, object]) -> Iterator[Step]:
        message = object_of(record.get("message"))
        model = text_of(message, ("model",))
        if record.get("isApiErrorMessage") is True or model == _SYNTHETIC:
            return
        talk, message_id = self._talk, text_of(message, ("id",))
        yield from talk.start()
        if message_id != self._message_id or not message_id:
            # The use of the context that a record states is that of the call of the model, after the hooks before it.
            yield from talk.end_batch()
            self._message_id = message_id
            talk.is_working = True
        self._note_budget(object_of(message.get("usage")), model)
        is_last = message.get("stop_reason") != "tool_use"
        for item in list_of(message.get("content")):
            block = object_of(item)
            if block.get("type") == "text":
                yield from talk.says(text_of(block, ("text",)) if is_last else "", message_id)
            elif block.get("type") == "tool_use":
                yield from self._use(block, message_id)

    def _use(self, block: dict[str, object], message_id: str) -> Iterator[Step]:
        use_id, arguments = text_of(block, ("id",)), object_of(block.get("input"))
        kind = text_of(arguments, ("subagent_type",))
        if kind:
            self._tasks[use_id] = kind
        yield from self._talk.use(text_of(block, ("name",)), arguments, use_id, message_id)

    def _note_budget(self, usage: dict[str, object], model: str) -> None:
        used = int(sum(number_of(usage, (part,)) for part in _TOKENS))
        if not used:
            return
        window = claude_window(model, used)
        self._window = max(window, self._window) if window else 0
        self._talk.budget = Budget(used, self._window, is_exact=False)

    # Sub-agents whose records are in the file of the session

    def _feed_chain(self, record: dict[str, object]) -> Iterator[Step]:
        name = text_of(record, ("agentId",)) or _OTHER_CHAIN
        chain = self._chains.get(name)
        if chain is None:
            kinds = list(self._tasks.values())
            chain = self._chains[name] = ClaudeSession(name, kinds[-1] if kinds else "")
        yield from chain.feed(record)

    def _end_task(self, use_id: str, result: dict[str, object]) -> Iterator[Step]:
        """End the sub-agent whose result has arrived."""
        if self._tasks.pop(use_id, None) is None:
            return
        name = text_of(result, ("agentId",)) or _OTHER_CHAIN
        chain = self._chains.pop(name, None)
        if chain is not None:
            yield from chain.finish()
