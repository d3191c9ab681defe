"""Any text gives a result, never an exception, and a tree whose spans nest."""

import functools
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.diagnostics.source import Source
from harnlite.syntax.lexer import Lexer
from harnlite.syntax.parser import parse
from harnlite.syntax.tokens import KEYWORDS, SYMBOL_KINDS
from harnlite.syntax.visitor import walk

ROOT = Path(__file__).parents[2]
WORDS = [
    *sorted(KEYWORDS),
    *sorted(SYMBOL_KINDS),
    *["\n"] * 8,
    *["{", "}", "(", ")", "x", "Name", "1", '"s"'] * 3,
    *["const", "gen", "extern", "each", "settle", "with", "as stream", "not in", "where", "out", "timeout", "default"],
    *['"', '"""', "${", "}", "\\", "#", "//", "/*", "*/", "///", "1.5", "5s", "0x", "r", "`", "_", "é", "\t"],
]


@functools.cache
def programs():
    """Return the texts that are mutated: trees of the golden file, examples, programs of the tests."""
    blocks = (Path(__file__).parent / "trees.txt").read_text().split("=== ")[1:]
    texts = [block.partition("\n")[2].partition("\n---\n")[0] for block in blocks]
    files = sorted((ROOT / "examples").glob("*.harn")) + sorted((ROOT / "stdlib").rglob("*.harn"))
    return texts + [path.read_text() for path in files if path.is_file()]


def check(text):
    result = parse(Source(text))
    for finding in result.diagnostics:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        assert finding.message
        assert not any(name in finding.message for name in ("LBA", "RPAR", "_name", "QMARK", "TRYQ"))
    told = [(finding.span.start, finding.message) for finding in result.diagnostics]
    assert len(told) == len(set(told))
    for node in walk(result.module):
        assert 0 <= node.start <= node.end <= len(text)
    return result


@given(st.lists(st.sampled_from(WORDS), max_size=60), st.sampled_from([" ", ""]))
def test_any_words_get_an_answer(words, gap):
    check(gap.join(words))


@given(st.text(max_size=80))
def test_any_text_gets_an_answer(text):
    check(text)


@given(st.data())
def test_any_change_to_a_program_gets_an_answer(data):
    text = data.draw(st.sampled_from(programs()))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 5))
        text = text[:at] + data.draw(st.sampled_from(["", *WORDS])) + text[at + cut :]
    check(text)


@pytest.mark.parametrize("text", programs(), ids=range(len(programs())))
def test_places_nest_and_follow_each_other(text):
    result = parse(Source(text), declarations=True)
    assert not result.diagnostics
    for node in walk(result.module):
        for child in node.children():
            assert node.start <= child.start <= child.end <= node.end
        for field in type(node).fields:
            items = getattr(node, field)
            if isinstance(items, list) and items and hasattr(items[0], "start"):
                assert all(left.end <= right.start for left, right in itertools.pairwise(items))


@pytest.mark.parametrize("text", programs(), ids=range(len(programs())))
def test_tokens_are_the_text_at_their_places(text):
    end = 0
    for token in Lexer(Source(text)).read():
        assert token.start >= end
        assert text[token.start : token.end] == token.text
        end = token.end


DEEP = {
    "parentheses": "(" * 5000 + ")" * 5000,
    "open brackets": "[" * 5000,
    "open braces": "{" * 5000,
    "closers": ")]}" * 2000,
    "interpolations": '"${' * 300 + "1" + '}"' * 300,
    "unclosed calls": "f(a\n" * 2000 + "}",
}
LONG = {
    "sum": "x = " + " + ".join(["1"] * 10_000),
    "powers": "x = " + " ** ".join(["1"] * 10_000),
    "pipe": "x" + " |> f" * 10_000,
    "properties": "x" + ".a" * 10_000,
    "calls": "x" + "()" * 10_000,
    "negations": "!" * 10_000 + "x",
    "else if": "if a {}" + " else if b {}" * 5_000,
    "union": "type A = " + "|".join(["a"] * 10_000),
    "function types": "type A = " + "fn() -> " * 5_000 + "int",
    "list": "[" + "1," * 20_000 + "]",
    "template": '"' + "${a}" * 5_000 + '"',
}
WRONG = {
    "questions": "a ?- " * 10_000,
    "angles": "a<" * 20_000,
    "angles and lists": "a<[b,{" * 5_000,
    "lines": "let = 3\n" * 20_000,
    "words": "let " * 20_000,
    "quotes": '"\n' * 10_000,
    "comments": "/*" * 20_000,
    "headers": "fn f(a b) {\n" * 200 + "}\n" * 200,
    "semicolons": ";" * 20_000,
    "interpolations without an end": '"${\n' * 4_000,
    "strings in strings without an end": '"""${\n"a${' * 2_000,
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_deep_nesting_is_one_clear_error(text):
    messages = [finding.message for finding in check(text).diagnostics]
    assert len(messages) == 1
    if text[0] != ")":
        assert messages[0].startswith("Nesting is deeper than 256 levels at ")


@pytest.mark.parametrize("closing", [True, False])
def test_256_levels_are_not_too_deep(closing):
    errors = parse(Source("(" * 256 + "1" + ")" * 256 * closing)).diagnostics
    assert [error.message for error in errors] == ([] if closing else ["Unexpected end of file, expected )"])


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_chains_can_be_read(text):
    assert not check(text).diagnostics


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_long_nonsense_gets_a_few_errors_soon(text):
    assert 1 <= len(parse(Source(text)).diagnostics) <= 201
