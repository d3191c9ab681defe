"""Rendering by capability and hint: the exact form on the wire."""

import random
from itertools import product

import pytest

from harnlite.reminders.capabilities import Capabilities, capabilities_of
from harnlite.reminders.rendering import place, render, render_after
from harnlite.reminders.spec import ROLE_HINTS, ReminderSpec

BODY = 'a < b && "c" > d'
PLAIN = "System reminder:\n" + BODY
XML = '<system-reminder>\na &lt; b &amp;&amp; "c" &gt; d\n</system-reminder>'

DEVELOPER = {"role": "developer", "content": PLAIN}
BLOCK = {"type": "text", "text": XML}
CACHED = {**BLOCK, "cache_control": {"type": "ephemeral"}}

SYSTEM, USER, DEV, NONE = "system", "user", "developer", None

DEV_ROUTE = capabilities_of("openai", "o3")
GPT = capabilities_of("openai", "gpt-4o")
CLAUDE = capabilities_of("anthropic", "claude-sonnet-4-6")
BEDROCK = capabilities_of("bedrock", "anthropic.claude-3-5")
OTHER_CLAUDE = capabilities_of("bedrock", "us.claude-3-5")
GEMINI = capabilities_of("gemini", "gemini-2.5-pro")
UNKNOWN_ANTHROPIC = capabilities_of("anthropic", "other")
NO_SYSTEM = Capabilities(accepts_system=False)
NO_SYSTEM_CLAUDE = Capabilities(
    accepts_system=False, message_wire_format="anthropic", prompt_caching=True, prefers_xml_scaffolding=True
)
NO_SYSTEM_DEVELOPER = Capabilities(accepts_system=False, prefers_role_developer=True)
DEVELOPER_CLAUDE = Capabilities(prefers_role_developer=True, message_wire_format="anthropic", prompt_caching=True)

SHAPES = {
    DEV_ROUTE: [(DEV, DEVELOPER)] * 4,
    DEVELOPER_CLAUDE: [(DEV, DEVELOPER)] * 4,
    NO_SYSTEM_DEVELOPER: [(DEV, DEVELOPER)] * 4,
    GPT: [(SYSTEM, PLAIN)] * 4,
    GEMINI: [(SYSTEM, XML)] * 4,
    OTHER_CLAUDE: [(SYSTEM, XML)] * 4,
    CLAUDE: [(SYSTEM, XML), (SYSTEM, XML), (USER, BLOCK), (USER, CACHED)],
    BEDROCK: [(SYSTEM, XML), (SYSTEM, XML), (USER, BLOCK), (USER, BLOCK)],
    UNKNOWN_ANTHROPIC: [(SYSTEM, PLAIN), (SYSTEM, PLAIN), (USER, BLOCK), (USER, BLOCK)],
    NO_SYSTEM: [(NONE, None)] * 4,
    NO_SYSTEM_CLAUDE: [(USER, BLOCK), (USER, BLOCK), (USER, BLOCK), (USER, CACHED)],
}
CASES = [
    (route, hint, role, shape)
    for route, shapes in SHAPES.items()
    for hint, (role, shape) in zip(ROLE_HINTS, shapes, strict=True)
]


def spec(number=0, body=BODY, hint="system"):
    return ReminderSpec(id=f"r{number}", body=body, role_hint=hint)


@pytest.mark.parametrize(("route", "hint", "role", "shape"), CASES)
def test_the_shape_of_each_hint_on_each_route(route, hint, role, shape):
    reminder = spec(hint=hint)
    for _ in range(2):  # the second time it is kept from the first
        rendered = render([reminder], route)
        slots = {SYSTEM: rendered.system, USER: rendered.blocks, DEV: rendered.developer}
        assert slots == {slot: [shape] if slot == role else [] for slot in slots}
        assert rendered.fired == ([] if role is NONE else [(reminder, role)])
        assert rendered.unrendered == ([reminder] if role is NONE else [])


