"""Model calls and the reminders of their session."""

import pytest

from harnlite.llm.configuration import configuration_of
from harnlite.llm.mock import mocks_of
from harnlite.llm.model_call import call
from harnlite.reminders.rendering import render
from harnlite.reminders.spec import ReminderSpec
from harnlite.values.errors import ScriptError

from .running import queue, within


class Source:
    """Two pending reminders, and a note of what was asked."""

    def __init__(self):
        self.asked = []
        self.told = []
        self.pending = [ReminderSpec(body="one", id="r1"), ReminderSpec(body="two", role_hint="user_block", id="r2")]

    def rendered(self, capabilities):
        self.asked.append(capabilities.message_wire_format)
        return render(self.pending, capabilities)

    def sent(self, rendered, turn_number):
        self.told.append(([spec.id for spec, _ in rendered.fired], turn_number))


def test_they_are_announced_once_whatever_is_sent_again():
    source = Source()

    def work(run):
        queue(run, {"error": {"category": "overloaded"}}, {"error": {"category": "auth"}}, "no json", '{"n": 1}')
        options = {
            "provider": "anthropic",
            "fallback_chain": ["openai"],
            "llm_retries": 1,
            "output_schema": {"type": "object"},
            "_iteration": 3,
        }
        call(run, "hi", "P", options, source)
        return mocks_of(run).calls()

    first, again, other, nudged = within(work)
    assert source.told == [(["r1", "r2"], 3)]
    assert source.asked == ["anthropic", "openai"]
    assert first["messages"] == again["messages"]
    assert first["system"] == "P\n\n<system-reminder>\none\n</system-reminder>"
    assert first["messages"][0]["content"][0]["text"] == "<system-reminder>\ntwo\n</system-reminder>"
    assert other["system"] == "P\n\nSystem reminder:\none\n\nSystem reminder:\ntwo"
    assert other["messages"] == [{"role": "user", "content": "hi"}]
    assert nudged["messages"][0] == first["messages"][0]
    assert len(nudged["messages"]) == 2


@pytest.mark.parametrize("options", [{"thinking": "loud"}, {"tools": 5}, {"model": "mock", "thinking": True}])
def test_a_rejected_call_leaves_no_trace(options):
    source = Source()

    def work(run):
        with pytest.raises(ScriptError):
            call(run, "hi", None, {"provider": "mock", **options}, source)
        return mocks_of(run).call_count

    assert within(work) == 0
    assert (source.asked, source.told) == ([], [])


def test_what_only_a_fallback_shows_is_announced_when_that_is_asked():
    source = Source()

    def work(run):
        configuration_of(run).install([("mute", {"accepts_system": False})])
        queue(run, {"error": {"category": "auth"}}, "fine")
        call(run, "hi", None, {"provider": "mute", "model": "m", "fallback_chain": ["openai"]}, source)

    within(work)
    assert source.told == [([], 0), (["r1", "r2"], 0)]


def test_reminders_come_before_the_budget():
    source = Source()

    def work(run):
        with pytest.raises(ScriptError):
            call(run, "hi", None, {"provider": "mock", "budget": {"max_input_tokens": 1}}, source)

    within(work)
    assert source.told == [(["r1", "r2"], 0)]


def test_without_reminders_the_source_is_told_all_the_same():
    told = []

    class Nothing:
        def rendered(self, _capabilities):
            return None

        def sent(self, rendered, turn_number):
            told.append((rendered, turn_number))

    within(lambda run: call(run, "hi", None, {"provider": "mock"}, Nothing()))
    assert told == [(None, 0)]
