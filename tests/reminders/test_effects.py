"""The reminders in the result of a closure, and the remaining control value."""

import random

import pytest

from harnlite.options.expected import expected_result
from harnlite.reminders.effects import (
    CONTROL_KEYS,
    EFFECT_KEYS,
    TYPED_KEYS,
    _Reading,
    _refusal,
    _Wrong,
    control_keys,
    effect_faults,
    hook_context,
    read_effects,
)
from harnlite.reminders.hook_events import (
    POST_STEP,
    POST_TOOL_USE,
    PRE_STEP,
    PRE_TOOL_USE,
    SESSION_START,
    WORKER_EVENTS,
)
from harnlite.reminders.wire import HOOK, OPTIONS, PROVIDER, fault_text
from harnlite.values.data_types import type_name

NO_EFFECT = "hook effect must be {reminder: {...}} or a reminder spec"


def spec(body="b", **fields):
    return {"body": body, **fields}


def read(value, **how):
    effects = read_effects(value, type_name, how.pop("event", "PostToolUse"), **how)
    assert effects.fault is None
    return [fields.body for fields in effects.fields], effects.control


def fault(value, **how):
    effects = read_effects(value, type_name, how.pop("event", "PostToolUse"), **how)
    assert not effects.fields
    return effects.fault.code.removeprefix("HARN-RMD-"), effects.fault.message


FORMS = [
    (None, [], None),
    (False, [], False),
    ("text", [], "text"),
    ({"deny": "no"}, [], {"deny": "no"}),
    ({"anything": 1}, [], {"anything": 1}),
    ({"reminder": spec()}, ["b"], None),
    ({"reminder": None}, [], None),
    ({"reminder": None, "deny": "no"}, [], {"deny": "no"}),
    ({"reminder": None, "then": {"deny": "no"}}, [], {"deny": "no"}),
    ([{"reminder": None}, spec()], ["b"], None),
    ({"reminder": spec(), "then": {"deny": "no"}}, ["b"], {"deny": "no"}),
    ({"reminder": spec(), "then": None, "deny": "no"}, ["b"], {"deny": "no"}),
    ({"reminder": spec(), "then": False, "deny": "no"}, ["b"], False),
    ({"reminder": spec(), "block": True, "reason": "r"}, ["b"], {"block": True, "reason": "r"}),
    ({"reminder": spec(), "note": 1}, ["b"], None),
    (spec(), ["b"], None),
    (spec(tags=["a"]), ["b"], None),
    (spec(result="r"), [], {"body": "b", "result": "r"}),
    ([], [], None),
    ([spec("a"), {"reminder": spec("b")}], ["a", "b"], None),
    ([spec("a"), [spec("b"), [spec("c")]]], ["a", "b", "c"], None),
    ([spec("a"), {"reminder": spec(), "then": {"deny": "no"}}], ["a", "b"], {"deny": "no"}),
    ({"effects": [spec("a"), spec("b")]}, ["a", "b"], None),
    ({"effects": spec("a"), "decision": "ask"}, ["a"], {"decision": "ask"}),
    ({"effects": [{"reminder": spec(), "then": {"block": True}}]}, ["b"], {"block": True}),
    ({"reminder": spec("a"), "effects": [spec("b")]}, ["a", "b"], None),
    ({"type": "reminder", "spec": spec()}, ["b"], None),
    ({"kind": "reminder", "spec": spec(), "modify": {"x": 1}}, ["b"], {"modify": {"x": 1}}),
    ({"type": "other", "spec": spec()}, [], {"type": "other", "spec": spec()}),
    ({"reminder": spec("a"), "then": {"reminder": spec("b"), "then": {"args": {}}}}, ["a", "b"], {"args": {}}),
    ({"reminder": spec("a"), "then": [spec("b")]}, ["a", "b"], None),
]


@pytest.mark.parametrize(("value", "bodies", "control"), FORMS)
def test_forms(value, bodies, control):
    assert read(value) == (bodies, control)


