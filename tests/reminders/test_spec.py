"""The written form of a reminder, and reading it back."""

from itertools import count

import pytest

from harnlite.reminders.spec import ReminderSpec, lenient_event, spec_from_payload

PAYLOAD = {
    "id": "0190abcd",
    "tags": ["token_pressure"],
    "dedupe_key": "token_pressure",
    "ttl_turns": 3,
    "preserve_on_compact": True,
    "propagate": "session",
    "role_hint": "developer",
    "source": "stdlib_provider",
    "body": "Approaching context window cap.",
    "fired_at_turn": 4,
}
KEYS = ("id", "tags", "preserve_on_compact", "propagate", "role_hint", "source", "body", "fired_at_turn")


def test_the_event():
    event = spec_from_payload(PAYLOAD).event()
    assert list(event) == ["id", "kind", "role", "visibility", "text", "blocks", "reminder", "metadata"]
    assert list(event["reminder"]) == list(PAYLOAD)
    assert event == {
        "id": "0190abcd",
        "kind": "system_reminder",
        "role": "developer",
        "visibility": "public",
        "text": "Approaching context window cap.",
        "blocks": [{"type": "text", "text": "Approaching context window cap.", "visibility": "public"}],
        "reminder": PAYLOAD,
        "metadata": PAYLOAD,
    }


def test_the_event_for_an_audit():
    event = spec_from_payload(PAYLOAD).event("e1", "internal")
    assert (event["id"], event["reminder"]["id"]) == ("e1", "0190abcd")
    assert (event["visibility"], event["blocks"][0]["visibility"]) == ("internal", "internal")


def test_nil_keys_are_left_out():
    bare = ReminderSpec(id="r", body="b")
    assert set(bare.payload()) == set(KEYS)
    assert bare.changed(originating_agent_id="s").payload()["originating_agent_id"] == "s"


def test_a_change_leaves_the_original():
    spec = spec_from_payload(PAYLOAD)
    other = spec.changed(ttl_turns=1, source="inherited")
    assert spec.payload() == PAYLOAD
    assert other.payload() == {**PAYLOAD, "ttl_turns": 1, "source": "inherited"}
    assert spec_from_payload(other.payload()) == other != spec


UNREADABLE = [
    None,
    "text",
    [],
    {},
    *({key: item for key, item in PAYLOAD.items() if key != missing} for missing in KEYS if missing != "tags"),
    *({**PAYLOAD, key: None} for key in KEYS if key != "tags"),
    {**PAYLOAD, "tags": "a"},
    {**PAYLOAD, "tags": ["a", 1]},
    {**PAYLOAD, "dedupe_key": 5},
    {**PAYLOAD, "ttl_turns": "3"},
    {**PAYLOAD, "ttl_turns": True},
    {**PAYLOAD, "ttl_turns": 2.0},
    {**PAYLOAD, "preserve_on_compact": 1},
    {**PAYLOAD, "propagate": "everyone"},
    {**PAYLOAD, "role_hint": "user"},
    {**PAYLOAD, "source": "me"},
    {**PAYLOAD, "fired_at_turn": False},
    {**PAYLOAD, "id": 5},
    {**PAYLOAD, "body": ["b"]},
    {**PAYLOAD, "originating_agent_id": 5},
]


@pytest.mark.parametrize("payload", UNREADABLE)
def test_the_strict_reader_takes_nothing_else(payload):
    assert spec_from_payload(payload) is None


@pytest.mark.parametrize("missing", ["tags", "dedupe_key", "ttl_turns", "originating_agent_id"])
def test_the_strict_reader_needs_not_everything(missing):
    payload = {key: item for key, item in PAYLOAD.items() if key != missing}
    assert spec_from_payload(payload).payload() == {**payload, "tags": payload.get("tags", [])}
    assert spec_from_payload({**payload, missing: None}) == spec_from_payload(payload)


DEFAULTS = {
    "id": "new0",
    "tags": [],
    "preserve_on_compact": False,
    "propagate": "session",
    "role_hint": "system",
    "source": "in_pipeline",
    "body": "",
    "fired_at_turn": 0,
}

LENIENT = [
    ({}, {}),
    (PAYLOAD, PAYLOAD),
    ({"id": "mine", "body": "b"}, {"id": "mine", "body": "b"}),
    ({"id": " "}, {}),
    ({"tags": "a"}, {}),
    ({"tags": ["a", 1, None]}, {"tags": ["a", "<1>", "<None>"]}),
    ({"dedupe_key": "  "}, {}),
    ({"dedupe_key": "k", "originating_agent_id": " "}, {"dedupe_key": "k"}),
    ({"ttl_turns": -2}, {"ttl_turns": -2}),
    ({"ttl_turns": 0}, {"ttl_turns": 0}),
    ({"ttl_turns": "2"}, {}),
    ({"ttl_turns": True}, {}),
    ({"preserve_on_compact": "yes"}, {"preserve_on_compact": True}),
    ({"preserve_on_compact": ""}, {}),
    ({"propagate": "x", "role_hint": 5, "source": ["hook"]}, {}),
    ({"propagate": "none", "role_hint": "developer", "source": "hook"},) * 2,
    ({"fired_at_turn": 7}, {"fired_at_turn": 7}),
    ({"fired_at_turn": "7"}, {}),
    ({"body": 5}, {"body": "<5>"}),
    ({"whatever": 1}, {}),
]


@pytest.mark.parametrize(("fields", "expected"), LENIENT)
def test_the_lenient_builder_takes_everything(fields, expected):
    ids = (f"new{number}" for number in count())
    event = lenient_event(fields, lambda: next(ids), lambda value: value if isinstance(value, str) else f"<{value}>")
    assert event["reminder"] == event["metadata"] == (expected if expected is PAYLOAD else {**DEFAULTS, **expected})
    assert (event["text"], event["role"]) == (event["reminder"]["body"], event["reminder"]["role_hint"])
    assert (event["kind"], event["visibility"]) == ("system_reminder", "public")
