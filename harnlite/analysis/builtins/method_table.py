"""The methods of the built-in types: one row for each method of each type.

The runtime has the functions; everything else that is known about a method is computed from these rows.

A row has up to three columns:

1. The name, the parameters and the result. A parameter has a type only if an argument of another type is a mistake.
   `closure` means that the method calls the argument with an item or a value last, `closure on keys` with a key.
   The result is missing if it depends on the arguments or the items. Some methods that take a closure return nil
   if the closure is missing, whatever the row says.
2. What the result holds: `Self` is the type of the receiver, `item` the type of its items (or of the values of a
   dict), `mapped` the result of the closure.
3. Traits:
   `pure`: the call only computes a value;
   `looks`: the method does not keep the receiver and does not return it (only for types that can change in place);
   `complete`: the method returns nil if an argument is missing.
"""

from __future__ import annotations

_LIST = """
count -> int                                    |                      | pure looks
empty -> bool                                   |                      | pure looks
map(f: closure) -> list                         | Self<mapped>
filter(f: closure) -> list                      | Self
reduce(init, f: closure)
find(f: closure)                                | item?                | looks
any(f: closure) -> bool                         |                      | looks
all(f: closure) -> bool                         |                      | looks
every(f: closure) -> bool                       |                      | looks
none(f: closure) -> bool                        |                      | looks
flat_map(f: closure) -> list                    | Self<item of mapped>
sort -> list                                    | Self                 | pure
sort_by(f: closure) -> list                     | Self
reverse -> list                                 | Self                 | pure
join(separator) -> string                       |                      | pure looks
contains(item) -> bool                          |                      | pure looks
index_of(item) -> int                           |                      | pure looks
find_index(f: closure) -> int                   |                      | looks
enumerate -> list                               | list<{index, value}> | pure
zip(other: list) -> list                        |                      | pure
slice(start: int, end: int) -> list             | Self                 | pure
unique -> list                                  | Self                 | pure
take(n: int) -> list                            | Self                 | pure
skip(n: int) -> list                            | Self                 | pure
sum                                             |                      | pure looks
min                                             | item?                | pure looks
max                                             | item?                | pure looks
min_by(f: closure)                              | item?
max_by(f: closure)                              | item?
flatten -> list                                 |                      | pure
push(item) -> list                              |                      | pure
pop -> list                                     | Self                 | pure
first(n: int)                                   | item? or Self        | pure looks
last(n: int)                                    | item? or Self        | pure looks
partition(f: closure) -> list                   | list<Self>
group_by(f: closure) -> dict                    | dict<Self>
chunk(size: int) -> list                        | list<Self>           | pure
each_slice(size: int) -> list                   | list<Self>           | pure
window(size: int, step: int) -> list            | list<Self>           | pure
each_cons(size: int, step: int) -> list         | list<Self>           | pure
sliding_window(size: int, step: int) -> list    | list<Self>           | pure
compact -> list                                 | Self                 | pure
tally -> dict                                   |                      | pure
iter -> iter
"""
_STRING = """
count -> int                                    |                      | pure
len -> int                                      |                      | pure
empty -> bool                                   |                      | pure
contains(part) -> bool                          |                      | pure
replace(old, new) -> string                     |                      | pure complete
split(separator) -> list                        | list<string>         | pure
trim -> string                                  |                      | pure
trim_start -> string                            |                      | pure
trim_end -> string                              |                      | pure
starts_with(part) -> bool                       |                      | pure
ends_with(part) -> bool                         |                      | pure
lowercase -> string                             |                      | pure
lower -> string                                 |                      | pure
to_lower -> string                              |                      | pure
uppercase -> string                             |                      | pure
upper -> string                                 |                      | pure
to_upper -> string                              |                      | pure
substring(start: int, end: int) -> string       |                      | pure
index_of(part) -> int                           |                      | pure
last_index_of(part) -> int                      |                      | pure
chars -> list                                   | list<string>         | pure
char_at(index: int)                             |                      | pure
repeat(n: int) -> string                        |                      | pure
reverse -> string                               |                      | pure
pad_left(width: int, fill) -> string            |                      | pure
pad_right(width: int, fill) -> string           |                      | pure
lines -> list                                   | list<string>         | pure
iter -> iter
"""
_DICT = """
keys -> list                                    | list<string>         | pure looks
values -> list                                  | list<item>           | pure looks
entries -> list                                 | list<{key, value}>   | pure looks
count -> int                                    |                      | pure looks
has(key) -> bool                                |                      | pure looks
merge(other: dict) -> dict                      |                      | pure
map_values(f: closure) -> dict                  | dict<mapped>
rekey(f: closure on keys) -> dict
map_keys(f: closure on keys) -> dict
filter(f: closure) -> dict                      | Self
remove(key) -> dict                             | Self                 | pure
get(key, default)                               |                      | pure looks
iter -> iter
"""
_SET = """
count -> int                                    |                      | pure looks
len -> int                                      |                      | pure looks
empty -> bool                                   |                      | pure looks
contains(item) -> bool                          |                      | pure looks
add(item) -> set                                |                      | pure
remove(item) -> set                             | Self                 | pure
delete(item) -> set                             | Self                 | pure
union(other: set) -> set                        |                      | pure
intersect(other: set) -> set                    | Self                 | pure
intersection(other: set) -> set                 | Self                 | pure
difference(other: set) -> set                   | Self                 | pure
symmetric_difference(other: set) -> set         |                      | pure
is_subset(other: set) -> bool                   |                      | pure
is_superset(other: set) -> bool                 |                      | pure
is_disjoint(other: set) -> bool                 |                      | pure
to_list -> list                                 | list<item>           | pure
map(f: closure) -> set                          | Self<mapped>
filter(f: closure) -> set                       | Self
any(f: closure) -> bool                         |                      | looks
all(f: closure) -> bool                         |                      | looks
every(f: closure) -> bool                       |                      | looks
iter -> iter
"""
_ITER = """
map(f: closure) -> iter                         | Self<mapped>
filter(f: closure) -> iter                      | Self
flat_map(f: closure) -> iter                    | Self<item of mapped>
take(n: int) -> iter                            | Self
skip(n: int) -> iter                            | Self
take_while(f: closure) -> iter                  | Self
skip_while(f: closure) -> iter                  | Self
zip(other) -> iter
enumerate -> iter
chain(other) -> iter
chunks(n: int) -> iter
windows(n: int) -> iter
to_list -> list                                 | list<item>
to_set -> set                                   | set<item>
to_dict -> dict
count -> int
sum
min
max
reduce(init, f: closure)
first                                           | item?
last                                            | item?
any(f: closure) -> bool
all(f: closure) -> bool
find(f: closure)                                | item?
for_each(f: closure) -> nil
iter -> iter                                    | Self
"""
_RANGE = """
len -> int
count -> int
empty -> bool
contains(item) -> bool
first
last
to_string -> string
"""
_GENERATOR = """
next -> dict
iter -> iter
"""


