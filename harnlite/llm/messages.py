"""The normal form in which the messages of a call are sent to a model."""

from __future__ import annotations

from _operator import is_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Message = dict[str, Any]

_TOOL_RESULT = "tool_result"


def normalised(message: object) -> Message:
    """Return a message with a role and content; a message that already has both is returned unchanged."""
    if message.__class__ is not dict:
        return {"role": "user", "content": message}
    given: Message = message
    role = given.get("role")
    if role == _TOOL_RESULT:
        return _tool_result(given)
    if role is not None and given.get("content") is not None:
        return given
    content = given.get("content")
    return {**given, "role": "user" if role is None else role, "content": "" if content is None else content}


def _tool_result(message: Message) -> Message:
    block = {
        "type": _TOOL_RESULT,
        "tool_use_id": message.get("tool_use_id"),
        "content": message.get("content", ""),
    }
    others = {key: value for key, value in message.items() if key not in ("role", "content", "tool_use_id")}
    return {**others, "role": "user", "content": [block]}


class GrowingList:
    """The last of a row of lists of messages, each of which usually begins with the messages of the one before.

    Lists can have an origin: of two lists with the same one, the longer list begins with the shorter one. Only lists
    without an origin are compared message by message.
    """

    __slots__ = ("_messages", "_origin")

    def __init__(self, messages: Sequence[Any] = (), origin: object = None) -> None:
        self._messages = messages
        self._origin = origin

    def continues(self, messages: Sequence[Any], origin: object = None) -> bool:
        """Replace the list by the next one; return whether that begins with the messages of the last one."""
        last, before = self._messages, self._origin
        self._messages, self._origin = messages, origin
        if len(messages) < len(last):
            return False
        return (origin is not None and origin is before) or all(map(is_, last, messages))


class NormalisedList:
    """The normal form of a growing list of messages, kept so that only new messages have to be converted."""

    __slots__ = ("_given", "_known", "_made", "_origin")

    def __init__(self) -> None:
        self._given = GrowingList()
        self._known = 0
        self._made: list[Message] | None = None
        self._origin: object = None

    def of(self, messages: list[Any], origin: object = None) -> tuple[list[Message], object]:
        """Return the list in normal form and its origin; it is the same list if no message has to change."""
        known = self._known
        if not self._given.continues(messages, origin):
            known, self._made = 0, None
        added = messages[known:]
        fresh = [normalised(message) for message in added]
        if self._made is None and not all(map(is_, added, fresh)):
            self._made, self._origin = [*messages[:known], *fresh], object()
        elif self._made is not None:
            self._made = [*self._made, *fresh]
        self._known = len(messages)
        return (messages, origin) if self._made is None else (self._made, self._origin)


_MOST_LISTS = 64


class NormalisedLists:
    """The normal forms of the growing lists of a run, identified by their first message."""

    __slots__ = ("_by_first",)

    def __init__(self) -> None:
        self._by_first: dict[int, NormalisedList] = {}

    def of(self, messages: list[Any], origin: object = None) -> tuple[list[Message], object]:
        """Return a list of messages in normal form, and the origin of that."""
        if not messages:
            return [], None
        lists, key = self._by_first, id(messages[0])
        found = lists.pop(key, None) or NormalisedList()
        lists[key] = found
        if len(lists) > _MOST_LISTS:
            del lists[next(iter(lists))]
        return found.of(messages, origin)
