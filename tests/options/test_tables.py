"""The tables of options: their form, and their agreement with the documentation of builtins and with docs/agent.md."""

import re
from pathlib import Path

import pytest

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.diagnostics.source import Source
from harnlite.docs.builtins import exported_functions
from harnlite.docs.options import agent_page
from harnlite.options.defaults import defaults, names
from harnlite.options.expected import TABLES, Expected, expected_at, expected_result, options_in, places, returned
from harnlite.resources import module_file, std_modules

_OPTIONS = re.compile(r"\b(?:Options?|Selector|Fields):\s((?:[^.(]|\([^()]*\)|\.(?!\s|\Z))*)")
_ASIDE = re.compile(r"\([^()]*\)|those of `\w+`")
_WORD = re.compile(r"`([a-z][a-z0-9_]*)`")
_GROUPS = frozenset({"options", "config", "selector", "opts"})
DECLARATIONS = load_declarations()
TOLD = {name: found[1] for name, entry in DECLARATIONS.entries.items() if (found := _OPTIONS.search(entry[4]))}
MODULES = [
    Path(file).read_text(encoding="utf-8")
    for path in std_modules()
    if (file := module_file(path.removeprefix("std/"))) is not None
]
OF_STD = {
    head.partition("(")[0]: found[1]
    for text in MODULES
    for head, doc in exported_functions(Source(text, "std"))
    if (found := _OPTIONS.search(" ".join(doc.split())))
}
OF_VALUES = {name for name, table in TABLES.items() if "; " not in table}


def inside(option: Expected):
    """Yield an option and all options in it."""
    yield option
    for one in (*option.keys.values(), *([option.items] if option.items is not None else [])):
        yield from inside(one)


def test_tables_are_tables_of_options_or_of_values():
    assert len(OF_VALUES) > 20
    assert len(TABLES) - len(OF_VALUES) > 40


@pytest.mark.parametrize("name", sorted(TABLES))
def test_a_table_names_each_thing_once(name):
    assert len(set(names(TABLES[name]))) == len(names(TABLES[name])) > 0


@pytest.mark.parametrize("name", sorted(TABLES.keys() - OF_VALUES))
def test_each_option_has_a_type_and_a_sentence(name):
    for key, option in options_in(name).items():
        assert key.isidentifier(), key
        assert option.type, key
        assert option.meaning.endswith("."), key
        assert option.meaning[0].isupper() or option.meaning[0] == "`", key


@pytest.mark.parametrize("name", sorted(TABLES.keys() - OF_VALUES))
def test_each_default_has_the_type_of_its_option(name):
    kinds = {int: {"int", "float"}, float: {"float"}, bool: {"bool"}, str: {"string"}}
    for key, default in defaults(TABLES[name]).items():
        option = options_in(name)[key]
        for value in default if isinstance(default, tuple) else (default,):
            assert not option.kinds or option.kinds & kinds[type(value)], key
            assert option.minimum is None or value >= option.minimum, key
            assert not option.choices or option.is_open or not isinstance(value, str) or value in option.choices, key


@pytest.mark.parametrize("place", sorted(places()))
def test_each_place_has_options_or_values(place):
    expected = expected_at(*place)
    assert expected.keys or expected.choices
    assert all(one.type for option in expected.keys.values() for one in inside(option))


def test_each_result_has_keys():
    assert all(expected_result(*place).keys for place in returned())


def test_every_table_is_in_use():
    used = {name for block in (*TABLES.values(), *places().values(), *returned().values()) for name in mentioned(block)}
    assert set(TABLES) - used == {"event"}


def mentioned(block: str):
    yield from re.findall(r"^\+ (\w+)$", block, re.MULTILINE)
    yield from re.findall(r"(?:dict|string)<(\w+)>", block)
    if "listed_provider" in block:
        yield "canonical_provider"


def test_only_functions_that_exist_have_options():
    functions = {*DECLARATIONS.entries, *re.findall(r"^(?:pub )?fn (\w+)", "\n".join(MODULES), re.MULTILINE)}
    assert not {name for name, _ in (*places(), *returned())} - functions


@pytest.mark.parametrize("name", sorted(TOLD))
def test_each_option_that_a_builtin_documents_is_known(name):
    index = next(i for i, param in enumerate(DECLARATIONS.entries[name][0]) if param[0] in _GROUPS)
    known = expected_at(name, index).keys
    inner = {key for one in known.values() for key in one.keys}
    assert set(_WORD.findall(_ASIDE.sub("", TOLD[name]))) <= known.keys() | inner


@pytest.mark.parametrize("name", sorted(OF_STD))
def test_each_option_that_a_std_module_documents_is_known(name):
    known = {key: option for place in places() if place[0] == name for key, option in expected_at(*place).keys.items()}
    inner = {key for one in known.values() for key in one.keys}
    assert set(_WORD.findall(_ASIDE.sub("", OF_STD[name]))) <= known.keys() | inner


@pytest.mark.parametrize("place", sorted(place for place in places() if place[0] in DECLARATIONS.entries))
def test_each_key_with_a_colon_in_the_words_about_a_builtin_is_known(place):
    prose = DECLARATIONS.entries[place[0]][4].partition("Errors: ")[0].replace("`error: ", "")
    known = {key for one in inside(expected_at(*place)) for key in one.keys}
    assert set(re.findall(r"`([a-z_]+): ", prose)) <= known


@pytest.mark.parametrize("place", sorted(places()))
def test_each_option_that_a_std_module_reads_is_known(place):
    function, index = place
    known = expected_at(*place).keys
    for text in MODULES:
        found = re.search(rf"^(?:pub )?fn {function}\(([^)]*)\) \{{\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
        params = [param.split(" = ")[0] for param in found[1].split(", ")] if found is not None else []
        if len(params) > index and params[index] in {"options", "opts"} and function not in DECLARATIONS.entries:
            read = re.findall(rf"\b{params[index]}\??\.([a-z_]+)(?: \?\? (\"[^\"]*\"|[\d.]+|true|false))?", found[2])
            assert {key for key, _ in read} <= known.keys()
            for key, default in read:
                assert not default or "\\" in default or known[key].shown_default == default.strip('"'), key


def test_the_page_about_agents_is_up_to_date():
    text = (Path(__file__).parents[2] / "docs" / "agent.md").read_text(encoding="utf-8")
    assert text.count("<!-- options: ") == text.count("<!-- end of options -->") > 5
    assert agent_page(text) == text, "run: make generate"
