"""The parser of queries."""

from __future__ import annotations

from harnlite.formats.queries import evaluation
from harnlite.formats.queries.scanner import QueryError, Scanner
from harnlite.values.limits import beyond, limits_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.formats.queries.evaluation import Query

_CONSTANTS = {"true": True, "false": False, "null": None, "nil": None}
_FUNCTIONS: dict[str, Query] = {
    "length": evaluation.length,
    "keys": evaluation.keys,
    "values": evaluation.values,
    "type": evaluation.kind,
}
_WITH_QUERY: dict[str, Callable[[Query, evaluation.Steps], Query]] = {
    "map": evaluation.mapping,
    "select": evaluation.selection,
}
_LOGIC = {"and": evaluation.conjunction, "or": evaluation.disjunction}
_COMPARISONS = ("==", "!=", "<", ">")


def parse_query(text: str) -> Query:
    """Return a query text as a function for one value; raise QueryError if it is invalid."""
    if len(text) > limits_here().query_length:
        raise QueryError(beyond("query_length"))
    reader = _Reader(text)
    query = reader.pipe()
    reader.scanner.skip_blanks()
    if reader.scanner.at < len(text):
        raise reader.scanner.error("unexpected input")
    return query


class _Reader:
    """A recursive-descent parser with one method for each precedence level, lowest first."""

    __slots__ = ("scanner", "steps")

    def __init__(self, text: str) -> None:
        self.steps = evaluation.Steps()
        self.scanner = Scanner(text)

    def pipe(self, *, commas: bool = True) -> Query:
        """Read `a | b`; the values of an object contain no commas."""
        level = self._comma if commas else self._logic
        query = level()
        while self.scanner.take("|"):
            query = evaluation.chain(query, level(), self.steps)
        return query

    def _comma(self) -> Query:
        query = self._logic()
        while self.scanner.take(","):
            query = evaluation.both(query, self._logic(), self.steps)
        return query

    def _logic(self) -> Query:
        query = self._comparison()
        while word := self.scanner.take_word(*_LOGIC):
            query = _LOGIC[word](query, self._comparison())
        return query

    def _comparison(self) -> Query:
        query = self._prefixed()
        for operator in _COMPARISONS:
            if self.scanner.take(operator):
                return evaluation.comparison(operator, query, self._prefixed())
        return query

    def _prefixed(self) -> Query:
        if self.scanner.take_word("not"):
            return evaluation.negation(self._prefixed())
        return self._primary()

    def _primary(self) -> Query:
        scanner = self.scanner
        scanner.skip_blanks()
        char = scanner.text[scanner.at : scanner.at + 1]
        if char == "(":
            return self._enclosed()
        if char == ".":
            return self._path()
        if char == "{":
            return self._object()
        if char == '"':
            return evaluation.constant(scanner.string())
        if char and char in "-0123456789":
            return evaluation.constant(scanner.number())
        name = scanner.name()
        if name is None:
            raise scanner.error("expected expression")
        return self._named(name)

    def _enclosed(self) -> Query:
        self.scanner.expect("(")
        query = self.pipe()
        self.scanner.expect(")")
        return query

    def _named(self, name: str) -> Query:
        if name in _CONSTANTS:
            return evaluation.constant(_CONSTANTS[name])
        if name in _FUNCTIONS:
            return _FUNCTIONS[name]
        if name in _WITH_QUERY:
            return _WITH_QUERY[name](self._enclosed(), self.steps)
        raise QueryError(f"unknown identifier '{name}'")

    def _path(self) -> Query:
        scanner = self.scanner
        if scanner.take(".."):
            return evaluation.descendants(self.steps)
        scanner.at += 1
        name = scanner.name()
        query = evaluation.identity if name is None else evaluation.field(name)
        while True:
            if scanner.sees("["):
                query = evaluation.chain(query, self._bracket(), self.steps)
            elif scanner.sees("."):
                scanner.at += 1
                if not scanner.sees("["):
                    query = evaluation.chain(query, self._field(), self.steps)
            else:
                return query

    def _field(self) -> Query:
        name = self.scanner.name()
        if name is None:
            raise self.scanner.error("expected field name")
        return evaluation.field(name)

    def _bracket(self) -> Query:
        scanner = self.scanner
        scanner.expect("[")
        if scanner.take("]"):
            return evaluation.children
        scanner.skip_blanks()
        query = evaluation.field(scanner.string()) if scanner.sees('"') else self._index()
        scanner.expect("]")
        return query

    def _index(self) -> Query:
        low = self.scanner.index()
        if self.scanner.take(":"):
            high = self.scanner.index()
            if low is not None or high is not None:
                return evaluation.part(low, high)
        elif low is not None:
            return evaluation.item(low)
        raise QueryError("expected array index or slice bound")

    def _object(self) -> Query:
        scanner = self.scanner
        scanner.expect("{")
        fields: list[tuple[str, Query]] = []
        if scanner.take("}"):
            return evaluation.construction(fields)
        while True:
            scanner.skip_blanks()
            name = scanner.string() if scanner.sees('"') else scanner.name()
            if name is None:
                raise scanner.error("expected object key")
            scanner.expect(":")
            fields.append((name, self.pipe(commas=False)))
            if not scanner.take(","):
                scanner.expect("}")
                return evaluation.construction(fields)
