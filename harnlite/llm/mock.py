"""The mock: a backend that answers with queued entries, with fixtures from a file, or with a default reply."""

from __future__ import annotations

from harnlite.formats.json.writing import json_text
from harnlite.llm.backend import ChatReply
from harnlite.llm.mock_entries import OUTPUT_TOKENS, MockEntry, reply_blocks
from harnlite.llm.mock_matching import Pools, byte_length, last_prompt
from harnlite.llm.routes import MOCK
from harnlite.reminders.capabilities import glob_fits
from harnlite.runtime.environment_settings import setting
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterable
    from typing import Any

    from harnlite.llm.backend import ChatRequest, OnDelta
    from harnlite.llm.mock_matching import Sent
    from harnlite.runtime.tasks.execution import Execution
else:
    from _collections import deque

OFFLINE = frozenset({MOCK, "fake"})
"""The providers that never use the network."""

_COMPLETION_TOKENS = 16
_SHOWN, _SHOWN_UNMATCHED = 100, 200
_DEFAULTS = ("api_mode", "background", "include", "previous_response_id", "provider_tools", "store", "truncation")


class Queue:
    """Queued entries: those without a glob are used once, in order; the others answer the messages that they match."""

    __slots__ = ("_globs", "_plain")

    def __init__(self, entries: Iterable[MockEntry] = ()) -> None:
        self._plain: deque[MockEntry] = deque()
        self._globs: list[MockEntry] = []
        for entry in entries:
            self.add(entry)

    @property
    def has_entries(self) -> bool:
        """Return whether entries are left."""
        return bool(self._plain or self._globs)

    def add(self, entry: MockEntry) -> None:
        """Append an entry."""
        if entry.match is None:
            self._plain.append(entry)
        else:
            self._globs.append(entry)

    def take(self, sent: Sent) -> MockEntry | None:
        """Return the entry that answers these messages, or None."""
        if self._plain:
            return self._plain.popleft()
        text: str | None = None
        for index, entry in enumerate(self._globs):
            if entry.match != "*":
                text = sent.text() if text is None else text
                if not glob_fits(entry.match or "", text):
                    continue
            if entry.consume_match:
                del self._globs[index]
            return entry
        return None


def _row(sent: Sent) -> dict[str, Any]:
    """Return a request that the mock answered as `llm_mock_calls` shows it."""
    row: dict[str, Any] = dict.fromkeys(_DEFAULTS)
    row.update(
        messages=sent.messages(),
        system=sent.system,
        tools=sent.tools,
        tool_choice=sent.tool_choice,
        output_format=sent.options.get("output_format", {"kind": "text"}),
        thinking=sent.options.get("thinking", {"mode": "disabled"}),
        model=sent.model,
        provider=sent.provider,
    )
    return row


class Scope:
    """A queue, a call log, and the prompts in the simulated prompt cache."""

    __slots__ = ("cached", "calls", "queue")

    def __init__(self) -> None:
        self.queue = Queue()
        self.calls: list[Sent] = []
        self.cached: set[int] = set()


