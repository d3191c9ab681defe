"""The limits of a run, and the texts of errors that name a limit."""

from __future__ import annotations

from harnlite.capabilities.limit_table import MEMORY, NAMES, TABLE, checked_limit
from harnlite.values.interrupts import current

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.values.memory import MemoryGauge

UNCHECKED = 1_000_000
"""A size up to this needs no look at the limits: none of those for sizes can be set below it."""


class Limits:
    """The limits of one run. A run has those of its context; code outside a run has the defaults.

    `given` holds those that are not defaults; `gauge` measures the memory of the run if that is limited.
    """

    __slots__ = (*NAMES, "gauge", "given")

    max_items: int
    max_value_bytes: int
    max_memory: int | None
    output_bytes: int | None
    processes: int
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

    def __init__(self, given: Mapping[str, object] | None = None, *, gauge: MemoryGauge | None = None) -> None:
        self.given = {name: checked_limit(name, value) for name, value in (given or {}).items()}
        self.gauge = gauge
        for name, default, _, _ in TABLE:
            setattr(self, name, self.given.get(name, default))


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
    option = "--max-memory SIZE" if name == MEMORY else f"--limit {name}=N"
    return f"raise the limit with {option}"


def limit_text(name: str) -> str:
    """Return the text of the error of a run that has reached one of its limits."""
    return f"Error [budget_exceeded]: {beyond(name)}"


FEW = 16
"""The size up to which it costs less to copy a container than to remember that it has no other reference."""
