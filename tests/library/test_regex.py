"""Regular expressions: results, replacement templates, and the report of every kind of error."""

from __future__ import annotations

import time

import pytest

from harnlite.formats.patterns.matching import Pattern, compile_pattern
from harnlite.library import regex as builtins
from harnlite.values.errors import ScriptError
from harnlite.values.limits import Limits

MISTAKES = [
    ("[a", "    ^", "unclosed character class"),
    ("x[^a", "     ^^", "unclosed character class"),
    ("[]", "    ^^", "unclosed character class"),
    ("[a[b]", "    ^", "unclosed character class"),
    ("a(b", "     ^", "unclosed group"),
    ("(?", "    ^", "unclosed group"),
    ("a)", "     ^", "unopened group"),
    ("*a", "    ^", "repetition operator missing expression"),
    ("a|+", "      ^", "repetition operator missing expression"),
    ("(?i)*", "        ^", "repetition operator missing expression"),
    ("(?)", "     ^", "repetition operator missing expression"),
    ("a{2", "     ^^", "unclosed counted repetition"),
    ("a{", "     ^", "unclosed counted repetition"),
    ("a{2,", "     ^^^", "unclosed counted repetition"),
    ("a{2x", "     ^^", "unclosed counted repetition"),
    ("a{}", "      ^", "repetition quantifier expects a valid decimal"),
    ("a{,3}", "      ^", "repetition quantifier expects a valid decimal"),
    ("a{3,2}", "     ^^^^^", "invalid repetition count range, the start must be <= the end"),
    ("a{99999999999}", "      ^^^^^^^^^^^", "decimal literal invalid"),
    ("(?=x)", "    ^^^", "look-around, including look-ahead and look-behind, is not supported"),
    ("a(?!x)", "     ^^^", "look-around, including look-ahead and look-behind, is not supported"),
    ("(?<=x)", "    ^^^^", "look-around, including look-ahead and look-behind, is not supported"),
    ("(?<!x)", "    ^^^^", "look-around, including look-ahead and look-behind, is not supported"),
    (r"(a)\1", "       ^^", "backreferences are not supported"),
    (r"\9", "    ^^", "backreferences are not supported"),
    (r"\k<n>", "    ^^", "unrecognized escape sequence"),
    ("\\", "    ^", "incomplete escape sequence, reached end of pattern prematurely"),
    (r"\x{zz}", "       ^", "invalid hexadecimal digit"),
    (r"\x4", "       ^", "incomplete escape sequence, reached end of pattern prematurely"),
    (r"\x{}", "      ^^", "hexadecimal literal empty"),
    (r"\x{d800}", "       ^^^^", "hexadecimal literal is not a Unicode scalar value"),
    (r"\p{Nonsense}", "    ^^^^^^^^^^^^", "Unicode property not found"),
    (r"\p{Script=Nonsense}", "    ^^^^^^^^^^^^^^^^^^^", "Unicode property value not found"),
    (r"\p{L", "        ^", "incomplete escape sequence, reached end of pattern prematurely"),
    (r"[\b]", "     ^^", "invalid escape sequence found in character class"),
    (r"[a-\d]", "       ^^", "invalid range boundary, must be a literal"),
    ("[z-a]", "     ^^^", "invalid character class range, the start must be <= the end"),
    ("(?P<n>a)(?P<n>b)", "        ^       ^", "duplicate capture group name"),
    ("(?<1>a)", "       ^", "invalid capture group character"),
    ("(?<>a)", "       ^", "empty capture group name"),
    ("(?<a", "        ^", "unclosed capture group name"),
    ("(?z)", "      ^", "unrecognized flag"),
    ("(?ii)", "      ^^", "duplicate flag"),
    ("(?-i-s)", "      ^ ^", "flag negation operator repeated"),
    ("(?i-)", "       ^", "dangling flag negation operator"),
    ("(?i", "       ^", "expected flag but got end of regex"),
    (
        r"\b{start",
        "      ^^^^^^",
        "special word boundary assertion is either unclosed or contains an invalid character",
    ),
    (
        r"\b{foo}",
        "       ^^^",
        "unrecognized special word boundary assertion, valid choices are: start, end, start-half or end-half",
    ),
]


@pytest.mark.parametrize(("pattern", "carets", "reason"), MISTAKES)
def test_a_bad_pattern_is_shown_with_carets(pattern, carets, reason):
    with pytest.raises(ScriptError) as caught:
        builtins.regex_match(pattern, "text")
    assert caught.value.value == f"Invalid regex: regex parse error:\n    {pattern}\n{carets}\nerror: {reason}"
    assert caught.value.thrown


def test_a_pattern_of_several_lines_is_shown_with_numbers():
    with pytest.raises(ScriptError) as caught:
        builtins.regex_match("a\n(b\nc", "text")
    rule = "~" * 79
    assert caught.value.value == (
        f"Invalid regex: regex parse error:\n{rule}\n1: a\n2: (b\n   ^\n3: c\n{rule}\nerror: unclosed group"
    )


@pytest.mark.parametrize("pattern", ["a{1000}{1000}{1000}", "(?:(a|b){600}c){600}", "x{4000000000}"])
def test_a_pattern_may_not_become_too_large(pattern):
    with pytest.raises(ScriptError) as caught:
        builtins.regex_match(pattern, "text")
    assert caught.value.value == "Invalid regex: Compiled regex exceeds size limit of 10485760 bytes."


