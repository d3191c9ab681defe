"""The reminder providers that a list enables, and the models and events that tools also need."""

import pytest

from harnlite.reminders.capabilities import default_model
from harnlite.reminders.enabled_providers import CANONICAL, limit_text, select
from harnlite.reminders.hook_events import PERSONA_EVENTS, event_named


@pytest.mark.parametrize(
    ("entries", "removed", "count"),
    [
        ([], set(), 8),
        (["idle_nudge", " ", ""], set(), 8),
        (["x", "x", " x "], set(), 9),
        (["-idle_nudge", "x"], {"idle_nudge"}, 8),
        (["- idle_nudge", "idle_nudge"], set(), 8),
        (["x", "-x"], {"x"}, 8),
        ([f"-{name}" for name in CANONICAL], set(CANONICAL), 0),
    ],
)
def test_entries_are_read_from_left_to_right(entries, removed, count):
    found, kept = select(entries)
    assert (found, len(kept)) == (removed, count)


def test_the_text_of_too_many():
    assert limit_text(9) == "agent_loop: HARN-RMD-007: too many reminder providers enabled: 9 (max 8)"


@pytest.mark.parametrize(("provider", "model"), [("openai", "gpt-4o"), ("mock", "claude-sonnet-4-6")])
def test_each_provider_has_a_model(provider, model):
    assert default_model(provider) == model


@pytest.mark.parametrize(
    ("text", "event"),
    [("post_step", "PostStep"), (" PostStep ", "PostStep"), ("poststep", None), ("session_idle", None)],
)
def test_events_have_two_spellings(text, event):
    assert event_named(text, PERSONA_EVENTS) == event
