"""The report of an uncaught error points at the literal that caused it."""

import pytest

from harnlite import Engine

OPENED = 'pipeline main() {\n  agent_session_open("s")\n  '


def place(text: str) -> tuple[str, str]:
    result = Engine(cache=False).run(text)
    finding = next(finding for finding in result.diagnostics if finding.is_error)
    return text[finding.span.start : finding.span.end], str(finding.source.position(finding.span.start))


def test_the_innermost_call_of_a_persons_own_file_is_shown():
    shown, position = place('import { mean } from "std/math"\npipeline main() {\n  println(mean("x"))\n}\n')
    assert (shown, position) == ('mean("x")', "3:11")


def test_a_call_without_a_literal_is_shown_itself():
    shown, _ = place("pipeline main() {\n  let config = {cap: 0}\n  exec()\n}\n")
    assert shown == "exec()"


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ('{body: "x", ttl_turns: 0}', "0"),
        ('{body: "x", zeal: 1}', "zeal"),
        ('{body: "x", propagate: "far"}', '"far"'),
        ('{body: "x", tags: [1]}', "[1]"),
        ('{tags: ["a"]}', '{tags: ["a"]}'),
    ],
)
def test_a_faulty_option_is_shown_where_it_is_written(options, shown):
    assert place(f"pipeline main() {{\n  transcript.inject_reminder(transcript(), {options})\n}}\n")[0] == shown


@pytest.mark.parametrize("selector", ["{}", '{id: " "}'])
def test_a_selector_that_selects_nothing_is_shown(selector):
    assert place(f"pipeline main() {{\n  transcript.clear_reminders(transcript(), {selector})\n}}\n")[0] == selector


@pytest.mark.parametrize(
    ("fields", "shown"),
    [('{body: "x", content: "y"}', "content"), ('{body: "x", ttlTurns: 0}', "0"), ("{reminder: {body: 1}}", "1")],
)
def test_a_faulty_field_of_a_host_is_shown_where_it_is_written(fields, shown):
    text = f'import "std/agent/state"\n{OPENED}agent_session_push_bridge_injection("s", {fields})\n}}\n'
    assert place(text)[0] == shown


def test_options_in_a_variable_are_shown_at_the_call():
    text = 'pipeline main() {\n  let options = {body: ""}\n  transcript.inject_reminder(transcript(), options)\n}\n'
    assert place(text)[0] == "transcript.inject_reminder(transcript(), options)"


def test_the_result_of_a_closure_is_shown_in_the_closure():
    text = (
        "pipeline main() {\n"
        '  register_session_hook("session_start", { event ->\n'
        '    return {reminder: {body: "x", propagate: "far"}}\n'
        "  })\n"
        '  agent_loop("t", nil, {provider: "mock"})\n'
        "}\n"
    )
    assert place(text) == ('"far"', "3:46")


@pytest.mark.parametrize(
    ("closure", "shown", "line"),
    [
        ("{ e -> 5 }", "5", 2),
        ("{ e ->\n    if e == nil { return nil }\n    return [1]\n  }", "[1]", 4),
        ('{ e ->\n    if e != nil { "no" }\n  }', '"no"', 3),
        ("{ e ->\n    let wrong = 3\n    return wrong\n  }", "wrong", 4),
        ("{ e ->\n    if e == nil { return 1 }\n    return 2\n  }", "{ e ->", 2),
        ("{ e -> { x -> 1 }(e) }", "{ x -> 1 }(e)", 2),
    ],
)
@pytest.mark.parametrize("hook", ['session_hook("session_start"', 'checkpoint_hook("loop_exit"'])
def test_a_wrong_result_is_shown_in_the_closure(hook, closure, shown, line):
    text = f'pipeline main() {{\n  register_{hook}, {closure})\n  agent_loop("t", nil, {{provider: "mock"}})\n}}\n'
    found, position = place(text)
    assert (found, position.partition(":")[0]) == (shown, str(line))


def test_a_wrong_result_of_a_function_is_shown_in_it():
    text = (
        "fn hook(event) { return 7 }\n"
        'register_session_hook("session_start", hook)\n'
        'agent_loop("t", nil, {provider: "mock"})\n'
    )
    assert place(text) == ("7", "1:25")
