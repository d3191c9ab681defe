"""The types of the results of builtins, and of the arguments that they pass to closures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.builtins.result_shapes import GIVEN, RESULTS, given_to, result_of
from harnlite.analysis.types.representation import Parameter, Shape, Type
from harnlite.resources import module_file, std_modules


def functions() -> set[str]:
    files = [module_file(path.removeprefix("std/")) for path in std_modules()]
    texts = [Path(file).read_text(encoding="utf-8") for file in files if file is not None]
    return {*load_declarations().entries, *re.findall(r"^pub fn (\w+)", "\n".join(texts), re.MULTILINE)}


def test_only_functions_that_exist_have_results():
    assert not {name.split()[0] for name in (*RESULTS, *GIVEN)} - functions()


def shapes(kind: Type | None) -> list[Type | None]:
    inner = [field.type for field in kind.fields.values()] if isinstance(kind, Shape) else [*getattr(kind, "args", ())]
    return [kind, *(one for part in inner for one in shapes(part))]


@pytest.mark.parametrize("name", [*RESULTS, *GIVEN])
def test_what_builtins_give_is_made_of_known_types(name):
    function, _, place = name.partition(" ")
    given = [result_of(name)] if name in RESULTS else given_to(function, place)
    assert given
    assert not [one for kind in given for one in shapes(kind) if one is None or isinstance(one, Parameter)]
