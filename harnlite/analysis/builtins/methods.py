"""The methods of the built-in types: names, parameters where a wrong type is a mistake, results that are certain."""

from __future__ import annotations

from harnlite.analysis.types.nominal import ParamInfo, Signature
from harnlite.analysis.types.representation import BOOL, CLOSURE, DICT, INT, ITER, LIST, NIL, SET, STRING, Type

_LIST = """
count -> int; empty -> bool; map(f: closure) -> list; filter(f: closure) -> list; reduce(init, f: closure)
find(f: closure); any(f: closure) -> bool; all(f: closure) -> bool; every(f: closure) -> bool
none(f: closure) -> bool
flat_map(f: closure) -> list; sort -> list; sort_by(f: closure) -> list; reverse -> list; join(separator) -> string
contains(item) -> bool; index_of(item) -> int; find_index(f: closure) -> int; enumerate -> list
zip(other: list) -> list
slice(start: int, end: int) -> list; unique -> list; take(n: int) -> list; skip(n: int) -> list; sum; min; max
min_by(f: closure); max_by(f: closure); flatten -> list; push(item) -> list; pop -> list; first(n: int); last(n: int)
partition(f: closure) -> list; group_by(f: closure) -> dict; chunk(size: int) -> list; each_slice(size: int) -> list
window(size: int, step: int) -> list; each_cons(size: int, step: int) -> list
sliding_window(size: int, step: int) -> list; compact -> list; tally -> dict; iter -> iter
"""
_STRING = """
count -> int; len -> int; empty -> bool; contains(part) -> bool; replace(old, new); split(separator) -> list
trim -> string; trim_start -> string; trim_end -> string; starts_with(part) -> bool; ends_with(part) -> bool
lowercase -> string; lower -> string; to_lower -> string; uppercase -> string; upper -> string; to_upper -> string
substring(start: int, end: int) -> string; index_of(part) -> int; last_index_of(part) -> int; chars -> list
char_at(index: int); repeat(n: int) -> string; reverse -> string; pad_left(width: int, fill) -> string
pad_right(width: int, fill) -> string; lines -> list; iter -> iter
"""
_DICT = """
keys -> list; values -> list; entries -> list; count -> int; has(key) -> bool; merge(other: dict) -> dict
map_values(f: closure) -> dict; rekey(f: closure) -> dict; map_keys(f: closure) -> dict; filter(f: closure) -> dict
remove(key) -> dict; get(key, default); iter -> iter
"""
_SET = """
count -> int; len -> int; empty -> bool; contains(item) -> bool; add(item) -> set; remove(item) -> set
delete(item) -> set; union(other: set) -> set; intersect(other: set) -> set; intersection(other: set) -> set
difference(other: set) -> set; symmetric_difference(other: set) -> set; is_subset(other: set) -> bool
is_superset(other: set) -> bool; is_disjoint(other: set) -> bool; to_list -> list; map(f: closure) -> set
filter(f: closure) -> set; any(f: closure) -> bool; all(f: closure) -> bool; every(f: closure) -> bool; iter -> iter
"""
_ITER = """
map(f: closure) -> iter; filter(f: closure) -> iter; flat_map(f: closure) -> iter; take(n: int) -> iter
skip(n: int) -> iter; take_while(f: closure) -> iter; skip_while(f: closure) -> iter; zip(other) -> iter
enumerate -> iter; chain(other) -> iter; chunks(n: int) -> iter; windows(n: int) -> iter; to_list -> list; to_set -> set
to_dict -> dict; count -> int; sum; min; max; reduce(init, f: closure); first; last; any(f: closure) -> bool
all(f: closure) -> bool; find(f: closure); for_each(f: closure) -> nil; iter -> iter
"""
_RANGE = "len -> int; count -> int; empty -> bool; contains(item) -> bool; first; last; to_string -> string"
_GENERATOR = "next -> dict; iter -> iter"

_KINDS: dict[str, Type] = {
    "int": INT,
    "string": STRING,
    "bool": BOOL,
    "nil": NIL,
    "closure": CLOSURE,
    "list": LIST,
    "dict": DICT,
    "set": SET,
    "iter": ITER,
}


def _entry(words: str) -> Signature:
    head, _, result = words.partition(" -> ")
    name, _, rest = head.strip().rstrip(")").partition("(")
    params = []
    for param in rest.split(", ") if rest else ():
        label, _, kind = param.partition(": ")
        params.append(ParamInfo(label, _KINDS.get(kind), 0, 0, optional=True))
    made = Signature(name, params, _KINDS.get(result.strip()))
    made.builtin = True
    return made


def _table(words: str) -> dict[str, Signature]:
    entries = (_entry(one) for one in words.replace("\n", ";").split(";") if one.strip())
    return {entry.name: entry for entry in entries}


_ITER_METHODS = _table(_ITER)
_GENERATOR_METHODS = _table(_GENERATOR)
METHODS: dict[str, dict[str, Signature]] = {
    "list": _table(_LIST),
    "string": _table(_STRING),
    "dict": _table(_DICT),
    "set": _table(_SET),
    "iter": _ITER_METHODS,
    "range": {**_ITER_METHODS, **_table(_RANGE)},
    "Generator": _GENERATOR_METHODS,
    "Stream": _GENERATOR_METHODS,
    "int": {},
    "float": {},
    "bool": {},
    "bytes": {},
}
PROPERTIES: dict[str, dict[str, Type | None]] = {
    "list": {"count": INT, "empty": BOOL, "first": None, "last": None},
    "string": {"count": INT, "empty": BOOL},
    "pair": {"first": None, "second": None},
}
