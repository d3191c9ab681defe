"""Builtins for queries in a subset of the jq language."""

from __future__ import annotations

from harnlite.formats.queries.parser import parse_query
from harnlite.formats.queries.scanner import QueryError
from harnlite.library.native import MISSING, native
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.formats.queries.evaluation import Query


def _query(caller: str, text: object) -> Query:
    if text is MISSING:
        raise thrown(f"{caller} requires 2 arguments")
    try:
        return parse_query(display(text))
    except QueryError as error:
        raise thrown(f"jq: {error}") from None


@native("jq")
def jq(value: object = None, query: object = MISSING) -> list[object]:
    """Return all results of a query."""
    return _query("jq", query)(value)


@native("jq_first")
def jq_first(value: object = None, query: object = MISSING) -> object:
    """Return the first result of a query, or nil."""
    results = _query("jq_first", query)(value)
    return results[0] if results else None
