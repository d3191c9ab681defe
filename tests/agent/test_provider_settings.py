"""The option `reminders`: each key and setting refuses values of the wrong type, and each misspelt name is an error."""

import pytest

from harnlite.agent.reminder_providers.evaluation import enabled_of
from harnlite.agent.reminder_providers.settings import wrong_id, wrong_setting
from harnlite.host.engine import Engine
from harnlite.options.expected import options_in
from harnlite.reminders.enabled_providers import CANONICAL
from harnlite.values.data_types import type_name
from harnlite.values.errors import ScriptError

VALUES = [5, 1.5, True, "text", ["text"], [5], {"key": 1}]
SETTINGS = [
    (owner, key, one) for owner, table in options_in("provider_settings").items() for key, one in table.keys.items()
]


@pytest.fixture
def run():
    return Engine().execution()


def refusal(run, reminders):
    try:
        enabled_of(run, {"reminders": reminders})
    except ScriptError as error:
        return error.value
    return None


def accepts(option, value):
    kind = type_name(value)
    if kind == "string" and option.choices and not option.is_open:
        return value in option.choices
    if kind == "list" and option.items is not None and option.items.kinds:
        return kind in option.kinds and all(type_name(item) in option.items.kinds for item in value)
    return kind in option.kinds or (kind == "int" and "float" in option.kinds)


def test_every_canonical_provider_has_a_row():
    assert options_in("provider_settings").keys() == CANONICAL.keys()
    assert len(SETTINGS) > 12


@pytest.mark.parametrize(("owner", "key", "option"), SETTINGS)
@pytest.mark.parametrize("path", ["reminders.config.", "reminders."])
def test_a_setting_refuses_each_wrong_type_and_names_its_place(run, owner, key, option, path):
    silent = []
    for value in VALUES:
        given = {owner: {key: value}}
        found = refusal(run, {"config": given} if "config" in path else given)
        is_told = found is not None and found.startswith(f"agent_loop: `{path}{owner}.{key}")
        if is_told is accepts(option, value):
            silent.append((value, found))
    assert not silent


@pytest.mark.parametrize(("owner", "key", "option"), SETTINGS)
def test_a_misspelt_setting_is_an_error(run, owner, key, option):
    assert refusal(run, {"config": {owner: {key: None}}}) is None
    found = refusal(run, {"config": {owner: {key[:-1] + "_": 1}}})
    assert found.startswith(f"agent_loop: unknown key `reminders.config.{owner}.{key[:-1]}_`; did you mean `"), found


@pytest.mark.parametrize("owner", CANONICAL)
def test_a_provider_has_no_other_settings_than_those_of_its_table(run, owner):
    found = refusal(run, {owner: {"thresholds": [1]}})
    assert found.startswith(f"agent_loop: unknown key `reminders.{owner}.thresholds`; ")
    assert refusal(run, {owner: 5}) == f"agent_loop: `reminders.{owner}` must be dict, got int"


@pytest.mark.parametrize("owner", CANONICAL)
def test_a_misspelt_id_is_an_error_wherever_it_is_named(run, owner):
    wrong = owner[1:]
    for reminders in ([f"-{wrong}"], [wrong], {"providers": [f" - {wrong} "]}, {"config": {wrong: {}}}, {wrong: {}}):
        found = refusal(run, reminders)
        assert found is not None, reminders
        assert found.endswith(f"; did you mean `{owner}`?")


@pytest.mark.parametrize("key", options_in("enabled_providers"))
def test_a_misspelt_key_is_an_error(run, key):
    assert refusal(run, {key + "x": None}) == f"agent_loop: unknown key `reminders.{key}x`; did you mean `{key}`?"


def test_the_ids_of_the_script_are_known():
    known = [*CANONICAL, "mine"]
    assert wrong_id(["-mine", " mine ", "", " - "], known) is None
    assert wrong_setting({"config": {"mine": 5}, "mine": {"a": 1}}, known, ()) is None
    assert wrong_setting({"idle_nudge": {"after": 1}}, known, {"idle_nudge"}) is None
    assert wrong_id(["-mime"], known) == "unknown reminder provider `mime`; did you mean `mine`?"