def found(pattern: str, text: str, flags: str = "") -> list[str]:
    compiled: Pattern = compile_pattern(pattern, flags)
    return [match[0] for match in compiled.matches(text, "test")]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("x*", "axb", ["", "x", ""]),
        ("|a", "a", ["", ""]),
        ("", "ab", ["", "", ""]),
        ("a$", "a\n", []),
        ("(?m)^.*$", "a\nbc\n", ["a", "bc", ""]),
        ("(?s)a.b", "a\nb", ["a\nb"]),
        ("a.b", "a\nb", []),
        ("(?U)a+", "aaa", ["a", "a", "a"]),
        ("(?U)a+?", "aaa", ["aaa"]),
        ("(?x: a  b )c d", "abc d", ["abc d"]),
        ("(?i)HÉ[a-z&&[^x]]+", "héLLOxA", ["héLLO"]),
        ("(?i)a(?-i)b", "AbAB", ["Ab"]),
        ("(?i:a)b", "AbAB", ["Ab"]),
        ("(?i)ß", "ss ẞ", ["ẞ"]),
        ("[^]a]+", "xyz]a", ["xyz"]),
        ("[a-c--b]+", "abc", ["a", "c"]),
        ("[a-c~~b-d]", "abcd", ["a", "d"]),
        ("[[:alpha:]_]+", "ab_1", ["ab_"]),
        ("[[:^digit:]]+", "a1", ["a"]),
        ("[&~-]+", "&~-", ["&~-"]),
        ("a{2}{3}", "aaaaaa", ["aaaaaa"]),
        ("a**", "aab", ["aa", ""]),
        ("(?:^)*b", "ab", ["b"]),
        (r"\x41\u{42}[\x43]\t", "ABC\t", ["ABC\t"]),
        (r"\d+", "a1٣b", ["1٣"]),
        (r"\pL+\P{L}", "éa1", ["éa1"]),
        (r"\p{Greek}+", "aβδ", ["βδ"]),
        (r"\p{Script!=Greek}", "aβ", ["a"]),
        (r"(?-u:\w)+", "aé", ["a"]),
        (r"\b{start}\w", "ab cd", ["a", "c"]),
        (r"\w\>", "ab cd", ["b", "d"]),
        (r"\Aa|b\z", "aab", ["a", "b"]),
        ("(?R)(?m)^.+$", "a\r\nb", ["a", "b"]),
        (r"\#\-\&\ \/", "#-& /", ["#-& /"]),
        ("a]b}", "a]b}", ["a]b}"]),
    ],
)
def test_the_dialect(pattern, text, expected):
    assert found(pattern, text) == expected


def test_flags_may_be_given_apart():
    assert found("a B # c", "aB", "x") == ["aB"]
    assert found("a.b", "A\nB", "is") == ["A\nB"]
    with pytest.raises(ScriptError) as caught:
        builtins.regex_match("a", "a", "ig")
    assert caught.value.value == "Invalid regex: unsupported regex flag 'g', expected one of i/m/s/x"


def test_match():
    assert builtins.regex_match(r"\d+", "a1b22") == ["1", "22"]
    assert builtins.regex_match("x", "a") is None
    assert builtins.regex_match("x") is None
    assert builtins.regex_match(1, 11) == ["1", "1"]


def test_captures():
    assert builtins.regex_captures(r"(?P<y>\d+)-(?<m>\d+)?", "12-3 4-") == [
        {"groups": ["12", "3"], "match": "12-3", "y": "12", "m": "3"},
        {"groups": ["4", None], "match": "4-", "y": "4"},
    ]
    assert builtins.regex_captures("(?<match>a)(?<groups>b)", "ab") == [{"match": "a", "groups": "b"}]
    assert builtins.regex_captures("x", "a") == []


@pytest.mark.parametrize(
    ("replacement", "expected"),
    [
        ("$2$1", "1a"),
        ("${1}b", "ab"),
        ("$1b", ""),
        ("$name", "a"),
        ("${name}s", "as"),
        ("$0$0", "a1a1"),
        ("$$1", "$1"),
        ("$", "$"),
        ("$-", "$-"),
        ("${1", "${1"),
        ("$9$x${}", ""),
    ],
)
def test_replacement_templates(replacement, expected):
    assert builtins.regex_replace(r"(?<name>\w)(\d)", replacement, "a1") == expected


def test_replace_takes_all_matches():
    assert builtins.regex_replace("x*", "-", "abc") == "-a-b-c-"
    assert builtins.regex_replace_all("a", "b", "aXa") == "bXb"
    assert builtins.regex_replace("a", "b") is None


def test_split_takes_the_text_first():
    assert builtins.regex_split("a,b,,c", ",") == ["a", "b", "", "c"]
    assert builtins.regex_split("abc", "") == ["", "a", "b", "c", ""]
    assert builtins.regex_split("aXbxc", "x", "i") == ["a", "b", "c"]
    assert builtins.regex_split("abc") is None


def test_a_match_that_takes_too_long_ends(monkeypatch):
    limits = Limits({"regex_milliseconds": 200})
    monkeypatch.setattr("harnlite.formats.patterns.matching.limits_here", lambda: limits)
    started = time.monotonic()
    with pytest.raises(ScriptError) as caught:
        builtins.regex_split("a" * 40 + "b", r"(a|aa|a\b{end-half})+$")
    assert caught.value.value == "Runtime error: regex_split: pattern takes too long"
    assert time.monotonic() - started < 20