def test_one_reminder_on_several_routes():
    reminder = spec(hint="ephemeral_cache")
    for _, (route, shapes) in product(range(2), SHAPES.items()):
        rendered = render([reminder], route)
        assert [*rendered.system, *rendered.blocks, *rendered.developer] == [shapes[3][1]] * (shapes[3][1] is not None)


@pytest.mark.parametrize("route", SHAPES)
def test_a_blank_body_is_in_no_prompt(route):
    for _ in range(2):
        rendered = render([spec(body=" \n")], route)
        assert not [*rendered.system, *rendered.blocks, *rendered.developer, *rendered.fired]


def test_another_body_is_written_anew():
    reminder = spec(body="one")
    assert render([reminder], GPT).system == ["System reminder:\none"]
    assert render([reminder.changed(ttl_turns=1), reminder.changed(body="two")], GPT).system == [
        "System reminder:\none",
        "System reminder:\ntwo",
    ]


def test_the_order_of_system_texts_and_of_what_fired():
    specs = [spec(0, "a"), spec(1, "b", "user_block"), spec(2, "c")]
    rendered = render(specs, CLAUDE)
    assert [text.split("\n")[1] for text in rendered.system] == ["a", "c"]
    assert [(reminder.id, role) for reminder, role in rendered.fired] == [("r0", SYSTEM), ("r1", USER), ("r2", SYSTEM)]


def block(body):
    return {"type": "text", "text": f"<system-reminder>\n{body}\n</system-reminder>"}


PLACES = [
    ([], [{"role": "user", "content": [block("a")]}, {"role": "user", "content": [block("b")]}]),
    (
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "x"}],
        [
            {"role": "user", "content": [block("b"), block("a"), {"type": "text", "text": "hi"}]},
            {"role": "assistant", "content": "x"},
        ],
    ),
    (
        [{"role": "user", "content": [{"type": "text", "text": "hi"}], "messageId": "m"}],
        [{"role": "user", "content": [block("b"), block("a"), {"type": "text", "text": "hi"}], "messageId": "m"}],
    ),
    (
        [{"role": "assistant", "content": "x"}, {"role": "user", "content": "hi"}],
        [
            {"role": "user", "content": [block("a")]},
            {"role": "user", "content": [block("b")]},
            {"role": "assistant", "content": "x"},
            {"role": "user", "content": "hi"},
        ],
    ),
]


@pytest.mark.parametrize(("messages", "expected"), PLACES)
def test_user_blocks_go_in_front(messages, expected):
    before = [dict(message) for message in messages]
    rendered = render([spec(0, "a", "user_block"), spec(1, "b", "user_block")], CLAUDE)
    assert place(messages, rendered) == expected
    assert messages == before


def test_developer_messages_go_in_front_in_order():
    rendered = render([spec(0, "a"), spec(1, "b", "user_block")], DEV_ROUTE)
    placed = place([{"role": "user", "content": "hi"}], rendered)
    assert [message["content"] for message in placed] == ["System reminder:\na", "System reminder:\nb", "hi"]
    assert [message["role"] for message in placed] == ["developer", "developer", "user"]


@pytest.mark.parametrize("capabilities", SHAPES)
def test_a_rendering_after_another_one_is_like_one_from_the_beginning(capabilities):
    chance = random.Random(7)

    def made():
        body = chance.choice(["one", "two < 3", " "])
        return ReminderSpec(
            id=str(chance.random()), body=body, role_hint=chance.choice(ROLE_HINTS[:: chance.choice([1, 4])])
        )

    for _ in range(60):
        shown = [made() for _ in range(chance.randrange(6))]
        earlier = render(shown, capabilities)
        for _ in range(6):
            pending = [*shown[: chance.randrange(len(shown) + 1)], *(made() for _ in range(chance.randrange(3)))]
            later, wanted = render_after(shown, earlier, pending, capabilities), render(pending, capabilities)
            for name in ("route", "system", "developer", "blocks", "fired", "unrendered", "composed"):
                assert getattr(later, name) == getattr(wanted, name)
            shown, earlier = pending, later
