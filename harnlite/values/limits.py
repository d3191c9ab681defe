"""The limits of one call of a builtin: the name, default, least value and meaning of each setting."""

from __future__ import annotations

from harnlite.values.interrupts import current

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE: tuple[tuple[str, int, int, str], ...] = (
    ("max_items", 100_000_000, 1_000_000, "items of a string, bytes, list or set"),
    ("max_value_bytes", 1_073_741_824, 1_000_000, "bytes of memory that one call may use for its result, estimated"),
    ("yaml_depth", 1_000, 1, "levels of nesting in a YAML document"),
    ("yaml_alias_values", 1_000_000, 0, "values that the aliases of a YAML document repeat"),
    ("toml_values", 1_000_000, 1, "values in a TOML document that is written, shared ones counted repeatedly"),
    ("glob_length", 10_000, 1, "characters of a glob"),
    ("query_length", 100_000, 1, "characters of a jq query"),
    ("query_steps", 3_000_000, 1, "results of all parts of a jq query"),
    ("schema_errors", 100_000, 1, "errors that the check of one value reports"),
    ("schema_cycles", 100_000, 1, "references to themselves that the check of one value meets"),
    ("regex_length", 50_000, 1, "characters of a regular expression"),
    ("regex_milliseconds", 5_000, 1, "milliseconds that the search of one text may take"),
)
"""The rows are: name, default, least value, and what is limited. `max_items` and `max_value_bytes` bound memory."""

UNCHECKED = 1_000_000
"""A size up to this needs no look at the limits: none of those for sizes can be set below it."""


class Limits:
    """The limits of one run. A run has those of its context; code outside a run has the defaults."""

    __slots__ = tuple(name for name, _, _, _ in TABLE)

    max_items: int
    max_value_bytes: int
    yaml_depth: int
    yaml_alias_values: int
    toml_values: int
    glob_length: int
    query_length: int
    query_steps: int
    schema_errors: int
    schema_cycles: int
    regex_length: int
    regex_milliseconds: int

    def __init__(self, given: Mapping[str, int] | None = None) -> None:
        given = given or {}
        for name in given:
            if name not in self.__slots__:
                raise ValueError(f"unknown limit '{name}'; the limits are {', '.join(self.__slots__)}")
        for name, default, least, _ in TABLE:
            value = given.get(name, default)
            if value.__class__ is not int or value < least:
                raise ValueError(f"the limit '{name}' must be an int of at least {least}")
            setattr(self, name, value)


DEFAULTS = Limits()


def limits_here() -> Limits:
    """Return the limits of the run of this thread, or the defaults."""
    run = current()
    return DEFAULTS if run is None else run.limits


def beyond(name: str) -> str:
    """Return the end of an error text: which limit was reached, and how to raise it."""
    what = next(meaning for row, _, _, meaning in TABLE if row == name)
    value: int = getattr(limits_here(), name)
    return f"more than {value:,} {what}; {advice(name)}"


def advice(name: str) -> str:
    """Return how to raise a limit."""
    return f"raise the limit with --limit {name}=N"
