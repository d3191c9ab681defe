"""The values in the tables of options are those that the code distinguishes."""

import pytest

from harnlite.agent.compaction import compaction_settings
from harnlite.agent.loop.state import iteration_budget, judge_settings, loop_options
from harnlite.agent.skills import catalog
from harnlite.agent.tools import policy
from harnlite.llm import options, structured_calls, thinking, tool_definitions, tool_search
from harnlite.options.defaults import names
from harnlite.options.expected import TABLES, options_in
from harnlite.reminders.enabled_providers import CANONICAL
from harnlite.reminders.hook_events import ALL_EVENTS
from harnlite.reminders.seams import MESSAGE_MODES, MODES, SEAMS
from harnlite.reminders.selector import Selector
from harnlite.reminders.spec import PROPAGATE, ROLE_HINTS, SOURCES, ReminderSpec
from harnlite.reminders.wire import PIPELINE
from harnlite.store import facts

VALUES = {
    "propagate": PROPAGATE,
    "role_hint": ROLE_HINTS,
    "source": SOURCES,
    "mode": MODES,
    "message_mode": MESSAGE_MODES,
    "seam": SEAMS,
    "event": ALL_EVENTS,
    "canonical_provider": CANONICAL,
    "provider_settings": CANONICAL,
    "profile": loop_options.PROFILES,
    "native_tool_fallback": loop_options.FALLBACKS,
    "budget_mode": iteration_budget.MODES,
    "rubric": judge_settings.RUBRICS,
    "on_veto": (judge_settings.REPLACE, judge_settings.APPEND),
    "compact_strategy": compaction_settings.STRATEGIES,
    "side_effect_level": policy.LEVELS,
    "policy": policy._KINDS,
    "executor": tool_definitions.EXECUTORS,
    "search_variant": tool_search.VARIANTS,
    "reasoning_effort": thinking._LEVELS,
    "thinking_mode": (*thinking._ON, *thinking._OFF, thinking._ADAPTIVE, *thinking._EFFORTS),
    "fact_kind": facts.KINDS,
    "reminder": PIPELINE.readers,
    "selector": Selector.__slots__,
}


@pytest.mark.parametrize("name", VALUES)
def test_a_table_has_the_values_of_the_code(name):
    assert set(names(TABLES[name])) == set(VALUES[name])


@pytest.mark.parametrize(
    ("table", "key", "values"),
    [
        ("thinking", "mode", thinking._MODES),
        ("tool_search", "mode", tool_search.MODES),
        ("model_call", "response_format", options._RESPONSE_FORMATS),
        ("evidence", "kind", facts.EVIDENCE_KINDS),
        ("cadence", "when", (judge_settings.ALWAYS, judge_settings.STALLED)),
    ],
)
def test_an_option_has_the_values_of_the_code(table, key, values):
    assert set(options_in(table)[key].choices) == set(values)


def test_the_types_of_options_that_throw():
    loop = options_in("loop")
    assert all(loop[key].kinds == {"closure"} for key in loop_options.CLOSURES)
    assert all(loop[key].kinds == {"dict"} for key in loop_options.RULES)
    assert all(loop[key].kinds == {"bool", "dict"} for key in loop_options.DICTS_OR_BOOLS)
    kinds = {key: kind.split()[1] for key, kind in policy._KINDS.items()}
    assert kinds == {key: option.type.partition("<")[0] for key, option in options_in("policy").items()}
    skill = options_in("skill")
    assert all(skill[key].kinds == {"string"} for key in catalog._STRINGS)
    assert all(skill[key].kinds == {"list"} for key in catalog._LISTS)


def test_options_that_are_passed_on_are_declared():
    assert options._PASSED_ON | set(judge_settings._MODEL_KEYS) <= options_in("model_call").keys()
    assert set(judge_settings._MODEL_KEYS) <= options_in("judge").keys()
    assert set(judge_settings._MODEL_KEYS) <= options_in("step_judge").keys()
    assert structured_calls._DEFAULTS["schema_retries"] == 3


def test_a_reminder_has_the_declared_defaults():
    spec, known = ReminderSpec(id="r", body="b"), options_in("reminder")
    assert (spec.propagate, spec.role_hint) == (known["propagate"].default, known["role_hint"].default)
    assert spec.preserve_on_compact is known["preserve_on_compact"].default
    assert (spec.source, spec.fired_at_turn) == tuple(
        options_in("reminder_event")[key].default for key in ("source", "fired_at_turn")
    )