class Method:
    """One row of the table."""

    __slots__ = ("holds", "name", "params", "result", "traits")

    def __init__(self, row: str) -> None:
        head, holds, traits = (*(column.strip() for column in row.split("|")), "", "")[:3]
        words, _, result = head.partition(" -> ")
        name, _, params = words.rstrip(")").partition("(")
        self.name = name
        self.params: list[tuple[str, str]] = [_param(one) for one in params.split(", ")] if params else []
        self.result = result
        self.holds = holds
        self.traits = frozenset(traits.split())

    @property
    def calls(self) -> str:
        """Return the type of the closure that the method calls; an empty string if it calls none."""
        return next((kind for _, kind in self.params if kind.startswith(CLOSURE)), "")


def _param(text: str) -> tuple[str, str]:
    name, _, kind = text.partition(": ")
    return name, kind


def _rows(text: str) -> dict[str, Method]:
    rows = map(Method, text.strip().splitlines())
    return {row.name: row for row in rows}


PURE, LOOKS, COMPLETE = "pure", "looks", "complete"
CLOSURE, KEY_CLOSURE = "closure", "closure on keys"

_iter_rows = _rows(_ITER)
_generator_rows = _rows(_GENERATOR)
TABLE: dict[str, dict[str, Method]] = {
    "list": _rows(_LIST),
    "string": _rows(_STRING),
    "dict": _rows(_DICT),
    "set": _rows(_SET),
    "iter": _iter_rows,
    "range": {**_iter_rows, **_rows(_RANGE)},
    "Generator": _generator_rows,
    "Stream": _generator_rows,
}


def methods_with(trait: str, receiver: str) -> frozenset[str]:
    """Return the names of the methods of a type that have a trait."""
    return frozenset(name for name, row in TABLE[receiver].items() if trait in row.traits)


def calling_methods(receiver: str, kind: str = CLOSURE) -> frozenset[str]:
    """Return the names of the methods of a type that call a closure: any closure, or one of this kind."""
    return frozenset(name for name, row in TABLE[receiver].items() if row.calls.startswith(kind))