WRONG = [
    ({"reminder": "b"}, "001", "options must be a dict, got string"),
    ({"reminder": [spec()]}, "001", "options must be a dict, got list"),
    ({"body": 5}, "001", "`body` must be a string, got int"),
    ({"reminder": spec(propagate="x")}, "005", "`propagate` must be one of all, session, or none"),
    ({"reminder": spec(mode="finish_step")}, "001", "unknown reminder option(s): mode"),
    ([spec(), 5], "001", NO_EFFECT),
    ([None], "001", NO_EFFECT),
    ([{"deny": "no"}], "001", NO_EFFECT),
    ([{"tags": ["a"]}], "001", NO_EFFECT),
    ({"effects": [spec(result=1)]}, "001", NO_EFFECT),
    ({"effects": "x"}, "001", NO_EFFECT),
    ({"type": "reminder", "spec": None}, "001", "options are required"),
]


@pytest.mark.parametrize(("value", "code", "message"), WRONG)
def test_the_first_fault_of_a_hook(value, code, message):
    assert fault(value) == (code, message)


WRONG_PROVIDERS = [
    ("text", "006", "options must be a dict, got string"),
    (False, "006", "options must be a dict, got bool"),
    ({"tags": ["a"]}, "006", "`body` must be a non-empty string"),
    ({"reminder": 5}, "006", "options must be a dict, got int"),
    ({"deny": "x"}, "001", "unknown reminder option(s): deny"),
    (spec(deny="x"), "001", "unknown reminder option(s): deny"),
    (spec(propagate="x"), "005", "`propagate` must be one of all, session, or none"),
    (spec(ttl_turns=0), "006", "`ttl_turns` must be > 0"),
    ([spec(), 5], "006", NO_EFFECT),
    ([None], "006", NO_EFFECT),
    ([{"tags": []}], "006", "`body` must be a non-empty string"),
]


@pytest.mark.parametrize(("value", "code", "message"), WRONG_PROVIDERS)
def test_the_first_fault_of_a_reminder_provider(value, code, message):
    assert fault(value, producer=PROVIDER) == (code, message)


def slips(key):
    """Yield slips of the keyboard in a key: a plural, a missing letter, a doubled one, two that are swapped."""
    yield key + "s"
    yield key.capitalize()
    for at in range(1, len(key)):
        yield key[:at] + key[at + 1 :]
        yield key[:at] + key[at] + key[at:]
        yield key[: at - 1] + key[at] + key[at - 1] + key[at + 1 :]


KNOWN = CONTROL_KEYS | TYPED_KEYS | {"body", "reason"}
CONTROLLED = (PRE_TOOL_USE, POST_TOOL_USE, PRE_STEP, POST_STEP, SESSION_START)
SLIPS = [
    (slip, key, event, producer)
    for producer, events in (
        (HOOK, (PRE_TOOL_USE, POST_TOOL_USE, PRE_STEP, POST_STEP, SESSION_START)),
        (PROVIDER, ("",)),
    )
    for event in events
    for key in sorted({*EFFECT_KEYS, *(() if producer is PROVIDER else control_keys(event))} - {"then"})
    for slip in sorted(set(slips(key)) - KNOWN)
]


def test_a_misspelt_key_is_a_fault_that_names_the_right_one():
    silent = []
    for slip, key, event, producer in SLIPS:
        effects = read_effects({slip: spec()}, type_name, event, producer)
        told = effects.fault.message if effects.fault is not None else ""
        if not told.startswith(f"unknown key `{slip}` in the result of a ") or "did you mean `" not in told:
            silent.append((slip, key, event, told))
    assert len(SLIPS) > 200
    assert not silent


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ({"reminders": spec()}, "reminder"),
        ({"remindr": spec()}, "reminder"),
        ({"remind": [spec()]}, "reminder"),
        ({"effect": spec()}, "effects"),
        ({"specs": spec()}, "spec"),
        ({"bdy": "b", "ttl_turns": 1}, "body"),
        ({"reminder": spec(), "thn": {"deny": "no"}}, "then"),
        ({"reminder": spec(), "agrs": {}}, "args"),
        ({"then": {"dney": "no"}, "reminder": spec()}, "deny"),
    ],
)
def test_what_was_meant(value, meant):
    code, message = fault(value, event=PRE_TOOL_USE)
    assert (code, message.rpartition("did you mean ")[2]) == ("001", f"`{meant}`?")


@pytest.mark.parametrize(
    "value", [{"spec": spec()}, {"type": "remindr", "spec": spec()}, {"kind": None, "spec": spec()}]
)
def test_a_spec_without_its_type_is_a_fault(value):
    assert fault(value)[1].startswith('`spec` in the result of a hook needs `type: "reminder"`')


