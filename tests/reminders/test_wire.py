"""The input of producers: accepted forms, error messages, and the order of the checks."""

import math

import pytest

from harnlite.reminders.wire import (
    BRIDGE,
    HOOK,
    INJECT,
    PIPELINE,
    PROVIDER,
    SCRIPT,
    Fault,
    check_reminder,
    check_selector,
    fault_text,
    malformed_text,
)
from harnlite.values.data_types import type_name

BODY = "`body` must be a non-empty string"
TAGS = "`tags` entries must be non-empty strings"
TTL = "`ttl_turns` must be > 0"
SCOPE = "`propagate` must be one of all, session, or none"
HINT = "`role_hint` must be one of system, developer, user_block, or ephemeral_cache"
MODE = "`mode` must be one of interrupt_immediate, finish_step, or audit_only"
TURN = "`fired_at_turn` must be >= 0 when provided"
SOURCE = "`source` for session/remind must be bridge when provided"
OBJECT = "session/remind payload must be a reminder object"
CONTENT = "session/remind expects reminder `body`, not user-message `content`"
LONG_ID = "`id` must be a string of 1 to 128 characters"

FIELD_CODES = {PIPELINE: "001", HOOK: "001", PROVIDER: "006", BRIDGE: "002", INJECT: "002", SCRIPT: "002"}


def name(producer):
    names = {PIPELINE: "pipeline", HOOK: "hook", PROVIDER: "provider", BRIDGE: "bridge", INJECT: "inject"}
    return names.get(producer, "script") if producer in FIELD_CODES else None


def faults(value, producer):
    fields, found = check_reminder(value, type_name, producer)
    assert (fields is None) == bool(found)
    return [(fault.code.removeprefix("HARN-RMD-"), fault.message, fault.key) for fault in found]


def accepted(value, producer=PIPELINE):
    fields, found = check_reminder(value, type_name, producer)
    assert not found
    return fields


WRONG_FIELDS = [
    ({}, "body", BODY),
    ({"body": None}, "body", BODY),
    ({"body": ""}, "body", BODY),
    ({"body": " \n\t"}, "body", BODY),
    ({"body": 5}, "body", "`body` must be a string, got int"),
    ({"body": ["x"]}, "body", "`body` must be a string, got list"),
    ({"tags": "a"}, "tags", "`tags` must be a list or nil, got string"),
    ({"tags": {}}, "tags", "`tags` must be a list or nil, got dict"),
    ({"tags": ["a", 1]}, "tags", "`tags` entries must be strings, got int"),
    ({"tags": [None]}, "tags", "`tags` entries must be strings, got nil"),
    ({"tags": ["a", " "]}, "tags", TAGS),
    ({"tags": ["", 1]}, "tags", TAGS),
    ({"dedupe_key": 1}, "dedupe_key", "`dedupe_key` must be a string or nil, got int"),
    ({"dedupe_key": True}, "dedupe_key", "`dedupe_key` must be a string or nil, got bool"),
    ({"ttl_turns": 0}, "ttl_turns", TTL),
    ({"ttl_turns": -3}, "ttl_turns", TTL),
    ({"ttl_turns": "2"}, "ttl_turns", "`ttl_turns` must be an int or nil, got string"),
    ({"ttl_turns": 2.5}, "ttl_turns", "`ttl_turns` must be an int or nil, got float"),
    ({"ttl_turns": True}, "ttl_turns", "`ttl_turns` must be an int or nil, got bool"),
    ({"preserve_on_compact": 1}, "preserve_on_compact", "`preserve_on_compact` must be a bool or nil, got int"),
    ({"preserve_on_compact": "no"}, "preserve_on_compact", "`preserve_on_compact` must be a bool or nil, got string"),
    ({"role_hint": "user"}, "role_hint", HINT),
    ({"role_hint": 5}, "role_hint", HINT),
]


@pytest.mark.parametrize("producer", FIELD_CODES, ids=name)
@pytest.mark.parametrize(("wrong", "key", "message"), WRONG_FIELDS, ids=lambda part: str(part)[:30])
def test_a_wrong_field_has_one_text_everywhere_and_the_code_of_its_producer(wrong, key, message, producer):
    value = wrong if message.startswith("`body`") else {"body": "b", **wrong}
    assert faults(value, producer) == [(FIELD_CODES[producer], message, key)]


