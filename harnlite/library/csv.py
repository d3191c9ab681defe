"""Builtins that read and write CSV."""

from __future__ import annotations

import _csv
import io
from importlib.util import module_from_spec
from itertools import chain, islice

from harnlite.library.native import native
from harnlite.values.display import display
from harnlite.values.errors import thrown
from harnlite.values.interrupts import poll_here
from harnlite.values.iteration import polled
from harnlite.values.size_limits import check_bytes, check_items, check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnlite.values.errors import ScriptError

    Cells = list[str] | list[str | int]

_ROWS_A_BLOCK, _CELLS_A_BLOCK = 2_000, 1_000_000
_CELL_BYTES, _ROW_BYTES = 60, 64
_ANY_SIZE = 2**31 - 1
_QUOTE = '"'
_NOT_DELIMITERS = frozenset('"\r\n')


def _own_reader() -> Any:  # noqa: ANN401 - a module
    """Return a second instance of Python's CSV module, whose limit of the field size is not that of the process."""
    spec: Any = _csv.__spec__
    module: Any = module_from_spec(spec)
    spec.loader.exec_module(module)
    module.field_size_limit(_ANY_SIZE)
    return module


_reading = _own_reader()


def _options(function: str, options: object) -> tuple[bool, str]:
    """Return whether there is a header, and the delimiter."""
    if not isinstance(options, dict):
        return False, ","
    given = options.get("delimiter")
    delimiter = ("" if given is None else display(given))[:1] or ","
    if not delimiter.isascii():
        raise _error(function, "the delimiter must be an ASCII character")
    if delimiter in _NOT_DELIMITERS:
        raise _error(function, "the delimiter must not be a quote or a line break")
    return bool(options.get("headers")), delimiter


def _error(function: str, reason: str) -> ScriptError:
    return thrown(f"{function}: {reason}")


@native("csv_parse")
def csv_parse(text: object = "", options: object = None) -> list[Any]:
    """Return the records of a CSV text, as lists or as dicts."""
    has_header, delimiter = _options("csv_parse", options)
    source = display(text).removeprefix("\ufeff")
    check_items(source.count(delimiter), _CELL_BYTES)
    check_items(source.count("\n") + source.count("\r"), _ROW_BYTES)
    # With newline="", a line of the file ends where a record may end, and its line break is unchanged.
    rows = _reading.reader(io.StringIO(source, newline=""), delimiter=delimiter)
    header = next(filter(None, rows), None) if has_header else None
    try:
        return _lists(rows) if header is None else _dicts(rows, header)
    except _reading.Error as error:
        raise _error("csv_parse", str(error)) from None


def _lists(rows: Iterator[list[str]]) -> list[list[str]]:
    found: list[list[str]] = []
    while block := list(islice(rows, _ROWS_A_BLOCK)):
        found += block if all(block) else filter(None, block)
        poll_here()
    return found


def _dicts(rows: Iterator[list[str]], header: list[str]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    width = len(header)
    while block := list(islice(rows, _ROWS_A_BLOCK)):
        check_bytes((len(found) + len(block)) * (_ROW_BYTES + width * _CELL_BYTES))
        for row in filter(None, block):
            cells = row if len(row) >= width else row + [""] * (width - len(row))
            found.append(dict(zip(header, cells, strict=False)))
        poll_here()
    return found


@native("csv_stringify")
def csv_stringify(rows: object = None, options: object = None) -> str:
    """Return rows, which are lists or dicts, as CSV."""
    has_header, delimiter = _options("csv_stringify", options)
    if not isinstance(rows, list):
        raise _error("csv_stringify", "expected a list of rows")
    if not rows:
        return ""
    expected = rows[0].__class__
    if expected is not list and expected is not dict:
        raise _bad_row()
    for row in polled(rows):
        if row.__class__ is not expected:
            if row.__class__ is list or row.__class__ is dict:
                raise _error("csv_stringify", "mixed list/dict rows are not supported")
            raise _bad_row()
    columns = [] if expected is list else sorted(set().union(*polled(rows)))
    check_size(len(rows) * (len(columns) or len(rows[0])))  # each cell is followed by a delimiter or a line break
    if expected is list:
        return _written(_cells(rows), len(rows[0]), delimiter)
    records = _dict_cells(rows, columns)
    return _written(chain(iter([columns]), records) if has_header else records, len(columns), delimiter)


def _bad_row() -> ScriptError:
    return _error("csv_stringify", "each row must be a list of cells (or use dict rows)")


def _cells(rows: list[list[object]]) -> Iterator[Cells]:
    width = len(rows[0])
    for row in polled(rows):
        if len(row) != width:
            reason = f"found record with {len(row)} fields, but the previous record has {width} fields"
            raise _error("csv_stringify", f"CSV error: {reason}")
        yield [cell if cell.__class__ is str or cell.__class__ is int else display(cell) for cell in row]


def _dict_cells(rows: list[dict[str, object]], columns: list[str]) -> Iterator[Cells]:
    for row in polled(rows):
        cells = [row.get(column, "") for column in columns]
        yield [cell if cell.__class__ is str or cell.__class__ is int else display(cell) for cell in cells]


def _written(rows: Iterator[Cells], width: int, delimiter: str) -> str:
    """Return the text of rows, whose ints Python's writer writes as `display` does."""
    parts: list[str] = []
    size = 0
    rows_a_block = max(min(_CELLS_A_BLOCK // (width or 1), _ROWS_A_BLOCK), 1)
    while block := list(islice(rows, rows_a_block)):
        file = io.StringIO(newline="")
        _csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(block)
        part = file.getvalue()
        if "\r" in part or not all(block):
            # Older versions of Python do not quote a carriage return, and none quotes a record without cells.
            part = "".join(_record(row, delimiter) for row in block)
        size += len(part)
        check_size(size)
        parts.append(part)
        poll_here()
    return "".join(parts)


def _record(row: Cells, delimiter: str) -> str:
    if row in ([], [""]):
        return '""\n'
    return delimiter.join(_quoted(str(cell), delimiter) for cell in row) + "\n"


def _quoted(cell: str, delimiter: str) -> str:
    if not any(mark in cell for mark in (_QUOTE, delimiter, "\n", "\r")):
        return cell
    return f'"{cell.replace(_QUOTE, _QUOTE * 2)}"'
