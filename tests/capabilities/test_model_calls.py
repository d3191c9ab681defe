"""Model calls of a run that may not make them: the throwing forms throw the error dict, the safe forms return it."""

from __future__ import annotations

import pytest

from harnlite import Engine

REFUSED = "Error [tool_rejected]: Tool '{}' is not permitted: it needs llm (--allow llm)"
THROWING = {
    "llm_call": 'llm_call("hi", nil, {provider: "mock"})',
    "llm_call_structured": 'llm_call_structured("hi", {type: "object"}, {provider: "mock"})',
    "llm_completion": 'llm_completion("hi", nil, nil, {provider: "mock"})',
    "llm_stream": 'llm_stream("hi", nil, {provider: "mock"})',
}
SAFE = {
    "llm_call_safe": 'llm_call_safe("hi", nil, {provider: "mock"})',
    "llm_call_structured_safe": 'llm_call_structured_safe("hi", {type: "object"}, {provider: "mock"})',
}


@pytest.mark.parametrize("name", THROWING)
def test_throws_the_error_dict(name: str) -> None:
    script = f"try {{ {THROWING[name]} }} catch (e) {{ println(e.message)\nprintln(error_category(e)) }}"
    assert Engine(deny=["llm"]).run(script).stdout.splitlines() == [REFUSED.format(name), "tool_rejected"]


@pytest.mark.parametrize("name", SAFE)
def test_returns_the_error_dict(name: str) -> None:
    script = f"let r = {SAFE[name]}\nprintln(r.ok)\nprintln(r.error.message)\nprintln(r.error.category)"
    expected = ["false", REFUSED.format(name), "tool_rejected"]
    assert Engine(deny=["llm"]).run(script).stdout.splitlines() == expected


def test_structured_result_describes_the_refusal() -> None:
    script = 'let r = llm_call_structured_result("hi", {type: "object"})\nprintln(r.error)\nprintln(r.error_category)'
    expected = [REFUSED.format("llm_call_structured_result"), "tool_rejected"]
    assert Engine(deny=["llm"]).run(script).stdout.splitlines() == expected


def test_a_loop_is_refused_before_it_begins() -> None:
    script = 'try { agent_loop("hi", nil, {provider: "mock"}) } catch (e) { println(e) }'
    assert Engine(sandbox=True).run(script).stdout == REFUSED.format("agent_loop") + "\n"