@pytest.mark.parametrize("key", ["status", "note", "when", "results", "id", "session_id", "event"])
def test_other_keys_are_no_slips(key):
    assert read({key: 1}, event="WorkerCompleted") == ([], {key: 1})


def test_control_keys_are_those_that_the_options_declare():
    declared = {
        PRE_TOOL_USE: [("register_tool_hook", "pre")],
        POST_TOOL_USE: [("register_tool_hook", "post")],
        SESSION_START: [("register_session_hook", "")],
    }
    for event, places in declared.items():
        keys = {key for place in places for key in expected_result(*place).keys}
        assert keys - OPTIONS.keys() - EFFECT_KEYS == set(control_keys(event)), event
    steps = {*expected_result("register_step_hook", "").keys} - OPTIONS.keys() - EFFECT_KEYS
    assert steps == {*control_keys(PRE_STEP), *control_keys(POST_STEP)}


@pytest.mark.parametrize(
    ("value", "bodies"),
    [
        (None, []),
        ([], []),
        ({"reminder": None}, []),
        (spec(), ["b"]),
        ({"reminder": spec(), "then": {"deny": "x"}}, ["b"]),
        ({"effects": [spec("a")]}, ["a"]),
    ],
)
def test_a_reminder_provider_has_no_control_value(value, bodies):
    assert read(value, producer=PROVIDER) == (bodies, None)


@pytest.mark.parametrize("event", sorted(WORKER_EVENTS))
def test_a_worker_event_takes_no_reminders(event):
    for value in ({"reminder": spec()}, spec(), [spec()], {"effects": [spec("")]}):
        effects = read_effects(value, type_name, event)
        assert fault_text(hook_context(event), effects.fault) == (
            f"{event} hook reminder: HARN-RMD-008: {event} does not support reminder effects; "
            "use a session, tool, step, or persona hook"
        )
    assert read(None, event=event) == ([], None)
    assert read({"reminder": None}, event=event) == ([], None)
    assert read({"note": 1}, event=event) == ([], {"note": 1})


def test_a_canonical_reminder_provider_answers_worker_events():
    assert fault(spec(), event="WorkerResumed", producer=PROVIDER)[0] == "008"
    assert read(spec(), event="WorkerResumed", producer=PROVIDER, canonical=True) == (["b"], None)


def test_nesting_ends_somewhere():
    def nested(depth):
        value = spec()
        for _ in range(depth):
            value = [value]
        return value

    assert read(nested(32)) == (["b"], None)
    assert fault(nested(33)) == ("001", NO_EFFECT)
    assert fault(nested(100_000)) == ("001", NO_EFFECT)


@pytest.mark.parametrize("producer", [HOOK, PROVIDER])
def test_all_faults_are_those_of_which_reading_says_the_first(producer):
    value = [{"body": ""}, {"reminder": {"body": "x", "ttl_turns": 0, "tags": 1}}, {"effects": [{"body": "x"}, 5]}]
    found = effect_faults(value, type_name, "SessionIdle", producer)
    assert [about for about, _ in found] == [value[0], value[1]["reminder"], value[2]["effects"]]
    assert [[fault.key for fault in faults] for _, faults in found] == [["body"], ["tags", "ttl_turns"], [None]]
    first = read_effects(value, type_name, "SessionIdle", producer).fault
    assert (first.code, first.message) == (found[0][1][0].code, found[0][1][0].message)


def test_what_is_right_has_no_faults_and_workers_get_one_for_each_effect():
    value = [{"body": "x"}, {"reminder": {"body": "y"}}]
    assert effect_faults(value, type_name, "SessionIdle") == []
    found = effect_faults(value, type_name, "WorkerFailed")
    assert [(about, [fault.code for fault in faults]) for about, faults in found] == [
        (value[0], ["HARN-RMD-008"]),
        (value[1], ["HARN-RMD-008"]),
    ]


