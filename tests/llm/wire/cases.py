"""The calls of a golden file: conversations and pending reminders."""

import dataclasses
from typing import Any

HINTS = ("system", "developer", "user_block", "ephemeral_cache")
SYSTEM = "You edit files."


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _call(call_id: str, path: str) -> dict[str, Any]:
    return {"id": call_id, "type": "tool_call", "name": "read", "arguments": {"path": path}}


_ANSWERED: list[dict[str, Any]] = [
    {"role": "assistant", "content": "Which file?"},
    {"role": "user", "content": "a.py"},
]
_CALLS = [_call("toolu_1", "a.py"), _call("toolu_2", "b.py")]
_ASKED = {"role": "user", "content": "Compare a.py and b.py."}
_TURN: list[dict[str, Any]] = [
    {"role": "assistant", "content": "", "tool_calls": _CALLS},
    {"role": "tool", "tool_call_id": "toolu_1", "name": "read", "content": "a = 1"},
    {"role": "tool", "tool_call_id": "toolu_2", "name": "read", "content": "a = 2"},
]


@dataclasses.dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of a call, its system text, and whether it offers a tool."""

    messages: list[dict[str, Any]]
    system: str | None = SYSTEM
    has_tool: bool = False
    cache: bool = False


CONVERSATIONS = {
    "the first message is a text": Conversation([{"role": "user", "content": "Fix it."}]),
    "the first message is a list": Conversation([{"role": "user", "content": [_text("Fix it."), _text("Now.")]}]),
    "the first message is the assistant's": Conversation(_ANSWERED),
    "the first message has no content": Conversation([{"role": "user", "content": None}, *_ANSWERED]),
    "there is no system text": Conversation([{"role": "user", "content": "Fix it."}], None),
    "the last messages are results of tools": Conversation([_ASKED, *_TURN], has_tool=True),
    "the first messages are calls and results of tools": Conversation(
        [*_TURN, {"role": "user", "content": "Which is right?"}], has_tool=True
    ),
}
CACHED = Conversation([{"role": "user", "content": "Fix it."}], cache=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Reminder:
    """A pending reminder."""

    body: str
    hint: str


ONE = {hint: (Reminder("a.py has changed & c < d.", hint),) for hint in HINTS}
SEVERAL = (
    Reminder("First: system.", "system"),
    Reminder("Second: developer.", "developer"),
    Reminder("Third: user_block.", "user_block"),
    Reminder("Fourth: ephemeral_cache.", "ephemeral_cache"),
    Reminder("Fifth: user_block.", "user_block"),
    Reminder("Sixth: system.", "system"),
)
MANY_MARKS = tuple(Reminder(f"Mark {number}.", "ephemeral_cache") for number in range(1, 7))


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """A call: a conversation and the pending reminders, with the names of both."""

    conversation: str
    reminders: str
    call: Conversation
    pending: tuple[Reminder, ...]

    def as_json(self) -> dict[str, Any]:
        """Return what the script reads."""
        call = dataclasses.asdict(self.call)
        return {**call, "reminders": [{"body": one.body, "role_hint": one.hint} for one in self.pending]}


def cases(*, takes_marks: bool) -> list[Case]:
    """Return all calls, those of one conversation together; those with cache marks only for routes that take them."""
    found = []
    for name, call in CONVERSATIONS.items():
        found += [Case(name, hint, call, pending) for hint, pending in ONE.items()]
        found.append(Case(name, "several", call, SEVERAL))
    if not takes_marks:
        return found
    plain = CONVERSATIONS["the first message is a text"]
    found.append(Case("six cache marks", "six", plain, MANY_MARKS))
    found.append(Case("six cache marks, and the option cache", "six", CACHED, MANY_MARKS))
    return found
