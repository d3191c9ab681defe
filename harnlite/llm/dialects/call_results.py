"""The order of tool calls and their results: each result follows its call directly."""

from __future__ import annotations

from harnlite.digests import sha256
from harnlite.llm.dialects.content import CALL, RESULT, result_block
from harnlite.llm.dialects.turns import ASSISTANT, MISSING, USER, Turn, as_text, result_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.llm.dialects.content import Block


def paired(turns: list[Turn], id_of: Callable[[str, set[str]], str]) -> list[Turn]:
    """Return turns in which all results of a turn with calls follow it in one turn, in the order of the calls.

    Messages between a call and its result come after the results. A result without a call becomes a text. Each call
    and its result get the id that `id_of` returns for the id of the call and the ids in use.
    """
    found: list[Turn] = []
    used: set[str] = set()
    at = 0
    while at < len(turns):
        turn = turns[at]
        at += 1
        if turn.role != ASSISTANT or not turn.calls:
            found += [_with_texts(turn, [])]
            continue
        following: list[Turn] = []
        while at < len(turns) and turns[at].role != ASSISTANT:
            following.append(turns[at])
            at += 1
        results = [block for other in following for block in other.blocks if block["type"] == RESULT]
        calls: dict[int, Block] = {}
        taken: list[Block] = []
        answers: list[Block] = []
        for call in turn.calls:
            call_id = id_of(call["id"] or call["name"], used)
            used.add(call_id)
            calls[id(call)] = {**call, "id": call_id}
            result = result_for(call["id"], call["name"], results)
            if result is None:
                result = result_block(call_id, call["name"], MISSING)
            else:
                results = [other for other in results if other is not result]
                taken.append(result)
            answers.append({**result, "id": call_id, "name": call["name"]})
        blocks = [calls.get(id(block), block) for block in turn.blocks]
        found.append(Turn(turn.role, blocks, turn.name, turn.reasoning))
        found.append(Turn(USER, answers))
        for other in following:
            rest = _with_texts(other, taken)
            if rest.blocks or not other.blocks:
                found.append(rest)
    return found


def _with_texts(turn: Turn, taken: list[Block]) -> Turn:
    """Return a turn without the results that belong to a call; its other results become texts."""
    blocks = [as_text(block) for block in turn.blocks if not any(block is other for other in taken)]
    return Turn(turn.role, blocks, turn.name, turn.reasoning)


def is_result_turn(turn: Turn) -> bool:
    """Return whether a turn consists of results of tool calls."""
    return bool(turn.blocks) and all(block["type"] == RESULT for block in turn.blocks)


def has_calls(turn: Turn) -> bool:
    """Return whether a turn contains a tool call."""
    return any(block["type"] == CALL for block in turn.blocks)


# Ids

_SHORT = 9
_DIGEST = 24


def own_id(longest: int) -> Callable[[str, set[str]], str]:
    """Return a function for ids of at most `longest` characters, which keeps ids that are unique and not longer."""

    def id_of(given: str, used: set[str]) -> str:
        found = given if 0 < len(given) <= longest else f"call_{_digest(given)[:_DIGEST]}"
        base, number = found, 1
        while found in used:
            number += 1
            found = f"{base[: longest - 4]}_{number}"
        return found

    return id_of


def short_id(given: str, used: set[str]) -> str:
    """Return an id of nine letters and digits: the given one if it is of that form, else always the same for it."""
    found, number = given, 0
    while len(found) != _SHORT or not found.isascii() or not found.isalnum() or found in used:
        found = _digest(f"{given}{number or ''}")[:_SHORT]
        number += 1
    return found


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
