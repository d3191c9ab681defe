"""Each payload of each agent is read as what it is."""

import pytest

from harnlite.agent_hooks.calls import agent_calls
from harnlite.agent_hooks.formats.table import FORMATS, format_of
from tests.agent_hooks.formats.hook_samples import SAMPLES, agent_of, read


@pytest.mark.parametrize("name", SAMPLES)
def test_the_payload_of_an_agent_is_recognised(name):
    form, call = read(name)
    assert form.name == call.agent == agent_of(name)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_payload_is_read(name):
    call = read(name)[1]
    expected = SAMPLES[name]["call"]
    found = {attribute: getattr(call, attribute) for attribute in expected}
    if call.budget is not None and "budget" in expected:
        found["budget"] = [call.budget.used, call.budget.window, call.budget.is_exact]
    assert found == expected
    assert call.event in {*agent_calls.EVENTS, ""}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_tools_of_a_payload_are_read(name):
    call = read(name)[1]
    expected = SAMPLES[name].get("tools", [])
    found = [{key: getattr(use, key) for key in wanted} for use, wanted in zip(call.tools, expected, strict=True)]
    assert found == expected


@pytest.mark.parametrize("agent", FORMATS)
def test_a_format_is_consistent(agent):
    form = format_of(agent)
    assert form.name == agent
    assert set(form.events.values()) <= set(agent_calls.EVENTS)
    for events in (form.speaking, form.denying, form.continuing, form.changing):
        assert events <= form.events.keys()
    assert form.speaking_with_denial <= form.speaking & form.denying
    assert {form.events[native] for native in form.changing} <= {agent_calls.PRE_TOOL_USE}
    assert {form.events[native] for native in form.continuing} <= {agent_calls.STOP, agent_calls.SUBAGENT_STOP}


@pytest.mark.parametrize("agent", FORMATS)
def test_each_event_of_an_agent_that_speaks_has_a_sample(agent):
    form = format_of(agent)
    seen = {read(name)[1].native for name in SAMPLES if agent_of(name) == agent}
    missing = (form.speaking | form.denying | form.continuing) - seen
    assert agent in {"kimi", "codebuddy", "windsurf", "tabnine"} or not missing


def test_an_unknown_agent_has_no_format():
    assert format_of("emacs") is None
