"""Completion at the cursor, which `|` marks."""

import time
from pathlib import Path

import pytest

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.options.expected import REMINDER
from harnlite.reminders.wire import PIPELINE, check_reminder
from harnlite.repl.completion import SNIPPET, complete

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def offered():
    declarations = load_declarations()

    def look(text, **known):
        before, _, after = text.partition("|")
        return [
            item.label for item in complete(before + after, len(before), known, declarations) if item.kind != SNIPPET
        ]

    return look


CASES = [
    ("printl|", ["println"]),
    ("transcript.inj|", ["inject_reminder"]),
    ("transcript.inject_reminder(t, {bo|", ["body"]),
    ('transcript.inject_reminder(t, {body: "x", role_hint: "dev|', ["developer"]),
    ('transcript.inject_reminder(t, {body: "x", propagate: "|"})', ["all", "session", "none"]),
    ("let f = { elephant, other -> ele|", ["elephant"]),
    ("let f = {elephant: 1}\nele|", []),
    ("transcript.clear_reminders(t, {|", ["id", "tag", "dedupe_key"]),
    ("transcript.clear_reminders(t, {id: x, |", ["tag", "dedupe_key"]),
    ('agent_loop("x", nil, {max_it|', ["max_iterations"]),
    ('agent_loop("x", nil, {reminders: ["idle|', ["idle_nudge"]),
    ('agent_loop("x", nil, {reminders: ["-idle|', ["-idle_nudge"]),
    ('agent_loop("x", nil, {iteration_budget: {mode: "a|', ["adaptive"]),
    ('llm_call("x", nil, {schema_|', ["schema_retries", "schema_retry_nudge"]),
    ('register_session_hook("pre_c|', ["pre_compact"]),
    ('register_persona_hook("*", "PreS|', ["PreStep"]),
    ('register_step_hook("*", "*", "PostS|', ["PostStep"]),
    ("register_tool_hook({pattern: x, ma|", ["max_output"]),
    ('register_reminder_provider({id: "x", subscribes_to: ["PostT|', ["PostToolUse", "PostTurn"]),
    ("{ event -> {reminder: {ttl|", ["ttl_turns"]),
    ('import "std/tes|', ["std/testing"]),
    ('import { x } from "std/tes|', ["std/testing"]),
    ("let elephant = 1\nele|", ["elephant"]),
    ("fn f(elephant, b) {\n  ele|", ["elephant"]),
    ("fn f(elephant) {\n}\nele|", []),
    ("fn f() {\n  let elephant = 1\n}\nele|", []),
    ("let {elephant, b} = d\nele|", ["elephant"]),
    ("for elephant in xs {\n  ele|", ["elephant"]),
    ("enum E { Aa, Bb(x), Cc }\nE.B|", ["Bb"]),
    ("xs.flat_m|", ["flat_map"]),
    ('"text ${printl|', ["println"]),
    ('"text ${pi} printl|', []),
    ("// printl|", []),
    ("/* printl|", []),
    ('"""long printl|', []),
    ("mutex|", ["mutex"]),
    ("PRINTL|", ["println"]),
    ("__host|", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_what_is_offered(offered, text, expected):
    assert offered(text) == expected


def test_names_from_outside_and_their_members(offered):
    assert offered("eleph|", elephant=("trunk",)) == ["elephant"]
    assert offered("elephant.tr|", elephant=("trunk",))[0] == "trunk"


def test_an_item_says_what_it_replaces_and_what_it_is():
    [item] = [one for one in complete("let x = printl", 14, {}, load_declarations()) if one.label == "println"]
    assert (item.start, item.insert, item.kind) == (8, "println", "builtin")
    assert item.detail.startswith("println(")
    assert item.doc
    [key] = complete("transcript.inject_reminder(t, {bod", 34, {}, load_declarations())
    assert (key.start, key.insert, key.kind) == (31, "body: ", "key")


def test_the_options_of_reminders_are_those_that_are_read():
    _, faults = check_reminder(dict.fromkeys(REMINDER.keys, 1), lambda _: "int", PIPELINE)
    assert {fault.key for fault in faults} < set(REMINDER.keys)
    assert not any(fault.is_stranger for fault in faults)


def test_values_come_before_names(offered):
    labels = offered("transcript.inject_reminder(t, {propagate: |})")
    assert labels[:3] == ['"all"', '"session"', '"none"']


def test_every_option_of_the_loop_is_documented(offered):
    page = (ROOT / "docs" / "agent.md").read_text() + (ROOT / "docs" / "builtins.md").read_text()
    keys = list(offered('agent_loop("x", nil, {|'))
    assert len(keys) > 40
    assert [key for key in keys if f"`{key}`" not in page] == []


@pytest.mark.parametrize("path", sorted((ROOT / "examples").rglob("*.harn")), ids=lambda path: path.stem)
def test_no_place_of_a_program_is_a_problem(path):
    text, declarations = path.read_text(), load_declarations()
    for offset in range(0, len(text), 17):
        for item in complete(text, offset, {}, declarations)[:1]:
            assert 0 <= item.start <= offset


@pytest.mark.timed
def test_a_long_file_is_no_problem():
    text = "fn f(x) {\n  let y = [x, 2]\n  return {a: y}\n}\n" * 1250 + "fn last(param) {\n  par"
    begun = time.process_time()
    labels = [item.label for item in complete(text, len(text), {}, load_declarations())]
    assert "param" in labels
    assert time.process_time() - begun < 0.5