@pytest.mark.parametrize("producer", [HOOK, PROVIDER])
@pytest.mark.parametrize(
    ("value", "steps"),
    [
        ({"clear": {"tag": "t"}}, ["clear"]),
        ({"clear": None}, []),
        ({"clear": {"id": "i", "dedupe_key": "k"}, "reminder": {"body": "b"}}, ["clear", "b"]),
        ({"clear": {"tag": "t"}, "effects": [{"body": "b"}, {"clear": {"tag": "u"}}]}, ["clear", "b", "clear"]),
        ({"clear": {"tag": "t"}, "type": "reminder", "spec": {"body": "b"}}, ["clear", "b"]),
        ([{"body": "a"}, {"clear": {"tag": "t"}}, {"body": "b"}], ["a", "clear", "b"]),
    ],
)
def test_an_effect_clears_before_it_injects(value, steps, producer):
    effects = read_effects(value, type_name, "PostToolUse", producer)
    assert effects.fault is None
    assert [getattr(step, "body", "clear") for step in effects.steps] == steps


@pytest.mark.parametrize("producer", [HOOK, PROVIDER])
@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ({}, "at least one of id, tag, or dedupe_key is required"),
        ({"tags": ["t"]}, "unknown option(s): tags"),
        ({"tag": 1}, "`tag` must be a string or nil, got int"),
        ("t", "`clear` must be a dict, got string"),
        (True, "`clear` must be a dict, got bool"),
    ],
)
def test_a_wrong_clear_is_an_error_of_the_same_code_everywhere(selector, message, producer):
    found = read_effects({"clear": selector}, type_name, "PostToolUse", producer).fault
    assert (found.code, found.message) == ("HARN-RMD-001", message)


def test_a_spec_with_a_clear_is_no_effect_of_its_own():
    effects = read_effects({"clear": {"tag": "t"}, "body": "b"}, type_name, "PostToolUse")
    assert (effects.fault.code, effects.fault.message) == ("HARN-RMD-001", "unknown reminder option(s): clear")


def test_worker_events_refuse_to_clear():
    found = read_effects({"clear": {"tag": "t"}}, type_name, "WorkerFailed").fault
    assert found.code == "HARN-RMD-008"


def test_a_clear_beside_a_decision_leaves_the_decision():
    effects = read_effects({"clear": {"tag": "t"}, "deny": "no"}, type_name, "PreToolUse")
    assert (len(effects.steps), effects.control) == (1, {"deny": "no"})
    effects = read_effects({"clear": {"tag": "t"}, "then": {"deny": "no"}}, type_name, "PreToolUse")
    assert (len(effects.steps), effects.control) == (1, {"deny": "no"})


def read_by_steps(value, event, producer):
    """Return what the general way finds: the fields of each reminder, the control value, and the fault."""
    reading = _Reading(type_name, producer, event, _refusal(event))
    try:
        control = reading.read(value, 0)
    except _Wrong as wrong:
        return [], None, repr(wrong.fault)
    return reading.steps, None if producer is PROVIDER else control, None


@pytest.mark.parametrize("producer", [HOOK, PROVIDER])
def test_a_dict_with_the_keys_of_a_reminder_only_is_read_like_any_other(producer):
    chance = random.Random(8)
    keys = [*OPTIONS, *CONTROL_KEYS, *EFFECT_KEYS, *TYPED_KEYS, "Body", "ttl_turn"]
    values = ["text", " ", "", None, True, 2, 0, 1.5, [], ["a"], {}, "session", "developer"]
    found = set()
    for _ in range(4_000):
        names = chance.sample(list(OPTIONS), chance.randrange(4)) + chance.sample(keys, chance.choice([0, 0, 1, 2]))
        value = {name: chance.choice(values) for name in names} | chance.choice([{}, {"body": "text"}])
        for event in (POST_TOOL_USE, next(iter(WORKER_EVENTS))):
            effects = read_effects(value, type_name, event, producer)
            steps, control, wrong = read_by_steps(value, event, producer)
            assert (effects.control, effects.fault and repr(effects.fault)) == (control, wrong), value
            told = [[getattr(step, "body", None), getattr(step, "dedupe_key", None)] for step in steps]
            assert told == [[getattr(step, "body", None), getattr(step, "dedupe_key", None)] for step in effects.steps]
            assert [getattr(one, "ttl_turns", 0) for one in steps] == [
                getattr(one, "ttl_turns", 0) for one in effects.steps
            ]
            found.add((bool(steps), wrong is None))
    assert found == {(True, True), (False, True), (False, False)}
