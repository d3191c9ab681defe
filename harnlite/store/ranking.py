"""Ranking of records for a query: BM25 over an FTS5 index in memory."""

from __future__ import annotations

from math import log

from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

_SHORTEST_BYTES = 2
_LEAST_IDF = 1e-6
_CREATE = "CREATE VIRTUAL TABLE documents USING fts5(terms, tokenize = 'ascii')"
_ADD = "INSERT INTO documents (rowid, terms) VALUES (?, ?)"
_FIND = "SELECT rowid, bm25(documents) FROM documents WHERE documents MATCH ?"


def terms_of(text: str) -> list[str]:
    """Return the runs of letters and digits in a text, in lower case, without those of a single byte."""
    import re

    return [word for word in re.findall(r"[^\W_]+", text.lower()) if len(word.encode()) >= _SHORTEST_BYTES]


class Ranking:
    """An index of numbered documents.

    FTS5 counts terms and lengths. Its weight of a term is almost 0 if half of the documents contain the term, which is
    common in a small memory. Each term is therefore queried separately and weighted with ln((N-n+.5)/(n+.5)+1).
    """

    __slots__ = ("_connection", "_size")

    def __init__(self) -> None:
        import sqlite3

        self._connection: sqlite3.Connection = sqlite3.connect(":memory:", isolation_level=None)
        self._size = 0
        try:
            self._connection.execute(_CREATE)
        except sqlite3.OperationalError as error:
            raise runtime_error(f"memory: {error}") from None

    def add(self, documents: Iterable[tuple[int, str]]) -> None:
        """Add documents to the index."""
        rows = [(number, " ".join(terms_of(text))) for number, text in documents]
        self._connection.executemany(_ADD, rows)
        self._size += len(rows)

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove documents from the index."""
        rows = [(number,) for number in numbers]
        self._connection.executemany("DELETE FROM documents WHERE rowid = ?", rows)
        self._size -= len(rows)

    def scores(self, terms: Iterable[str]) -> dict[int, float]:
        """Return the score of each document that has at least one of the terms."""
        found: dict[int, float] = {}
        for term in terms:
            rows = self._connection.execute(_FIND, (f'"{term}"',)).fetchall()
            if rows:
                odds = (self._size - len(rows) + 0.5) / (len(rows) + 0.5)
                weight = log(odds + 1) / max(log(odds), _LEAST_IDF)
                for number, rank in rows:
                    found[number] = found.get(number, 0.0) - rank * weight
        return found

    def close(self) -> None:
        """Close the index."""
        self._connection.close()
