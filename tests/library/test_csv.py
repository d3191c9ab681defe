"""CSV: agreement with Python's csv module, the texts of errors, and what the two do differently."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harnlite
from harnlite.library.csv import csv_parse, csv_stringify
from harnlite.values.errors import ScriptError

TEXTS = st.text(st.sampled_from('ab ,;"\n\r\té\x0b\u2028'), max_size=30)
CELLS = st.text(st.sampled_from('ab ,;"\n\té\x0b\u2028'), max_size=6)
DELIMITERS = st.sampled_from(",;|\t ")


def failure(function, *arguments):
    with pytest.raises(ScriptError) as caught:
        function(*arguments)
    assert caught.value.thrown
    return caught.value.value


@given(TEXTS, DELIMITERS)
def test_texts_are_parsed_as_python_parses_them(text, delimiter):
    theirs = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    assert csv_parse(text, {"delimiter": delimiter}) == [row for row in theirs if row]


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3)), DELIMITERS)
def test_rows_are_written_as_python_writes_them(rows, delimiter):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
    assert csv_stringify(rows, {"delimiter": delimiter}) == file.getvalue()


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=2)), DELIMITERS)
def test_written_rows_are_parsed_again(rows, delimiter):
    text = csv_stringify(rows, {"delimiter": delimiter})
    assert csv_parse(text, {"delimiter": delimiter}) == [row for row in rows if row]


@given(st.lists(TEXTS))
def test_single_cells_are_parsed_again(cells):
    assert csv_parse(csv_stringify([[cell] for cell in cells])) == [[cell] for cell in cells]


@given(st.lists(st.dictionaries(st.text('ab,"\r', min_size=1), CELLS, min_size=1), min_size=1))
def test_dict_rows_are_parsed_again(rows):
    columns = sorted(set().union(*rows))
    whole = [{column: row.get(column, "") for column in columns} for row in rows]
    assert csv_parse(csv_stringify(rows, {"headers": True}), {"headers": True}) == whole


def test_records():
    assert csv_parse("") == []
    assert csv_parse("a,b\r\n\r\nc\n\n d ,\r") == [["a", "b"], ["c"], [" d ", ""]]
    assert csv_parse('"a ""b""",x"y\n"open\n') == [['a "b"', 'x"y'], ["open\n"]]
    assert csv_parse("a;b", {"delimiter": ";!"}) == [["a", "b"]]
    assert csv_parse("a,b\n1\n1,2,3\n", {"headers": True}) == [{"a": "1", "b": ""}, {"a": "1", "b": "2"}]
    assert csv_parse("\n\na\n1\n", {"headers": True}) == [{"a": "1"}]
    assert csv_parse("a,b", {"headers": True}) == []
    assert csv_parse("\ufeffa,b") == [["a", "b"]]


def test_a_long_cell_is_read_and_the_limit_of_the_process_is_unchanged():
    limit = csv.field_size_limit()
    assert csv_parse("x" * (limit * 2)) == [["x" * (limit * 2)]]
    name = "y,\n" * limit
    assert csv_parse(f'a,"{name}"\n1,2', {"headers": True}) == [{"a": "1", name: "2"}]
    assert csv_stringify([["x" * limit * 2]]) == "x" * limit * 2 + "\n"
    assert csv.field_size_limit() == limit


def test_a_cell_larger_than_a_value_may_be_is_refused():
    source = 'let part = "x".repeat(1000000)\nreturn try { csv_parse("\\"" + part + part) } catch (e) { e }'
    result = harnlite.Engine(limits={"max_items": 1_500_000}, cache=False).run(source)
    assert (result.value, result.error) == ("Value too large", None)


def test_many_records():
    text = "a,b\n" * 10_000
    assert csv_parse(text) == [["a", "b"]] * 10_000
    assert csv_parse(text, {"headers": True}) == [{"a": "a", "b": "b"}] * 9_999
    assert csv_stringify([["a", "b"]] * 10_000) == text


def test_rows():
    assert csv_stringify([]) == ""
    assert csv_stringify([[""], ["a"], ["b\rc"]]) == '""\na\n"b\rc"\n'
    assert csv_stringify([[1, 1.5, True, None, [1], "x y"]]) == "1,1.5,true,nil,[1],x y\n"
    assert csv_stringify([[], []]) == '""\n""\n'
    assert csv_stringify([{"b": 1}, {"a": 'x"'}]) == ',1\n"x""",\n'
    assert csv_stringify([["a,b", "c"]], {"delimiter": ";"}) == "a,b;c\n"


def test_errors():
    prefix = "csv_stringify: "
    assert failure(csv_stringify, None) == prefix + "expected a list of rows"
    for rows in ([[1], {"a": 1}], [{"a": 1}, [1]]):
        assert failure(csv_stringify, rows) == prefix + "mixed list/dict rows are not supported"
    for rows in ([1], [[1], 1], [{"a": 1}, None]):
        assert failure(csv_stringify, rows) == prefix + "each row must be a list of cells (or use dict rows)"
    unequal = "CSV error: found record with 1 fields, but the previous record has 2 fields"
    assert failure(csv_stringify, [[1, 2], [1]]) == prefix + unequal
    for function in (csv_parse, csv_stringify):
        name = function.__name__
        assert failure(function, [], {"delimiter": "é"}) == f"{name}: the delimiter must be an ASCII character"
        for mark in '"\n\r':
            reason = "the delimiter must not be a quote or a line break"
            assert failure(function, [], {"delimiter": mark}) == f"{name}: {reason}"
