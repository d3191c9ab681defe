"""The normal form in which the messages of a call are sent to a model."""

from __future__ import annotations

from _operator import is_

TYPE_CHECKING = False
if TYPE_CHECKING:
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


class NormalisedList:
    """The normal form of a growing list of messages, kept so that only new messages have to be converted."""

    __slots__ = ("_given", "_made")

    def __init__(self) -> None:
        self._given: list[Any] = []
        self._made: list[Message] | None = None

    def of(self, messages: list[Any]) -> list[Message]:
        """Return the list in normal form, which is the same list if no message has to change."""
        given = self._given
        known = len(given)
        if len(messages) < known or not all(map(is_, given, messages)):
            known, self._made = 0, None
        added = messages[known:]
        fresh = [normalised(message) for message in added]
        if self._made is None and not all(map(is_, added, fresh)):
            self._made = [*messages[:known], *fresh]
        elif self._made is not None:
            self._made = [*self._made, *fresh]
        self._given = messages
        return messages if self._made is None else self._made


_MOST_LISTS = 64


class NormalisedLists:
    """The normal forms of the growing lists of a run, identified by their first message."""

    __slots__ = ("_by_first",)

    def __init__(self) -> None:
        self._by_first: dict[int, NormalisedList] = {}

    def of(self, messages: list[Any]) -> list[Message]:
        """Return a list of messages in normal form."""
        if not messages:
            return []
        lists, key = self._by_first, id(messages[0])
        found = lists.pop(key, None) or NormalisedList()
        lists[key] = found
        if len(lists) > _MOST_LISTS:
            del lists[next(iter(lists))]
        return found.of(messages)
