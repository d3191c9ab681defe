"""The tables of harn.toml: every key, spelled wrong or with a value of the wrong type, is a fault with its place."""

import tomllib

import pytest

from harnlite.analysis.linting.configuration_files import ConfigurationError, read_project_file
from harnlite.host.engine import Engine
from harnlite.options import manifest
from harnlite.options.manifest import SECTIONS, manifest_fault, place_of
from harnlite.options.validation import rows

KEYS = [(section, key) for section, table in SECTIONS.items() for key in rows(table, vars(manifest))]
VALUES = {"string": '"text"', "list": "[]", "dict": "{}"}


def header(section):
    return "[[hooks]]" if section == "hooks" else f"[{section}]"


def fault(text):
    found = manifest_fault(tomllib.loads(text))
    return None if found is None else (place_of(text, found.path), found.message)


@pytest.mark.parametrize(("section", "key"), KEYS)
def test_a_misspelt_key_is_a_fault(section, key):
    text = f"# comment\n{header(section)}\n  x{key} = 1\n"
    assert fault(text) == ((3, 3), f"unknown key '{section}.x{key}'; did you mean '{section}.{key}'?")


@pytest.mark.parametrize(("section", "key"), KEYS)
def test_a_key_refuses_each_wrong_type(section, key):
    row = rows(SECTIONS[section], vars(manifest))[key]
    for kind, value in {**VALUES, "int": "5", "float": "1.5", "bool": "true", "datetime": "2020-01-01"}.items():
        found = fault(f"{header(section)}\n{key} = {value}\n")
        if kind in row.kinds:
            assert found is None, (kind, found)
        else:
            assert found is not None, kind
            assert found[0] == (2, 1)
            assert found[1].startswith(f"{section}.{key} must be a ")


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("[llm]\nprovidrs = {}\n", (2, 1), "unknown key 'llm.providrs'; did you mean 'llm.providers'?"),
        ("llm.providrs = {}\n", (1, 1), "unknown key 'llm.providrs'; did you mean 'llm.providers'?"),
        ("[llm.aliasses.a]\nid = 'x'\n", (1, 1), "unknown key 'llm.aliasses'; did you mean 'llm.aliases'?"),
        (
            "[[llm.tier_rules]]\npatern = 'x'\n",
            (2, 1),
            "unknown key 'llm.tier_rules.patern'; did you mean 'llm.tier_rules.pattern'?",
        ),
        (
            "[[hooks]]\nevent = 'a'\n[[hooks]]\nevnt = 'a'\n",
            (4, 1),
            "unknown key 'hooks.evnt'; did you mean 'hooks.event'?",
        ),
        ("[hooks]\nevent = 'a'\n", (1, 1), "hooks must be an array of tables, each written as [[hooks]]"),
        ("[skills]\npaths = [1]\n", (2, 1), "skills.paths must be a list of strings"),
        ("skills = 5\n", (1, 1), "skills must be a table"),
    ],
)
def test_places_and_messages(text, place, message):
    assert fault(text) == (place, message)


def test_the_configuration_names_the_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "harn.toml").write_text("[package]\nnme = 'x'\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"^harn.toml:2:1: unknown key 'package.nme'; did you mean"):
        read_project_file(str(tmp_path / "harn.toml"))
    (tmp_path / "pyproject.toml").write_text("[tool.harnlite.skills]\npath = []\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"^pyproject.toml:2:1: \[tool.harnlite\]: unknown key 'skills.path'"):
        read_project_file(str(tmp_path / "pyproject.toml"))


@pytest.mark.parametrize(
    "table", ["[llm]\ndefault_providr = 'mock'\n", "[skills]\npath = []\n", "[package]\nnme = 1\n"]
)
def test_a_run_that_reads_the_file_refuses_it(tmp_path, monkeypatch, table):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "harn.toml").write_text(table, encoding="utf-8")
    program = tmp_path / "main.harn"
    program.write_text('llm_call("x", nil, {provider: "mock"})\n', encoding="utf-8")
    result = Engine(cache=False).run(program)
    assert "harn.toml:2:1: unknown key" in result.error
