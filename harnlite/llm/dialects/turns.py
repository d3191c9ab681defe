"""The messages of a request as turns in one neutral form, with tool calls and their results paired."""

from __future__ import annotations

from harnlite.llm.dialects.content import (
    CALL,
    RESULT,
    TEXT,
    call_block,
    content_blocks,
    result_block,
    result_text,
    text_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.llm.dialects.content import Block

    Message = dict[str, Any]

SYSTEM, DEVELOPER, USER, ASSISTANT = "system", "developer", "user", "assistant"
_ROLES = {
    SYSTEM: SYSTEM,
    DEVELOPER: DEVELOPER,
    ASSISTANT: ASSISTANT,
    "model": ASSISTANT,
}
_RESULT_ROLES = frozenset({"tool", "tool_result", "function"})
INSTRUCTIONS = (SYSTEM, DEVELOPER)
MISSING = "(no result: the call was not completed)"
"""The result of a call that has none, because vendors refuse a call without a result."""

EARLIER = "(The beginning of the conversation is omitted.)"
"""The text of the user with which a conversation begins whose first message is the assistant's."""

_REMINDER = "<system-reminder>\n"


class Turn:
    """A message, or several consecutive messages of one role: its role and neutral blocks (`dialects.content`).

    `name` is the name of its author. `reasoning` is the reasoning of an assistant as plain text. `is_plain` is whether
    it is one message whose content is a text, not a list of blocks.
    """

    __slots__ = ("blocks", "is_plain", "name", "reasoning", "role")

    def __init__(
        self,
        role: str,
        blocks: list[Block],
        name: str | None = None,
        reasoning: str | None = None,
        *,
        is_plain: bool = False,
    ) -> None:
        self.role = role
        self.blocks = blocks
        self.name = name
        self.reasoning = reasoning
        self.is_plain = is_plain

    @property
    def calls(self) -> list[Block]:
        """Return the tool calls of the turn."""
        return [block for block in self.blocks if block["type"] == CALL]


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """Return a turn for each message, in order."""
    return [_turn(message) for message in messages]


def _turn(message: Message) -> Turn:
    given, content = message.get("role"), message.get("content")
    role = given if isinstance(given, str) else USER
    if role in _RESULT_ROLES:
        call_id = message.get("tool_call_id") or message.get("tool_use_id")
        name = message.get("name") or message.get("tool_name")
        return Turn(USER, [result_block(call_id, name, content, is_error=message.get("is_error") is True)])
    blocks = content_blocks(content)
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        known = {block["id"] for block in blocks if block["type"] == CALL}
        added = [call_block(call) for call in calls if isinstance(call, dict)]
        blocks += [block for block in added if not block["id"] or block["id"] not in known]
    name, reasoning = message.get("name"), message.get("reasoning_content", message.get("reasoning"))
    return Turn(
        _ROLES.get(role, USER),
        blocks,
        name if isinstance(name, str) else None,
        reasoning if isinstance(reasoning, str) else None,
        is_plain=content.__class__ is not list,
    )


def instructions(turns: list[Turn]) -> tuple[list[str], list[Turn]]:
    """Split off the texts of the system and developer messages in front.

    Such messages further on become user turns, and so does the last message of a request that has no others.
    """
    count = next((at for at, turn in enumerate(turns) if turn.role not in INSTRUCTIONS), max(len(turns) - 1, 0))
    texts = [text for turn in turns[:count] if (text := text_of(turn.blocks)).strip()]
    rest = [Turn(USER, turn.blocks) if turn.role in INSTRUCTIONS else turn for turn in turns[count:]]
    return texts, rest


def alternating(turns: list[Turn]) -> list[Turn]:
    """Return turns whose roles alternate: those of one role are joined, and empty ones are omitted.

    The results of tool calls come first in their turn, in the order of the calls, with the id and name of the call.
    A result whose call is unknown becomes text, and a call without a result gets one that says so.
    """
    joined: list[Turn] = []
    for turn in turns:
        if not turn.blocks:
            continue
        if joined and joined[-1].role == turn.role:
            joined[-1].blocks.extend(turn.blocks)
            joined[-1].reasoning = turn.reasoning or joined[-1].reasoning
            joined[-1].is_plain = False
        else:
            joined.append(Turn(turn.role, list(turn.blocks), turn.name, turn.reasoning, is_plain=turn.is_plain))
    _pair(joined)
    return joined


def with_user_first(turns: list[Turn]) -> list[Turn]:
    """Return turns that begin with the user, as vendors demand; the beginning of a conversation may be cut off."""
    if not turns or turns[0].role == USER:
        return turns
    return [Turn(USER, [{"type": TEXT, "text": EARLIER}]), *turns]


def with_text_first(turns: list[Turn], text: str) -> list[Turn]:
    """Return turns with system text in the first user turn, after the reminder blocks in front of it."""
    block: Block = {"type": TEXT, "text": text}
    if not turns or turns[0].role != USER:
        return [Turn(USER, [block]), *turns]
    blocks = turns[0].blocks
    at = next((at for at, other in enumerate(blocks) if not is_reminder(other)), len(blocks))
    return [Turn(USER, [*blocks[:at], block, *blocks[at:]], turns[0].name), *turns[1:]]


def is_reminder(block: Block) -> bool:
    """Return whether a block is a rendered reminder."""
    return block["type"] == TEXT and bool(block["text"].startswith(_REMINDER))


def _pair(turns: list[Turn]) -> None:
    """Make the ids of all calls unique, and put their results in front of the turn after them."""
    used: set[str] = set()
    calls: list[tuple[str, Block]] = []
    for turn in turns:
        if turn.role == ASSISTANT:
            calls = [(call["id"], call) for call in turn.calls]
            renamed = {id(call): {**call, "id": _unique(call["id"], used)} for _, call in calls}
            turn.blocks = [renamed.get(id(block), block) for block in turn.blocks]
            calls = [(old, renamed[id(call)]) for old, call in calls]
        else:
            turn.blocks = _sorted_results(turn.blocks, calls)
            calls = []
    if calls:
        turns.append(Turn(USER, _sorted_results([], calls)))


def _unique(call_id: str, used: set[str]) -> str:
    """Return an id that no earlier call has: the id itself if possible."""
    base = call_id or "call"
    found, number = base if call_id else "call_1", 1
    while found in used:
        number += 1
        found = f"{base}_{number}"
    used.add(found)
    return found


def _sorted_results(blocks: list[Block], calls: list[tuple[str, Block]]) -> list[Block]:
    """Return the blocks with one result per call in front, in their order; other results become text."""
    results = [block for block in blocks if block["type"] == RESULT]
    found: list[Block] = []
    for old, call in calls:
        result = result_for(old, call["name"], results)
        if result is None:
            result = result_block("", "", MISSING, is_error=True)
        else:
            results = [other for other in results if other is not result]
        found.append({**result, "id": call["id"], "name": call["name"]})
    return [*found, *(as_text(block) for block in blocks if block["type"] != RESULT or _is_in(block, results))]


def _is_in(block: Block, blocks: list[Block]) -> bool:
    return any(block is other for other in blocks)


def as_text(block: Block) -> Block:
    """Return a result whose call is unknown as text; any other block is returned unchanged."""
    if block["type"] != RESULT:
        return block
    return {"type": TEXT, "text": f"[result of {block['name'] or 'a tool'}]\n{result_text(block)}"}


def result_for(call_id: str, name: str, results: list[Block]) -> Block | None:
    """Return the result of a call: the one with its id, or the first without an id that may belong to it."""
    for result in results:
        if call_id and result["id"] == call_id:
            return result
    return next((result for result in results if not result["id"] and result["name"] in ("", name)), None)
