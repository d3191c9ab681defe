"""Fixes are applied until nothing changes, never overlap, and keep the text parsable."""

import pytest

from harnlite.analysis.linting.fixing import fix_source
from harnlite.analysis.linting.linter import lint
from harnlite.diagnostics.diagnostic import WARNING, Diagnostic, Edit, Fix
from harnlite.diagnostics.source import Source, Span


def replacing(old, new, *, safe=True, times=1):
    """Return a look that finds each place of a text and has a fix for it."""

    def look(source):
        found, at = [], source.text.find(old)
        while at >= 0 and len(found) < times:
            span = Span(at, at + len(old))
            fix = Fix(f"write {new}", [Edit(span, new)], safe=safe)
            found.append(Diagnostic(WARNING, "old", source, span, code="X", fixes=[fix]))
            at = source.text.find(old, at + 1)
        return found

    return look


def test_fixes_are_applied_until_nothing_changes():
    fixed = fix_source(Source("let a = 1\nlet b = 1\n"), replacing("1", "2"), unsafe=False)
    assert (fixed.source.text, fixed.applied, fixed.left) == ("let a = 2\nlet b = 2\n", 2, [])


def test_unsafe_fixes_have_to_be_asked_for():
    source, look = Source("let a = 1\n"), replacing("1", "2", safe=False)
    assert fix_source(source, look, unsafe=False).source is source
    assert fix_source(source, look, unsafe=True).source.text == "let a = 2\n"


def test_fixes_at_one_place_wait_for_each_other():
    def look(source):
        places = [Span(8, len(source.text) - 1)] * 2 if "1 + 1 + 1" in source.text else []
        fixes = [Fix(text, [Edit(span, text)], safe=True) for span, text in zip(places, ("5", "6"), strict=False)]
        return [Diagnostic(WARNING, fix.message, source, fix.edits[0].span, fixes=[fix]) for fix in fixes]

    fixed = fix_source(Source("let a = 1 + 1 + 1\n"), look, unsafe=False)
    assert (fixed.source.text, fixed.applied) == ("let a = 5\n", 1)


def test_a_fix_that_would_break_the_text_is_left_out():
    def look(source):
        return replacing("1", "(")(source) + replacing("3", "4")(source)

    fixed = fix_source(Source("let a = 1\nlet b = 3\n"), look, unsafe=False)
    assert (fixed.source.text, fixed.applied) == ("let a = 1\nlet b = 4\n", 1)
    assert [one.message for one in fixed.left] == ["old"]


def test_fixes_that_undo_each_other_come_to_an_end():
    def look(source):
        return replacing("1", "2")(source) + replacing("2", "1")(source)

    assert fix_source(Source("let a = 1\n"), look, unsafe=False).source.text in {"let a = 1\n", "let a = 2\n"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("println(1) // harn: ignore[HARN-LNT-007]\n", "println(1)\n"),
        ("println(1) // harn: ignore[HARN-LNT-007]", "println(1)"),
        ("println(1) // so // harn: ignore[HARN-LNT-007]\n", "println(1) // so\n"),
        ("  // harn: ignore[HARN-LNT-007]\nprintln(1)\n", "println(1)\n"),
        ("println(1)\r\n// harn: file-ignore[HARN-LNT-007]\r\nprintln(2)\r\n", "println(1)\r\nprintln(2)\r\n"),
        (
            "let x = 1\nprintln(x == x) // harn: ignore[HARN-CHK-001, HARN-LNT-007]\n",
            "let x = 1\nprintln(x == x) // harn: ignore[HARN-LNT-007]\n",
        ),
        ("println(1) // harn: ignore[NO-1]\n", "println(1) // harn: ignore[NO-1]\n"),
    ],
)
def test_suppressions_that_suppress_nothing_are_removed(before, after):
    assert fix_source(Source(before), lint, unsafe=False).source.text == after
