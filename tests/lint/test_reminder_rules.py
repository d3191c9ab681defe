"""The reminder rules, on programs that mark the expected finding on each line: `//~ CODE part of the message`."""

import re
from pathlib import Path

import pytest

from harnlite import Engine
from harnlite.analysis.linting.context.configuration import LintConfig
from harnlite.analysis.linting.linter import lint
from harnlite.diagnostics.diagnostic import ERROR, WARNING
from harnlite.diagnostics.source import Source
from harnlite.diagnostics.source_files import read_source

PROGRAMS = sorted((Path(__file__).parent / "rmd").glob("*.harn"))
MARK = re.compile(r"//~ (HARN-\w+-\d+) ?(.*?)(?= //~|$)", re.MULTILINE)
CONFIG = LintConfig(select=("HARN-RMD", "HARN-LNT-009", "HARN-LNT-010"))
WARNINGS = {"HARN-RMD-003", "HARN-RMD-004", "HARN-LNT-009", "HARN-LNT-010"}
NAMES = {
    "HARN-RMD-003": "reminder-role-hint-capability",
    "HARN-RMD-004": "reminder-infinite-discardable",
    "HARN-RMD-007": "reminder-provider-count",
    "HARN-LNT-009": "reminder-in-loop-without-key",
    "HARN-LNT-010": "reminder-every-turn-without-key",
}


def findings(text, config=CONFIG):
    source = Source(text)
    return [(source.text[one.span.start : one.span.end], one.code) for one in lint(source, config)]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_has_the_findings_that_it_marks(path):
    source = read_source(str(path))
    found = lint(source, CONFIG)
    said = [f"{source.position(one.span.start).line} {one.code} {one.message}" for one in found]
    marked = [(number, *mark) for number, line in enumerate(source.text.splitlines(), 1) for mark in MARK.findall(line)]
    for number, code, text in marked:
        fits = [one for one in said if one.startswith(f"{number} {code} ") and text.strip() in one]
        assert fits, (number, code, text, said)
        said.remove(fits[0])
    assert said == []


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_severities_and_names(path):
    for one in lint(read_source(str(path)), CONFIG):
        assert one.severity == (WARNING if one.code in WARNINGS else ERROR)
        assert one.rule == NAMES.get(one.code, one.rule)
        assert one.fixes == ()


CALLS = [
    ('transcript.inject_reminder(transcript(), {body: "x", b: 1, a: 2})', "a"),
    ('transcript.inject_reminder(transcript(), {body: "x", tags: ["a", 1]})', '["a", 1]'),
    ("transcript.inject_reminder(transcript(), {ttl_turns: 1})", "{ttl_turns: 1}"),
    ('transcript.inject_reminder(transcript(), {body: "x", propagate: "far"})', '"far"'),
    ("transcript.clear_reminders(transcript(), {key: 1})", "key"),
    ('agent_session_inject_reminder(agent_session_open(), {body: "x", ttl_turns: -1})', "-1"),
    ('agent_session_inject_reminder(agent_session_open(), "x")', '"x"'),
    ('agent_session_push_bridge_injection(agent_session_open(), {body: "x", mode: "now"})', '"now"'),
    ('agent_session_push_bridge_injection(agent_session_open(), {reminder: {body: "x"}, x: 1})', "x"),
    ("agent_session_push_bridge_injection(agent_session_open(), [1])", "[1]"),
]
IMPORT = 'import { agent_session_inject_reminder, agent_session_push_bridge_injection } from "std/agent/state"\n'


@pytest.mark.parametrize(("call", "place"), CALLS)
def test_the_linter_says_what_the_run_throws_at_the_literal(call, place):
    source = Source(f"{IMPORT}println({call})\n")
    (found,) = lint(source, CONFIG)
    assert source.text[found.span.start : found.span.end] == place
    context, _, message = found.message.partition(": ")
    result = Engine(cache=False).run(source.text)
    assert str(result.error).splitlines()[0].endswith(f"Thrown: {context}: {found.code}: {message}")


