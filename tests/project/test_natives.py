"""Each builtin is declared once and implemented once, and what is generated from both is up to date."""

from pathlib import Path

import pytest

from harnlite.analysis.digest import load_declarations
from harnlite.library import Natives, index
from harnlite.library.indexing import index_text

ENTRIES = load_declarations().entries
VARARGS = 4


def test_each_declared_builtin_is_implemented_and_each_implemented_one_declared() -> None:
    assert sorted(index.INDEX) == sorted(ENTRIES)


def test_the_index_is_up_to_date() -> None:
    assert Path(index.__file__).read_text(encoding="utf-8") == index_text(), "run: make generate"


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_both_sides_take_the_same_arguments(name: str) -> None:
    params = ENTRIES[name][0]
    code = Natives()(name).__code__
    own = code.co_argcount - (code.co_varnames[:1] == ("run",))
    rest = any(param[3] for param in params)
    assert rest == bool(code.co_flags & VARARGS)
    assert own == len(params) - rest


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_everything_may_be_missing(name: str) -> None:
    function = Natives()(name)
    code = function.__code__
    own = code.co_argcount - (code.co_varnames[:1] == ("run",))
    assert len(function.__defaults__ or ()) >= own