@pytest.mark.parametrize("producer", FIELD_CODES, ids=name)
@pytest.mark.parametrize("value", ["everyone", "Session", 5, False, ["all"]])
def test_propagate_has_one_code_everywhere(producer, value):
    assert faults({"body": "b", "propagate": value}, producer) == [("005", SCOPE, "propagate")]


SHAPES = [
    (PIPELINE, None, "001", "options are required"),
    (PIPELINE, "b", "001", "options must be a dict, got string"),
    (HOOK, None, "001", "options are required"),
    (HOOK, [], "001", "options must be a dict, got list"),
    (PROVIDER, None, "006", "options are required"),
    (PROVIDER, 5, "006", "options must be a dict, got int"),
    (BRIDGE, None, "002", OBJECT),
    (BRIDGE, ["b"], "002", OBJECT),
    (INJECT, "b", "002", OBJECT),
    (SCRIPT, 5, "002", OBJECT),
    (BRIDGE, {"reminder": "b"}, "002", OBJECT),
]


@pytest.mark.parametrize(("producer", "value", "code", "message"), SHAPES)
def test_what_is_no_dict_is_one_fault(producer, value, code, message):
    assert faults(value, producer)[0][:2] == (code, message)


@pytest.mark.parametrize("producer", FIELD_CODES, ids=name)
def test_unknown_keys_are_one_fault_sorted(producer):
    words = "unknown option(s)" if producer is PIPELINE else "unknown reminder option(s)"
    value = {"zeta": 1, "body": "b", "alpha": 2, "Beta": 3}
    assert faults(value, producer) == [("001", f"{words}: Beta, alpha, zeta", "Beta")]


@pytest.mark.parametrize("key", ["mode", "id", "source", "fired_at_turn", "_meta", "dedupeKey", "reminder", "content"])
@pytest.mark.parametrize("producer", [PIPELINE, HOOK, PROVIDER], ids=name)
def test_what_only_hosts_may_say_is_unknown_elsewhere(producer, key):
    assert faults({"body": "b", key: None}, producer)[0][0] == "001"


def test_faults_come_in_order():
    wrong = {
        "role_hint": "x",
        "propagate": "x",
        "preserve_on_compact": "x",
        "ttl_turns": "x",
        "dedupe_key": 1,
        "tags": 1,
        "body": "",
        "unknown": 1,
    }
    order = ["unknown", "body", "tags", "dedupe_key", "ttl_turns", "preserve_on_compact", "propagate", "role_hint"]
    codes = ["001", "001", "001", "001", "001", "001", "005", "001"]
    for given in (wrong, dict(reversed(wrong.items()))):
        found = faults(given, PIPELINE)
        assert [key for _, _, key in found] == order
        assert [code for code, _, _ in found] == codes


def test_faults_of_a_host_come_in_the_order_of_the_wire():
    wrong = {
        "_meta": 1,
        "firedAtTurn": -1,
        "source": "hook",
        "id": "",
        "mode": "x",
        "roleHint": 1,
        "propagate": "x",
        "ttlTurns": 0,
        "extra": 1,
    }
    found = faults(wrong, BRIDGE)
    order = ["extra", "body", "ttlTurns", "propagate", "roleHint", "mode", "id", "source", "firedAtTurn", "_meta"]
    assert [key for _, _, key in found] == order
    assert [code for code, _, _ in found] == ["001", "002", "002", "005", "002", "002", "002", "002", "002", "002"]


HOST_FAULTS = [
    ({"body": "b", "mode": "later"}, "mode", MODE),
    ({"body": "b", "mode": 1}, "mode", MODE),
    ({"body": "b", "_meta": []}, "_meta", "`_meta` must be an object"),
    ({"body": "b", "fired_at_turn": -1}, "fired_at_turn", TURN),
    ({"body": "b", "fired_at_turn": "1"}, "fired_at_turn", TURN),
    ({"body": "b", "fired_at_turn": True}, "fired_at_turn", TURN),
    ({"body": "b", "source": "hook"}, "source", SOURCE),
    ({"body": "b", "source": 1}, "source", SOURCE),
    ({"body": "b", "id": ""}, "id", LONG_ID),
    ({"body": "b", "id": "x" * 129}, "id", LONG_ID),
    ({"body": "b", "id": 7}, "id", "`id` must be a string or nil, got int"),
    ({"body": "b", "ttlTurns": 2.5}, "ttlTurns", "`ttl_turns` must be an int or nil, got float"),
    ({"body": "b", "ttlTurns": 1e30}, "ttlTurns", "`ttl_turns` must be an int or nil, got float"),
    ({"body": "b", "content": "c"}, "content", CONTENT),
]


