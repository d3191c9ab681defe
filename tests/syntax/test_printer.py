"""The output of the formatter: reviewed pairs of texts, and properties that hold for all of them."""

import functools
import time
from pathlib import Path

import pytest
from formatting import faults_of

from harnlite.diagnostics.errors import InternalError, LanguageError
from harnlite.diagnostics.source import Source
from harnlite.stack import on_large_stack
from harnlite.syntax.parser import Parser, parse
from harnlite.syntax.printer import format_source
from harnlite.syntax.printing_page import Page
from harnlite.syntax.printing_verification import content_of_text, difference
from tests.bench.front_end import PIECE

PAIRS = Path(__file__).parent / "printed.txt"
ROOT = Path(__file__).parents[2]


@functools.cache
def pairs():
    """Return title, text and formatted text of each block."""
    found = []
    for block in PAIRS.read_text().split("=== ")[1:]:
        title, _, rest = block.partition("\n")
        text, _, formatted = rest.partition("---\n")
        found.append((title, text, formatted))
    return found


def formatted(text, width=100):
    return format_source(Source(text), width)


def test_pairs(request):
    if request.config.getoption("--golden"):
        blocks = [f"=== {title}\n{text}---\n{formatted(text)}" for title, text, _ in pairs()]
        PAIRS.write_text("".join(blocks))
        pairs.cache_clear()
    for title, text, expected in pairs():
        assert formatted(text) == expected, title


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 120])
@pytest.mark.parametrize(("title", "text", "_expected"), pairs())
def test_pairs_keep_their_meaning_at_any_width(title, text, _expected, width):
    assert faults_of(text, width) == []


def test_nothing_makes_nothing():
    assert formatted("") == ""
    assert formatted("\n\n") == ""
    assert formatted("// only") == "// only\n"


def test_line_ends_are_plain_newlines():
    assert formatted('let a = 1\r\nlet b = """\r\n  x\r\n"""\r\n') == 'let a = 1\nlet b = """\n  x\n"""\n'


def test_errors_are_told():
    with pytest.raises(LanguageError, match="Expected variable name"):
        formatted("let = 3")


def test_declarations_of_builtins_are_read():
    assert formatted("extern fn stream.map( xs:any )->list") == "extern fn stream.map(xs: any) -> list\n"


@pytest.mark.parametrize("text", ["[" * 200 + "]" * 200, "f(" * 200 + ")" * 200, "{ -> " * 200 + "1" + " }" * 200])
def test_deep_nesting(text):
    assert on_large_stack(lambda: faults_of(f"let x = {text}\n")) == []


@pytest.mark.parametrize(
    ("text", "wrong", "change"),
    [
        ("a ?? b", "a ? ? b", "'??' became '?'"),
        ("a - b", "a\n-b", "a separator before '-'"),
        ("a\n-b", "a - b", "a separator is missing before '-'"),
        ("f(a)\n[b]", "f(a)[b]", "a separator is missing before '['"),
        ("f(a, b)", "f(a b)", "a separator is missing before 'b'"),
        ('"${a ? ? b : c}"', '"${a ?? b : c}"', "'?' became '??'"),
        ('"x ${a}"', '"y ${a}"', "'x ${}' became 'y ${}'"),
        ("a // b", "a", "'// b' became 'nothing'"),
        ("a", "a 'b", "the text has an invalid token"),
    ],
)
def test_a_wrong_result_is_not_written(text, wrong, change):
    before, after = content_of_text(Source(text)), content_of_text(Source(wrong))
    assert before is not None
    assert difference(before, after) == change


def test_every_result_is_verified(monkeypatch):
    monkeypatch.setattr(Page, "text", lambda _page: "let x = nil??\n")
    with pytest.raises(InternalError, match=r"would change <input>: '\?' became '\?\?'"):
        formatted("let x = nil? ?")


@pytest.mark.parametrize("text", ["let a  = b", "let x = 1\nlet a  = b\n\nlet y = 2", "// c\nlet a  = f(b,)  // d"])
def test_every_changed_statement_is_verified(monkeypatch, text):
    write = Page.write
    monkeypatch.setattr(Page, "write", lambda page, written: write(page, written.replace("b", "c")))
    with pytest.raises(InternalError, match=r"would change <input>: 'b' became 'c'"):
        formatted(text)


def test_a_usual_text_needs_no_tree(monkeypatch):
    text = PIECE.format(i=1)
    expected = formatted(text)
    monkeypatch.delattr(Parser, "run")
    assert formatted(text) == expected


def test_long_runs():
    assert faults_of("let x = " + " + ".join(["a"] * 2000)) == []
    assert faults_of("let x = a" + ".b(1)" * 1000) == []
    assert faults_of("if a { b }" + " else if c { d }" * 500) == []


def test_formatting_takes_less_time_than_three_parses():
    texts = [path.read_text() for path in sorted((ROOT / "stdlib" / "std").rglob("*.harn"))]
    text = "\n".join(texts)
    source = Source(text * (5000 // text.count("\n") + 1))
    ratios = []
    for _ in range(5):
        start = time.process_time()
        parse(source)
        middle = time.process_time()
        format_source(source)
        ratios.append((time.process_time() - middle) / (middle - start))
        if ratios[-1] < 3:
            return
    pytest.fail(f"formatting takes {min(ratios):.1f} parses")


REFUSED = [
    "fn() { 1 }",
    "let x = 1\nfn(a) { a }()",
    "f() = 1",
    "a + b = 3",
    "a?.b = 1",
    "a[1:2] = 3",
    'a["${b[0]}"] + c = 3',
    "nil = 1",
    "{ if: int -> 1 }",
    "fn f(a = 1, b) { }",
    "fn f(a: fn(int) -> int = g, b: int) { }",
    "fn f(...a, b) { }",
    "fn f<q T>(a: T) { }",
    "select { }",
    "match x { [...a] -> { 1 } }",
    "match x { {k: ...a} -> { 1 } }",
    "match x { a | b -> { 1 } }",
    "parallel settle x { y -> y } as stream",
    "parallel each x with { most: 1 } { y -> y }",
    "@a(5s)\nfn f() { }",
    "@a(k: f())\nfn f() { }",
    "S {[a]: 1}",
    'S {"${a}": 1}',
    'tool t() { desc "x" }',
    'let s = "${a +}"',
    'let s = "${if}"',
    'let s = "a ${b "c ${d.} e"} f"',
    "let x = [1,",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_the_tree_builders_report_is_refused(text):
    found = parse(Source(text), declarations=True).diagnostics
    with pytest.raises(LanguageError) as raised:
        format_source(Source(text))
    assert [one.message for one in raised.value.diagnostics] == [one.message for one in found if one.is_error]
