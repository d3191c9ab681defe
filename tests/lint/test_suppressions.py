"""Comments that silence findings, and unused ones."""

import pytest

from harnlite.analysis.linting.context.configuration import LintConfig
from harnlite.analysis.linting.linter import lint
from harnlite.diagnostics.source import Source

SELF, UNUSED = "HARN-LNT-007", "HARN-SUP-001"
HEAD = "let x = 1\n"


def found(text, **config):
    source = Source(text)
    return [(one.code, source.position(one.span.start).line, one.message) for one in lint(source, LintConfig(**config))]


def codes(text, **config):
    return [code for code, _line, _message in found(text, **config)]


@pytest.mark.parametrize(
    "text",
    [
        "println(x == x) // harn: ignore[HARN-LNT-007]\n",
        "println(x == x) //harn:ignore[HARN-LNT-007]\n",
        "println(x == x) // it is so // harn: ignore[HARN-LNT-007]\n",
        "println(x == x) // harn: ignore[HARN-LNT-007] since it is so\n",
        "// harn: ignore[HARN-LNT-007]\nprintln(x == x)\n",
        "fn f() {\n  // harn: ignore[HARN-LNT-007]\n  // and why\n  println(x == x)\n}\nf()\n",
        "println(x == x)\n// harn: file-ignore[HARN-LNT-007]\n",
        "// harn: file-ignore[HARN-LNT-007]\nprintln(x == x)\nprintln(x == x)\n",
        "println(\n  x == x,\n) // harn: file-ignore[HARN-LNT-007]\n",
        "println(x\n  == x) // harn: ignore[HARN-LNT-007]\n",
        "println(x == x) // harn: ignore[HARN-LNT-007] // harn: file-ignore[HARN-SUP-001]\n",
        'println("${x == x}") // harn: ignore[HARN-LNT-007]\n',
        "println(x == x) // harn: ignore[HARN-LNT-007]",
    ],
)
def test_a_comment_silences_its_line_or_the_next(text):
    assert found(HEAD + text) == []


@pytest.mark.parametrize(
    "text",
    [
        "// harn: ignore[HARN-LNT-007]\n\nprintln(x == x)\n",
        "println(1) // harn: ignore[HARN-LNT-007]\nprintln(x == x)\n",
        "println(x == x)\n// harn: ignore[HARN-LNT-007]\n",
        "println(x == x) // harn: ignore[HARN-CHK-001]\n",
        "println(x == x) // harn: ignore\n",
        "println(x == x) // harn: ignore[]\n",
        "println(x == x) // harn: ignore[HARN-LNT]\n",
    ],
)
def test_a_comment_silences_nothing_else(text):
    assert sorted(codes(HEAD + text)) == [SELF, UNUSED]


@pytest.mark.parametrize(
    "text",
    [
        'let s = "// harn: ignore[HARN-LNT-007]"\nprintln(s)\n',
        'let s = """\n// harn: ignore[HARN-LNT-007]\n"""\nprintln(s)\n',
        'let s = r"// harn: ignore[HARN-LNT-007]"\nprintln(s)\n',
        "/* // harn: ignore[HARN-LNT-007] /* deep */ // harn: ignore[X] */\nprintln(1)\n",
        "/// Write `// harn: ignore[HARN-LNT-007]`.\nfn f() {\n  return 1\n}\nprintln(f())\n",
    ],
)
def test_what_only_looks_like_one_is_none(text):
    assert found(text) == []


def test_unused_ones_are_reported_with_what_they_name():
    assert found("println(1) // harn: ignore[HARN-LNT-007, HARN-CHK-001]\n") == [
        (UNUSED, 1, "nothing to suppress here: HARN-LNT-007, HARN-CHK-001")
    ]
    assert found(HEAD + "println(x == x) // harn: ignore[HARN-LNT-007, HARN-CHK-001]\n") == [
        (UNUSED, 2, "nothing to suppress here: HARN-CHK-001")
    ]
    assert found("// harn: file-ignore[HARN-LNT-007]\nprintln(1)\n") == [
        (UNUSED, 1, "nothing to suppress here: HARN-LNT-007")
    ]


def test_an_unknown_code_is_reported_with_the_one_that_was_meant():
    (one,) = lint(Source("println(1) // harn: ignore[HARN-LNT-07]\n"))
    assert (one.code, one.message, one.help) == (
        UNUSED,
        "there is no code HARN-LNT-07",
        ("did you mean HARN-LNT-007?",),
    )


def test_only_codes_that_are_looked_for_are_judged():
    text = "println(1) // harn: ignore[HARN-LNT-007]\n"
    assert codes(text, ignore=(SELF,)) == []
    assert codes(text, select=("HARN-CHK",)) == []
    assert codes(text, ignore=(UNUSED,)) == []
    assert codes(text, select=("HARN-LNT", "HARN-SUP")) == [UNUSED]


def test_unused_ones_can_be_silenced_too():
    assert codes("// harn: file-ignore[HARN-SUP-001]\nprintln(1) // harn: ignore[HARN-LNT-007]\n") == []


def test_syntax_errors_cannot_be_silenced():
    assert codes("let = 1 // harn: ignore[HARN-SYN-001]\n// harn: file-ignore[HARN-SYN-001]\n") == ["HARN-SYN-001"]


def test_findings_of_the_checker_can():
    text = 'fn f(x: int) {\n  println(x)\n}\nf("a")'
    assert codes(text) == ["HARN-CHK-001"]
    assert codes(f"{text} // harn: ignore[HARN-CHK-001]\n") == []