@pytest.mark.parametrize("producer", [BRIDGE, INJECT, SCRIPT], ids=name)
@pytest.mark.parametrize(("value", "key", "message"), HOST_FAULTS, ids=lambda part: str(part)[:40])
def test_what_a_host_can_do_wrong(value, key, message, producer):
    assert faults(value, producer) == [("002", message, key)]


def test_content_comes_before_the_missing_body():
    assert faults({"content": "hello"}, BRIDGE)[0] == ("002", CONTENT, "content")


def test_a_key_with_one_spelling_may_be_nan():
    # NaN is not equal to itself.
    assert faults({"body": "b", "_meta": math.nan}, BRIDGE) == [("002", "`_meta` must be an object", "_meta")]
    assert [key for _, _, key in faults({"body": "b", "tags": math.nan}, BRIDGE)] == ["tags"]


def test_two_spellings_with_two_values_are_a_fault():
    both = {"body": "b", "dedupe_key": "one", "dedupeKey": "two"}
    assert [(code, key) for code, _, key in faults(both, BRIDGE)] == [("001", "dedupeKey")]
    assert accepted({"body": "b", "ttl_turns": 2, "ttlTurns": 2}, BRIDGE).ttl_turns == 2


def test_the_defaults():
    fields = accepted({"body": " b "})
    spec = fields.spec(id="r1", source="in_pipeline", fired_at_turn=0)
    assert spec.payload() == {
        "id": "r1",
        "body": " b ",
        "tags": [],
        "preserve_on_compact": False,
        "propagate": "session",
        "role_hint": "system",
        "source": "in_pipeline",
        "fired_at_turn": 0,
    }


def test_nil_is_not_given():
    nothing = dict.fromkeys(["tags", "dedupe_key", "ttl_turns", "preserve_on_compact", "propagate", "role_hint"])
    for producer in FIELD_CODES:
        fields = accepted({"body": "b", **nothing}, producer)
        assert (fields.propagate, fields.role_hint, fields.ttl_turns) == ("session", "system", None)


def test_strings_are_trimmed_but_not_the_body():
    fields = accepted({"body": " b\n", "tags": [" a ", "b", "a"], "dedupe_key": "  ", "propagate": " all "})
    assert (fields.body, fields.tags, fields.dedupe_key, fields.propagate) == (" b\n", ("a", "b"), None, "all")
    assert accepted({"body": "b", "dedupe_key": " k "}).dedupe_key == "k"


WIRE = {
    "body": "b",
    "dedupeKey": "k",
    "ttlTurns": 2.0,
    "preserveOnCompact": True,
    "roleHint": "developer",
    "firedAtTurn": 3,
    "source": "bridge",
    "id": "r1",
    "mode": "interrupt",
    "_meta": {"harn": {"origin": "file-watcher"}},
}


@pytest.mark.parametrize(
    "value",
    [
        WIRE,
        {**WIRE, "sessionId": "s", "task_id": "t"},
        {"reminder": WIRE, "session_id": "s"},
        {
            "reminder": {key: item for key, item in WIRE.items() if key not in ("mode", "_meta")},
            "mode": "interrupt",
            "_meta": WIRE["_meta"],
        },
    ],
)
def test_a_host_may_be_flat_or_nested_and_spell_as_it_likes(value):
    fields = accepted(value, BRIDGE)
    assert (fields.dedupe_key, fields.ttl_turns, fields.preserve_on_compact, fields.role_hint) == (
        "k",
        2,
        True,
        "developer",
    )
    assert (fields.fired_at_turn, fields.id, fields.mode) == (3, "r1", "interrupt_immediate")
    assert fields.meta == {"harn": {"origin": "file-watcher"}}