HOOKS = [
    'register_session_hook("session_start", { _ctx -> {body: "x", prio: 1} })',
    'register_session_hook("session_start", { _ctx -> [{body: "x"}, {prio: 1}] })',
    'register_session_hook("session_start", { _ctx -> {reminder: {body: ""}} })',
    'register_reminder_provider({id: "p", subscribes_to: "session_start", evaluate: { _ctx -> "x" }})',
    'register_reminder_provider({id: "p", subscribes_to: "session_start", evaluate: { _ctx -> {body: 1} }})',
    'register_reminder_provider({id: "p", subscribes_to: "session_start", evaluate: { _ctx -> {body: "x", x: 1} }})',
]


@pytest.mark.parametrize("registration", HOOKS)
def test_the_linter_says_what_a_loop_throws_at_the_event(registration):
    (found,) = lint(Source(f"{registration}\n"), CONFIG)
    result = Engine(cache=False).run(f'{registration}\nagent_loop("t", nil, {{provider: "mock"}})\n')
    thrown = str(result.error).splitlines()[0]
    assert f"{found.code}: " in thrown
    assert thrown.replace(f"{found.code}: ", "", 1).endswith(f"Thrown: {found.message}")


def test_places_are_those_of_the_offending_literal():
    assert findings('println({role_hint: "user_block", body: "x", preserve_on_compact: false})') == [
        ("false", "HARN-RMD-004")
    ]
    assert findings('agent_loop("t", nil, {reminders: {providers: ["x"]}})') == [('["x"]', "HARN-RMD-007")]
    assert findings('register_session_hook("worker_failed", { _c -> {reminder: {body: "x"}} })') == [
        ('{reminder: {body: "x"}}', "HARN-RMD-008")
    ]


@pytest.mark.parametrize(
    "registration",
    ['import "./providers"', "register_reminder_provider({id: argv[0], subscribes_to: [], evaluate: nil})"],
)
def test_what_may_be_registered_elsewhere_is_not_counted(registration):
    assert findings(f'{registration}\nprintln(agent_loop("t", nil, {{reminders: ["x"]}}))') == []


def test_near_keys_are_offered():
    (found,) = lint(Source('transcript.inject_reminder(transcript(), {body: "x", ttl_turn: 1})'), CONFIG)
    assert found.help == ("did you mean `ttl_turns`?",)


def test_rows_of_the_project_say_what_a_route_can_do():
    text = 'println([{role_hint: "user_block"}, llm_call("q", nil, {provider: "own", model: "big-1"})])'
    assert findings(text) == [('"user_block"', "HARN-RMD-003")]
    for row in ({"message_wire_format": "anthropic"}, {"prefers_role_developer": True}):
        rows = {"own": [{"model_match": "big-*", **row}]}
        assert findings(text, LintConfig(select=("HARN-RMD",), capability_rows=rows)) == []
    other = {"own": [{"model_match": "small-*", "prefers_role_developer": True}]}
    assert findings(text, LintConfig(select=("HARN-RMD",), capability_rows=other)) == [('"user_block"', "HARN-RMD-003")]
    taken = {"anthropic": [{"model_match": "*", "message_wire_format": "openai"}]}
    claude = text.replace("own", "anthropic")
    assert findings(claude) == []
    assert findings(claude, LintConfig(select=("HARN-RMD",), capability_rows=taken)) == [
        ('"user_block"', "HARN-RMD-003")
    ]


def test_a_wrong_argument_is_said_once():
    for given in ("transcript(), 5", "transcript(), nil", "transcript()"):
        (found,) = lint(Source(f"println(transcript.inject_reminder({given}))"))
        assert found.code == "HARN-RMD-001"
    # Where the rule is silent, the static check speaks.
    (found,) = lint(Source("println(transcript.inject_reminder())"))
    assert found.code == "HARN-CHK-002"


BROKEN = """let t = transcript()
transcript.inject_reminder(t, {body: "x", ttl: 1})
fn broken( {
  let half =
}
register_session_hook("session_start", { _ctx ->
  let = 5
  return {body: ""}
})
transcript.inject_reminder(t, {body: "x", propagate: "far"
"""


def test_a_syntax_error_silences_only_the_statement_it_stands_in():
    said = [one for one in findings(BROKEN) if one[1] != "HARN-SYN-001"]
    assert said == [("ttl", "HARN-RMD-001"), ('""', "HARN-RMD-001")]
