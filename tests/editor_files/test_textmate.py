"""The TextMate grammar, run by the engine of VS Code, agrees with the lexer on every program in the repository."""

import itertools
from functools import cache
from pathlib import Path

import pytest
import regex

from harnlite.docs.textmate import CONTEXT, SCOPES, builtin_functions, grammar
from harnlite.syntax.tokens import CONTEXTUAL_WORDS, KEYWORDS, WORD_CLASSES
from tests.samples import count, sampled

from .spans import COMMENT, KEYWORD, NAME, NUMBER, TEXT, spans_of

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
PROGRAMS = [path for folder in ("examples", "stdlib", "tests") for path in sorted((ROOT / folder).rglob("*.harn"))]
WORDS = ("keyword.control", "keyword.other.reserved", "storage.", "constant.language", "keyword.operator.word")
# `in` and `out` mark variance, `stream` follows `as`.
SOFT = {"in", "out", "stream"}


def rules(node):
    if isinstance(node, dict):
        yield node
        for part in node.values():
            yield from rules(part)
    elif isinstance(node, list):
        for part in node:
            yield from rules(part)


def test_every_pattern_compiles():
    patterns = [rule[key] for rule in rules(grammar()) for key in ("match", "begin", "end") if key in rule]
    assert len(patterns) > 100
    for pattern in patterns:
        regex.compile(pattern)


def test_no_rule_matches_nothing():
    for rule in rules(grammar()):
        if "match" in rule:
            assert not regex.match(rule["match"], ""), rule


def test_every_reference_leads_somewhere():
    made = grammar()
    references = {rule["include"].removeprefix("#") for rule in rules(made) if "include" in rule}
    assert references == made["repository"].keys()


def test_every_word_has_a_scope():
    assert SCOPES.keys() == WORD_CLASSES.keys()
    assert CONTEXT.keys() == CONTEXTUAL_WORDS
    patterns = [rule["match"] for rule in rules(grammar()["repository"]["words"]) if "match" in rule]
    for word in KEYWORDS:
        assert any(regex.fullmatch(pattern, word) for pattern in patterns), word


def at_each_character(text, tokens):
    scopes = [()] * (len(text) + 1)
    for start, end, names in tokens:
        scopes[start:end] = [names] * (end - start)
    return scopes


def innermost(scopes):
    """Return the scopes inside of the innermost interpolation."""
    depth = max((index for index, name in enumerate(scopes) if name.startswith("meta.embedded")), default=-1)
    return scopes[depth + 1 :]


@cache
def is_in(prefix, scopes):
    return any(name.startswith(prefix) for name in innermost(scopes))


def agrees(kind, text, scopes):
    """Say whether the scopes of the characters of a text are those of its kind."""
    last = scopes[0][-1]
    plain = not is_in("string.", scopes[0]) and not is_in("comment.", scopes[0])
    return {
        COMMENT: lambda: all(is_in("comment.", names) for names in scopes),
        TEXT: lambda: all(is_in("string.", names) for names in scopes),
        NUMBER: lambda: plain and all(is_in("constant.numeric", names) for names in scopes),
        KEYWORD: lambda: plain and last.startswith(WORDS),
        NAME: lambda: plain and (text in SOFT or not last.startswith((*WORDS, "keyword.operator", "invalid"))),
    }[kind]()


def split_name(kind, word, following):
    """Say whether only the next line tells that a keyword is a name; no grammar of lines can know that."""
    return kind == NAME and word in KEYWORDS and following == "\n"


@pytest.fixture(scope="module")
def programs(tokenise):
    """Return all programs with their texts and tokens."""
    paths = PROGRAMS[:: count(1, 5)]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return list(zip(paths, texts, tokenise(texts), strict=True))


@sampled
def test_it_agrees_with_the_lexer_about_every_program(programs):
    compared, found = 0, []
    for path, text, tokens in programs:
        scopes = at_each_character(text, tokens)
        for kind, start, end in spans_of(path):
            shown = list(dict.fromkeys(scopes[index] for index in range(start, end) if text[index] not in "\r\n"))
            compared += 1
            if split_name(kind, text[start:end], text[end : end + 1]):
                continue
            if shown and not agrees(kind, text[start:end], shown):
                line = text.count("\n", 0, start) + 1
                found.append(f"{path.relative_to(ROOT)}:{line}: {kind} {text[start:end]!r} is {shown[0]}")
    assert compared > count(50_000, 10_000)
    assert not found


@sampled
def test_nothing_in_a_program_is_marked_as_wrong(programs):
    for path, _, tokens in programs:
        if path.is_relative_to(ROOT / "stdlib") or path.parent == ROOT / "examples":
            assert not [names for _, _, names in tokens if any("invalid" in name for name in names)], path


def test_a_word_of_each_class(tokenise):
    pairs = [(kind, word) for kind, words in WORD_CLASSES.items() for word in sorted(words - CONTEXTUAL_WORDS)]
    for (kind, word), tokens in zip(pairs, tokenise(f"{word} x" for _, word in pairs), strict=True):
        assert tokens[0][2][-1].startswith((SCOPES[kind], "storage.type")), word


def test_every_builtin_that_is_called(tokenise):
    names = builtin_functions()
    for name, tokens in zip(names, tokenise(f"{name}(x)" for name in names), strict=True):
        assert tokens[0][2][-1] == "support.function.builtin", name


def marked_lines():
    """Yield the lines of the page of scopes: number, text, and the expected scope at each column that is named.

    Below a line of code stand comments: `// ^^^ scope` is about the columns above the carets, `// <- scope` about
    the first one.
    """
    number, code = 0, ""
    for index, line in enumerate((HERE / "scopes.txt").read_text(encoding="utf-8").splitlines()):
        mark = regex.match(r"//\s*(\^+|<-) ([\w.-]+)$", line)
        if mark is None:
            number, code = index, line
        else:
            columns = range(1) if mark[1] == "<-" else range(*mark.span(1))
            yield number, code, columns, mark[2]


def test_the_page_of_scopes(tokenise):
    text = (HERE / "scopes.txt").read_text(encoding="utf-8")
    starts = [0, *itertools.accumulate(len(line) + 1 for line in text.split("\n"))]
    scopes = at_each_character(text, tokenise([text])[0])
    expectations = list(marked_lines())
    assert len(expectations) > 60
    wrong = []
    for number, code, columns, scope in expectations:
        for column in columns:
            names = scopes[starts[number] + column]
            if not any(name == scope or name.startswith(f"{scope}.") for name in names):
                wrong.append(f"line {number + 1}, {code[column:][:10]!r}: {names}, not {scope}")
                break
    assert not wrong
