"""Each builtin is declared once and implemented once, and the files generated from both are up to date."""

from pathlib import Path
from types import CodeType

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.library import Natives, entries, index
from harnlite.library.indexing import index_text

ENTRIES = load_declarations().entries
VARARGS = 4


def test_each_declared_builtin_is_implemented_and_each_implemented_one_declared() -> None:
    assert sorted(entries()) == sorted(ENTRIES)


def test_the_index_is_up_to_date() -> None:
    assert Path(index.__file__).read_text(encoding="utf-8") == index_text(), "run: make generate"


def own_arguments(code: CodeType) -> int:
    """Return how many arguments of the script an implementation takes, without the run and the rest."""
    return code.co_argcount - (code.co_varnames[:1] == ("run",))


def takes_what_is_declared(name: str) -> bool:
    params = ENTRIES[name][0]
    code = Natives()(name).__code__
    has_rest = any(param[3] for param in params)
    return has_rest == bool(code.co_flags & VARARGS) and own_arguments(code) == len(params) - has_rest


def may_miss_everything(name: str) -> bool:
    function = Natives()(name)
    return len(function.__defaults__ or ()) >= own_arguments(function.__code__)


def test_both_sides_take_the_same_arguments() -> None:
    assert [name for name in ENTRIES if not takes_what_is_declared(name)] == []


def test_everything_may_be_missing() -> None:
    assert [name for name in ENTRIES if not may_miss_everything(name)] == []
