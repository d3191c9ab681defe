"""Positions in the units of editors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.editor.texts.positions import Ruler

TEXT = 'a😀b\r\n字"\n\rlast'
UNITS = ("utf-8", "utf-16", "utf-32")


@pytest.mark.parametrize(("units", "column"), [("utf-8", 5), ("utf-16", 3), ("utf-32", 2)])
def test_columns_count_what_was_agreed_on(units, column):
    ruler = Ruler(TEXT, units)
    assert ruler.place(TEXT.index("b")) == (0, column)
    assert ruler.offset(0, column) == TEXT.index("b")


def test_lines_end_as_editors_end_them():
    ruler = Ruler(TEXT)
    assert [ruler.place(TEXT.index(part))[0] for part in ("a", "字", '"', "last")] == [0, 1, 1, 3]
    assert (ruler.lines, ruler.offset(2, 5)) == (4, TEXT.index("\r", 6))


@pytest.mark.parametrize(("line", "column", "offset"), [(0, 99, 3), (99, 0, len(TEXT)), (3, 99, len(TEXT)), (0, 2, 1)])
def test_places_beyond_the_text_are_the_nearest_ones(line, column, offset):
    assert Ruler(TEXT).offset(line, column) == offset


@given(st.text(alphabet="ab字😀\n\r\u2028\x0b", max_size=30), st.sampled_from(UNITS))
def test_offsets_survive_the_way_there_and_back(text, units):
    ruler = Ruler(text, units)
    for offset in range(len(text) + 1):
        inside_break = text[offset - 1 : offset + 1] == "\r\n" and offset > 0
        back = ruler.offset(*ruler.place(offset))
        assert back == (offset - 1 if inside_break else offset)