def test_a_field_beside_a_nested_reminder_is_unknown():
    value = {"reminder": {"body": "b"}, "tags": ["a"], "body": "c", "mode": "steer", "sessionId": "s"}
    assert faults(value, BRIDGE) == [("001", "unknown reminder option(s): body, tags", "body")]


def test_an_address_is_no_part_of_a_reminder_in_a_script():
    assert faults({"body": "b", "sessionId": "s"}, SCRIPT)[0][0] == "001"


def test_meta_may_carry_fields_and_a_field_outside_wins():
    meta = {"harn": {"reminder": {"body": "hint", "ttlTurns": 4, "dedupe_key": "k", "strange": 1}}, "other": 1}
    fields = accepted({"body": "b", "_meta": meta}, BRIDGE)
    assert (fields.body, fields.ttl_turns, fields.dedupe_key) == ("b", 4, "k")
    assert accepted({"_meta": meta}, BRIDGE).body == "hint"
    assert accepted({"body": "b", "_meta": {"harn": 5}}, BRIDGE).meta == {"harn": 5}


MODES = [
    (BRIDGE, None, "finish_step"),
    (INJECT, None, "finish_step"),
    (SCRIPT, None, "audit_only"),
    (BRIDGE, "interrupt_immediate", "interrupt_immediate"),
    (BRIDGE, "steer", "finish_step"),
    (BRIDGE, "after_current_operation", "finish_step"),
    (BRIDGE, "queue", "audit_only"),
    (SCRIPT, "wait_for_completion", "audit_only"),
    (SCRIPT, "interrupt", "interrupt_immediate"),
    (INJECT, "audit_only", "audit_only"),
]


@pytest.mark.parametrize(("producer", "given", "mode"), MODES)
def test_modes_and_their_old_names(producer, given, mode):
    assert accepted({"body": "b", "mode": given}, producer).mode == mode


@pytest.mark.parametrize("old", ["steer", "queue", "interrupt"])
def test_the_newer_doors_do_not_know_the_old_names(old):
    assert faults({"body": "b", "mode": old}, INJECT) == [("002", MODE, "mode")]


WRONG_SELECTORS = [
    (None, [("options are required", None)]),
    (5, [("options must be a dict, got int", None)]),
    ({}, [("at least one of id, tag, or dedupe_key is required", None)]),
    ({"id": " ", "tag": None}, [("at least one of id, tag, or dedupe_key is required", None)]),
    ({"tags": [], "key": 1, "id": "x"}, [("unknown option(s): key, tags", "key")]),
    ({"tag": ["a"]}, [("`tag` must be a string or nil, got list", "tag")]),
    (
        {"dedupe_key": 1, "id": 2},
        [
            ("`id` must be a string or nil, got int", "id"),
            ("`dedupe_key` must be a string or nil, got int", "dedupe_key"),
        ],
    ),
]


@pytest.mark.parametrize(("value", "expected"), WRONG_SELECTORS)
def test_wrong_selectors(value, expected):
    selector, found = check_selector(value, type_name)
    assert selector is None
    assert [(fault.message, fault.key) for fault in found] == expected
    assert {fault.code for fault in found} == {"HARN-RMD-001"}


def test_a_selector_has_all_that_is_named():
    spec = accepted({"body": "b", "tags": ["x", "y"], "dedupe_key": "k"}).spec(id="r", source="hook", fired_at_turn=0)
    for given, expected in [
        ({"tag": " x "}, True),
        ({"tag": "z"}, False),
        ({"id": "r", "tag": "y", "dedupe_key": "k"}, True),
        ({"id": "r", "tag": "y", "dedupe_key": "l"}, False),
        ({"id": "q", "tag": "y"}, False),
    ]:
        assert check_selector(given, type_name)[0].matches(spec) is expected


def test_the_texts():
    wrong = Fault("HARN-RMD-005", SCOPE)
    context = "PostToolUse hook reminder"
    assert fault_text("transcript.inject_reminder", wrong) == f"transcript.inject_reminder: HARN-RMD-005: {SCOPE}"
    assert malformed_text("guard", context, wrong) == f"{context}: HARN-RMD-005: {SCOPE}"
    malformed = "HARN-RMD-006: provider `guard` returned malformed ReminderSpec: PostToolUse hook reminder: " + BODY
    assert malformed_text("guard", context, Fault("HARN-RMD-006", BODY)) == malformed