class Mocks:
    """The state of the mock in one run."""

    __slots__ = ("_outer", "_pools", "_scope", "fixtures")

    name = MOCK

    def __init__(self, fixtures: Queue | None = None) -> None:
        self.fixtures = fixtures
        self._scope = Scope()
        self._outer: list[Scope] = []
        self._pools = Pools()

    # Used by the builtins

    def add(self, entry: MockEntry) -> None:
        """Add an entry to the queue of the current scope."""
        self._scope.queue.add(entry)

    def calls(self) -> list[dict[str, Any]]:
        """Return a row for each call in the current scope."""
        return [_row(sent) for sent in self._scope.calls]

    @property
    def call_count(self) -> int:
        """Return the number of calls in the current scope."""
        return len(self._scope.calls)

    def clear(self) -> None:
        """Discard all state, including the outer scopes. What is known of the sizes of messages stays."""
        self._scope = Scope()
        self._outer.clear()

    def push_scope(self) -> None:
        """Save the current scope and begin an empty one."""
        self._outer.append(self._scope)
        self._scope = Scope()

    def pop_scope(self) -> None:
        """Restore the scope that was saved last."""
        if not self._outer:
            raise thrown("llm_mock_pop_scope: no scope to pop")
        self._scope = self._outer.pop()

    # Used by model calls

    @property
    def is_scripted(self) -> bool:
        """Return whether scripted answers are queued, in which case calls to every provider are intercepted."""
        return self.fixtures is not None or self._scope.queue.has_entries

    def intercepts(self, route_name: str) -> bool:
        """Return whether the mock answers calls to a provider, which then does not need an API key."""
        return route_name in OFFLINE or self.is_scripted or setting("LLM_PROVIDER") == MOCK

    def complete(self, run: Execution, request: ChatRequest, on_delta: OnDelta | None = None) -> ChatReply:
        """Answer a request; a delay does not block other tasks."""
        sent = self._pools.sent(request)
        scope = self._scope
        scope.calls.append(sent)
        entry = (
            scope.queue.take(sent) if self.fixtures is None else self._from_file(self.fixtures, scope, sent, request)
        )
        if entry is None:
            reply = _default_reply(request)
        else:
            if entry.delay_ms:
                run.sleep(entry.delay_ms / 1000)
            if entry.error is not None:
                raise entry.error.make()
            reply = entry.reply(sent.text_bytes())
            if on_delta is not None:
                for chunk in entry.chunks or ():
                    on_delta(chunk)
        if request.options.get("cache"):
            return _with_cached(scope, request, reply)
        return reply

    def _from_file(self, fixtures: Queue, scope: Scope, sent: Sent, request: ChatRequest) -> MockEntry:
        """Return the answer of a file or, if none fits, of the script."""
        found = fixtures.take(sent) or scope.queue.take(sent)
        if found is None:
            prompt = last_prompt(request.messages)[:_SHOWN_UNMATCHED]
            raise runtime_error(f'No --llm-mock fixture matched prompt: "{prompt}"')
        return found


def _with_cached(scope: Scope, request: ChatRequest, reply: ChatReply) -> ChatReply:
    """Return a reply whose prompt counts as written to the cache the first time, and as read from it after that."""
    if reply.cache_read_tokens or reply.cache_write_tokens:
        return reply
    fields = {name: getattr(reply, name) for name in ChatReply.__slots__}
    key = hash((request.model, request.system, json_text(list(request.messages))))
    if key in scope.cached:
        fields["cache_read_tokens"] = reply.input_tokens
    else:
        scope.cached.add(key)
        fields["cache_write_tokens"] = reply.input_tokens
    return ChatReply(**fields)


def _default_reply(request: ChatRequest) -> ChatReply:
    """Return the default reply to a request that no entry answers."""
    if "completion" in request.options:
        return _default_completion(request.options["completion"])
    prompt = last_prompt(request.messages)
    size = byte_length(prompt)
    text = f"Mock response to {len(prompt.split())}-word prompt: {prompt[:_SHOWN]}" if prompt else "Mock LLM response"
    if "<done>" in (request.system or ""):
        text = f"<assistant_prose>{text}</assistant_prose>\n<done>##DONE##</done>"
    return ChatReply(
        text=text,
        input_tokens=size,
        output_tokens=OUTPUT_TOKENS,
        model=request.model,
        provider=MOCK,
        blocks=reply_blocks(text, []),
    )


def _default_completion(parts: dict[str, Any]) -> ChatReply:
    prefix, suffix = parts["prefix"], parts["suffix"] or ""
    text = f"Mock completion after {len(prefix)} chars"
    if suffix:
        text += f" before {len(suffix)} chars"
    return ChatReply(
        text=text,
        input_tokens=byte_length(prefix) + byte_length(suffix),
        output_tokens=_COMPLETION_TOKENS,
        stop_reason="stop",
        model=MOCK,
        provider=MOCK,
        blocks=reply_blocks(text, []),
    )


def mocks_of(run: Execution) -> Mocks:
    """Return the mock of a run."""
    return run.state("llm_mocks", lambda: _make(run))


def _make(run: Execution) -> Mocks:
    fixtures = run.context.get("llm_mock_path")
    if fixtures is None:
        return Mocks()
    from harnlite.llm.fixtures import read_fixtures

    return Mocks(Queue(read_fixtures(str(fixtures))))
