"""The golden requests follow the rules for reminders, which stand here a second time, without the code."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.llm.wire.cases import CONVERSATIONS, ONE, SEVERAL, Conversation, Reminder
from tests.llm.wire.routes import BACKENDS, DEVELOPER, NO_CACHE, NO_SYSTEM, Route

GOLDENS = Path(__file__).parent / "goldens"
PENDING = {**ONE, "several": SEVERAL}
MARKS = ("System reminder:", "<system-reminder>")
ROUTES = [(name, route) for name, backend in BACKENDS.items() for route in backend.routes]


def plain(body: str) -> str:
    return f"System reminder:\n{body}"


def xml(body: str) -> str:
    escaped = body.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<system-reminder>\n{escaped}\n</system-reminder>"


class Expected:
    """Where the reminders of a request belong."""

    def __init__(self, backend: str, route: Route, pending: tuple[Reminder, ...]) -> None:
        self.system: list[str] = []
        self.developer: list[str] = []
        self.blocks: list[tuple[str, bool]] = []
        takes_system = NO_SYSTEM not in route.row
        for one in pending:
            if route.model.rpartition("/")[2].startswith("o3") or DEVELOPER in route.row:
                self.developer.append(plain(one.body))
            elif backend == "anthropic" and (one.hint in ("user_block", "ephemeral_cache") or not takes_system):
                is_marked = one.hint == "ephemeral_cache" and NO_CACHE not in route.row
                self.blocks.append((xml(one.body), is_marked))
            elif takes_system:
                form = xml if backend == "anthropic" or route.model.startswith("gemini-") else plain
                self.system.append(form(one.body))

    @property
    def count(self) -> int:
        return len(self.system) + len(self.developer) + len(self.blocks)


def messages_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    return next(body[key] for key in ("messages", "contents", "input") if key in body)


def system_of(body: dict[str, Any]) -> str:
    """Return the text in the slot for the system text, or an empty string."""
    if "systemInstruction" in body:
        return "".join(part["text"] for part in body["systemInstruction"]["parts"])
    given = body.get("system", body.get("instructions"))
    first = messages_of(body)[0]
    if given is None and first.get("role") in ("system", "developer"):
        given = first["content"]
    return given or ""


def check(expected: Expected, body: dict[str, Any], call: Conversation) -> None:
    text = json.dumps(body)
    assert sum(text.count(mark) for mark in MARKS) == expected.count
    if expected.system:
        assert system_of(body).endswith("\n\n".join(expected.system))
        assert system_of(body).startswith(call.system or expected.system[0])
    messages = messages_of(body)
    reminders = [
        one["content"] for one in messages if one.get("role") == "developer" and one["content"].startswith(MARKS)
    ]
    if expected.developer:
        assert reminders == expected.developer
        roles = [one.get("role") for one in messages]
        assert roles[: roles.index("developer") + len(reminders)].count("user") == 0
    if expected.blocks:
        is_users = call.messages[0]["role"] == "user"
        first = messages[0]
        assert first["role"] == "user"
        found = [(block["text"], "cache_control" in block) for block in first["content"][: len(expected.blocks)]]
        assert found == (expected.blocks[::-1] if is_users else expected.blocks)


@pytest.mark.parametrize(
    ("backend", "route"), ROUTES, ids=lambda value: value.title if isinstance(value, Route) else value
)
def test_reminders_are_where_the_rules_say(backend: str, route: Route) -> None:
    golden = json.loads((GOLDENS / f"{backend}.json").read_text(encoding="utf-8"))[route.title]
    checked = 0
    for conversation, call in CONVERSATIONS.items():
        for names, body in golden[conversation].items():
            for name in names.split(", "):
                check(Expected(backend, route, PENDING[name]), body, call)
                checked += 1
    assert checked == len(CONVERSATIONS) * len(PENDING)
