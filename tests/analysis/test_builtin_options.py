"""What is known of the options of builtins, compared with what is written about them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.builtins.option_shapes import Expected, expected_at
from harnlite.analysis.builtins.options import blocks
from harnlite.analysis.builtins.result_shapes import GIVEN, RESULTS, given_to, result_of
from harnlite.analysis.types.representation import Parameter, Shape, Type
from harnlite.resources import module_file, std_modules

_OPTIONS = re.compile(r"\b(?:Options?|Selector|Fields):\s((?:[^.(]|\([^()]*\)|\.(?!\s|\Z))*)")
_ASIDE = re.compile(r"\([^()]*\)|those of `\w+`")
_WORD = re.compile(r"`([a-z][a-z0-9_]*)`")
_GROUPS = frozenset({"options", "config", "selector", "opts"})
DECLARATIONS = load_declarations()
TOLD = {name: found[1] for name, entry in DECLARATIONS.entries.items() if (found := _OPTIONS.search(entry[4]))}


@pytest.mark.parametrize("name", sorted(TOLD))
def test_each_option_that_a_builtin_documents_is_known(name):
    index = next(i for i, param in enumerate(DECLARATIONS.entries[name][0]) if param[0] in _GROUPS)
    known = expected_at(name, index).keys
    inner = {key for one in known.values() for key in one.keys}
    assert set(_WORD.findall(_ASIDE.sub("", TOLD[name]))) <= known.keys() | inner


def functions() -> set[str]:
    files = [module_file(path.removeprefix("std/")) for path in std_modules()]
    texts = [Path(file).read_text(encoding="utf-8") for file in files if file is not None]
    return {*DECLARATIONS.entries, *re.findall(r"^pub fn (\w+)", "\n".join(texts), re.MULTILINE)}


def test_only_what_exists_has_options():
    named = {name for name, _ in blocks()} | {name.split()[0] for name in (*RESULTS, *GIVEN)}
    assert not named - functions()


@pytest.mark.parametrize("place", sorted(blocks()))
def test_each_line_says_a_type_and_a_meaning(place):
    def look(said: Expected) -> None:
        for key, inner in said.keys.items():
            kind, mark, meaning = said.texts[key].partition("; ")
            assert kind, key
            assert mark, key
            assert meaning, key
            look(inner)
            look(inner.items or Expected())

    look(expected_at(*place))


def shapes(kind: Type | None) -> list[Type | None]:
    inner = [field.type for field in kind.fields.values()] if isinstance(kind, Shape) else [*getattr(kind, "args", ())]
    return [kind, *(one for part in inner for one in shapes(part))]


@pytest.mark.parametrize("name", [*RESULTS, *GIVEN])
def test_what_builtins_give_is_made_of_known_types(name):
    function, _, place = name.partition(" ")
    given = [result_of(name)] if name in RESULTS else given_to(function, place)
    assert given
    assert not [one for kind in given for one in shapes(kind) if one is None or isinstance(one, Parameter)]
