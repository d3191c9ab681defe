"""The text of messages that the mock matches globs with, its size, and the last prompt."""

from __future__ import annotations

from harnlite.llm.messages import GrowingList
from harnlite.values.interrupts import BUILTINS, poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from harnlite.llm.backend import ChatRequest, Message


def leaves(value: object) -> Iterator[str]:
    """Yield every non-empty string in a value, without keys; dict entries are sorted by key."""
    if value.__class__ is str:
        if value:
            yield value
        return
    if BUILTINS["_hintr"]:
        poll_here()
    if value.__class__ is list:
        for item in value:
            yield from leaves(item)
    elif value.__class__ is dict:
        for key in sorted(value):
            yield from leaves(value[key])


def byte_length(text: str) -> int:
    """Return the length of a text in UTF-8 bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def weight(value: object) -> int:
    """Return the number of bytes in all non-empty strings of a value, plus one for each string."""
    if value.__class__ is not dict:
        return _weight(value, {})
    total = 0
    for item in value.values():
        if item.__class__ is not str:
            return _weight(value, {})
        if item:
            total += (len(item) if item.isascii() else byte_length(item)) + 1
    return total


def _weight(value: object, known: dict[int, int]) -> int:
    if value.__class__ is str:
        return byte_length(value) + 1 if value else 0
    items: Iterable[object]
    if value.__class__ is list:
        items = value
    elif value.__class__ is dict:
        items = value.values()
    else:
        return 0
    found = known.get(id(value))
    if found is None:
        found = known[id(value)] = sum([_weight(item, known) for item in items])
    return found


class Pool:
    """The messages of a growing list, shared by all requests that begin with them, with their sizes and texts."""

    __slots__ = ("_given", "_texts", "_weights", "messages")

    def __init__(self, messages: Sequence[Message], origin: object = None) -> None:
        self._given = GrowingList(messages, origin)
        self.messages: list[Message] = []
        self._weights = [0]
        self._texts: list[str] = []
        self._add(messages)

    def _add(self, messages: Sequence[Message]) -> None:
        total = self._weights[-1]
        for message in messages:
            total += weight(message)
            self._weights.append(total)
        self.messages.extend(messages)

    def grow(self, messages: Sequence[Message], origin: object = None) -> bool:
        """Add the new messages of the list; return False if its earlier messages are no longer the same."""
        known = len(self.messages)
        if not self._given.continues(messages, origin):
            return False
        if len(messages) > known:
            self._add(messages[known:])
        return True

    def weight_of(self, start: int, end: int) -> int:
        """Return the weight of a range of the messages."""
        return self._weights[end] - self._weights[start]

    def texts_of(self, start: int, end: int) -> list[str]:
        """Return the texts of a range of the messages, without empty ones."""
        texts = self._texts
        for message in self.messages[len(texts) : end]:
            texts.append("\n".join(leaves(message)))
        return [text for text in texts[start:end] if text]


class Sent:
    """A request: its messages are a range of a pool, and the messages in front of it."""

    __slots__ = ("front", "length", "model", "options", "pool", "provider", "skipped", "system", "tool_choice", "tools")

    def __init__(self, pool: Pool, request: ChatRequest, *, is_shared: bool = True) -> None:
        placed, ordinary = request.messages, request.ordinary
        self.system = request.system
        self.tools = request.tools
        self.tool_choice = request.tool_choice
        self.options = request.options
        self.model = request.model
        self.provider = request.provider
        self.pool = pool
        self.length = len(ordinary) if is_shared else 0
        self.front: Sequence[Message] = () if is_shared else tuple(placed)
        self.skipped = 0
        if is_shared and placed is not ordinary:
            before = len(placed) - len(ordinary)
            is_changed = bool(ordinary) and placed[before] is not ordinary[0]
            self.skipped = int(is_changed)
            self.front = tuple(placed[: before + self.skipped])

    def messages(self) -> list[Any]:
        """Return all messages of the request."""
        return [*self.front, *self.pool.messages[self.skipped : self.length]]

    def text(self) -> str:
        """Return the text that globs are matched against."""
        return "\n".join([*leaves([*self.front]), *self.pool.texts_of(self.skipped, self.length)])

    def text_bytes(self) -> int:
        """Return the size of the matched text in bytes."""
        total = self.pool.weight_of(self.skipped, self.length) if self.length else 0
        for message in self.front:
            total += weight(message)
        return total - 1 if total else 0


_MOST_POOLS = 64
_FEW = 2


class Pools:
    """The pools of a run, identified by their first message; the least recently used ones are dropped."""

    __slots__ = ("_by_first", "_none")

    def __init__(self) -> None:
        self._by_first: dict[int, Pool] = {}
        self._none = Pool(())

    def sent(self, request: ChatRequest) -> Sent:
        """Return what is kept of a request; it shares the messages of earlier requests unless they are few."""
        messages = request.ordinary
        if len(messages) <= _FEW and request.origin is None:
            return Sent(self._none, request, is_shared=False)
        key = id(messages[0]) if messages else 0
        pools = self._by_first
        pool = pools.pop(key, None)
        if pool is None or not pool.grow(messages, request.origin):
            pool = Pool(messages, request.origin)
        pools[key] = pool
        if len(pools) > _MOST_POOLS:
            del pools[next(iter(pools))]
        return Sent(pool, request)


def text_of(content: object) -> str:
    """Return the text of a message's content: the string itself, or the texts of its blocks joined by newlines."""
    if content.__class__ is str:
        return content
    if content.__class__ is not list:
        return ""
    found = []
    for block in content:
        if block.__class__ is str:
            found.append(block)
        elif block.__class__ is dict:
            text = block.get("text")
            found.append(text if text.__class__ is str else text_of(block.get("content")))
    return "\n".join([text for text in found if text])


def last_prompt(messages: Sequence[Message]) -> str:
    """Return the text of the last message that contains any, or an empty string."""
    for message in reversed(messages):
        text = text_of(message.get("content"))
        if text and not text.isspace():
            return text
    return ""
