"""The exact answer to each event of each agent, which the agent accepts."""

import json
from pathlib import Path

import pytest

from harnlite.agent_hooks.calls.agent_calls import Speech
from tests.agent_hooks.formats.answer_schemas import problem
from tests.agent_hooks.formats.hook_samples import SAMPLES, agent_of, read

GOLDENS = json.loads(Path(__file__).with_name("answers.json").read_text(encoding="utf-8"))
TEXT = "The build is red.\nRun <make>: 3 → é \U0001f600"
SPEECHES = {
    "nothing": Speech(),
    "context": Speech(TEXT),
    "deny": Speech(deny="The file is generated."),
    "deny and context": Speech(TEXT, deny="The file is generated."),
    "go_on": Speech(go_on="The tests have not run."),
    "go_on and context": Speech(TEXT, go_on="The tests have not run."),
    "arguments": Speech(arguments={"command": "ls -l", "n": [1, None, True, 0.5]}),
    "arguments and context": Speech(TEXT, arguments={"command": "ls -l"}),
    "everything": Speech(TEXT, deny="No.", go_on="Go on.", arguments={}),
    "empty texts": Speech(" \n", deny="", go_on=" "),
    "surrogates": Speech("\ud83d\ude00 \ud800", deny="\udfff", go_on="\udfff"),
}


def answers(name):
    """Return the answers to all speeches as one object; an exit code and stderr follow stdout in a list."""
    form, call = read(name)
    found = {}
    for what, speech in SPEECHES.items():
        answer = form.answer(call, speech)
        plain = not answer.status and not answer.stderr
        found[what] = answer.stdout if plain else [answer.stdout, answer.status, answer.stderr]
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_the_answer_is_exact(name):
    form, call = read(name)
    quiet = form.answer(call, Speech())
    assert (quiet.stdout, quiet.status, quiet.stderr) == (form.empty, 0, "")
    expected = GOLDENS[agent_of(name)][call.native] if form.can_speak(call) == (call.native in form.speaking) else {}
    assert answers(name) == {what: expected.get(what, form.empty) for what in SPEECHES}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_agent_accepts_the_answer(name):
    form, call = read(name)
    said = {what: form.answer(call, speech) for what, speech in SPEECHES.items()}
    agent, native = agent_of(name), call.native
    problems = {what: problem(agent, native, one.stdout, one.status, one.stderr) for what, one in said.items()}
    assert problems == dict.fromkeys(SPEECHES, "")


@pytest.mark.parametrize("name", SAMPLES)
def test_what_an_event_can_express_is_expressed(name):
    form, call = read(name)
    events = {can: getattr(form, can) for can in ("speaking", "denying", "continuing", "changing")}
    if not form.can_speak(call):
        events["speaking"] = events["speaking"] - {call.native}
    marked = {"speaking": Speech("MARK"), "denying": Speech(deny="MARK"), "continuing": Speech(go_on="MARK")}
    marked["changing"] = Speech(arguments={"a": "MARK"})
    for can, speech in marked.items():
        answer = form.answer(call, speech)
        assert ("MARK" in answer.stdout + answer.stderr) == (call.native in events[can])
    both = form.answer(call, Speech("SPOKEN", deny="REFUSED"))
    spoken = form.speaking_with_denial if call.native in form.denying else events["speaking"]
    assert ("SPOKEN" in both.stdout) == (call.native in spoken)


def test_the_goldens_are_those_of_the_samples():
    natives = {(agent_of(name), read(name)[1].native) for name in SAMPLES}
    assert natives == {(agent, native) for agent, events in GOLDENS.items() for native in events}
