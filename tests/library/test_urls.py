"""URLs and query strings: the parts, the reasons of errors, and agreement with Python's urllib."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.library.urls import query_parse, query_stringify, url_build, url_parse
from harnlite.values.errors import ScriptError

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
WORDS = st.text("abcxyz0189-._~", min_size=1, max_size=8)

PARTS = [
    ("HTTP://EX.com:80/a b?x=é#f", "http ex.com nil /a%20b x=%C3%A9 f nil nil"),
    ("https://u:p@h:8443", "https h 8443 / nil nil u p"),
    ("http://u:@h/", "http h nil / nil nil u nil"),
    ("http://a/?#", "http a nil /   nil nil"),
    ("mailto:x@y", "mailto nil nil x@y nil nil nil nil"),
    ("file:///a/../b", "file nil nil /b nil nil nil nil"),
    ("http://[::1]:81/", "http [::1] 81 / nil nil nil nil"),
    ("http://0x7f.1/", "http 127.0.0.1 nil / nil nil nil nil"),
    ("http://bücher.de", "http xn--bcher-kva.de nil / nil nil nil nil"),
    ("wss:\\\\a\\b", "wss a nil /b nil nil nil nil"),
    (" foo://H/x ", "foo H nil /x nil nil nil nil"),
    ("foo:", "foo nil nil  nil nil nil nil"),
]
ORDER = ("scheme", "host", "port", "path", "query", "fragment", "username", "password")


@pytest.mark.parametrize(("url", "parts"), PARTS, ids=[url for url, _ in PARTS])
def test_parts(url, parts):
    found = url_parse(url)
    assert list(found) == sorted(ORDER)
    assert " ".join("nil" if found[name] is None else str(found[name]) for name in ORDER) == parts


FAILURES = [
    ("", "relative URL without a base"),
    ("foo", "relative URL without a base"),
    ("//host/path", "relative URL without a base"),
    ("1a:b", "relative URL without a base"),
    ("http://", "empty host"),
    ("http://:80", "empty host"),
    ("http://u@/", "empty host"),
    ("foo://:80/", "empty host"),
    ("http://a:b/", "invalid port number"),
    ("http://a:99999", "invalid port number"),
    ("http://[::1]x/", "invalid port number"),
    ("http://[::1", "invalid IPv6 address"),
    ("http://[::z]/", "invalid IPv6 address"),
    ("http://1.2.3.256/", "invalid IPv4 address"),
    ("http://a b/", "invalid international domain name"),
    ("foo://a b/", "invalid domain character"),
    ("file://a:80/", "invalid international domain name"),
]


@pytest.mark.parametrize(("url", "reason"), FAILURES, ids=[url or "nothing" for url, _ in FAILURES])
def test_failures(url, reason):
    with pytest.raises(ScriptError) as caught:
        url_parse(url)
    assert caught.value.value == f"url_parse: {reason}"
    assert caught.value.thrown


BUILT = [
    ({"scheme": "https", "host": "EXAMPLE.com"}, "https://example.com/"),
    ({"scheme": "HTTP", "host": "a", "port": 80, "path": "b"}, "http://a/b"),
    ({"scheme": "http", "host": "a", "port": 81, "path": "/x?y#z", "query": "q#r", "fragment": "f g"}, None),
    ({"scheme": "http", "host": "a", "username": "u:/", "password": "p@"}, "http://u%3A%2F:p%40@a/"),
    ({"scheme": "http", "host": "a", "port": "81"}, "http://a/"),
    ({"scheme": "mailto", "path": "x@y"}, "mailto:x@y"),
    ({"scheme": "foo", "path": "//x"}, "foo:/.//x"),
    ({"scheme": "file", "path": "/a/./b "}, "file:///a/b%20"),
    ({"scheme": "http", "host": "a", "path": "/a/../b", "query": ""}, "http://a/b?"),
    ({"scheme": "http", "host": "[::1]", "path": "\t"}, "http://[::1]/%09"),
]


@pytest.mark.parametrize(("parts", "url"), BUILT)
def test_building(parts, url):
    assert url_build(parts) == (url or "http://a:81/x%3Fy%23z?q%23r#f%20g")


UNBUILDABLE = [
    (None, "expected a dict of url parts"),
    ({}, "'scheme' is required"),
    ({"scheme": "http"}, "empty host"),
    ({"scheme": "http://x/?", "host": "a"}, "relative URL without a base"),
    ({"scheme": "http", "host": "a/b"}, "invalid international domain name"),
    ({"scheme": "http", "host": "u@a"}, "invalid international domain name"),
    ({"scheme": "http", "host": "a:80"}, "invalid international domain name"),
    ({"scheme": "foo", "host": "a#b"}, "invalid domain character"),
    ({"scheme": "http", "host": "[::1]:80"}, "invalid IPv6 address"),
    ({"scheme": "http", "host": "a", "port": 65_536}, "invalid port number"),
    ({"scheme": "http", "host": "a", "port": -1}, "invalid port number"),
]


@pytest.mark.parametrize(("parts", "reason"), UNBUILDABLE)
def test_what_cannot_be_built(parts, reason):
    with pytest.raises(ScriptError) as caught:
        url_build(parts)
    assert caught.value.value == f"url_build: {reason}"


@given(st.one_of(TEXTS, st.from_regex(r"(https?|foo|file):/{0,3}[a-z0-9@:\[\].%]{0,9}[/?#]?.{0,9}", fullmatch=True)))
def test_any_text_has_parts_that_build_the_same_url_or_a_language_error(text):
    try:
        parts = url_parse(text)
    except ScriptError:
        return
    assert url_parse(url_build(parts)) == parts


@given(WORDS, st.integers(1, 65_535), st.lists(WORDS), st.one_of(st.none(), WORDS), st.one_of(st.none(), WORDS))
def test_plain_urls_have_the_parts_that_urllib_finds(name, port, segments, query, fragment):
    steps = [segment for segment in segments if segment.strip(".")]
    url = f"https://{name.strip('-._~') or 'h'}x.example:{port}/{'/'.join(steps)}".replace("~", "").replace("_", "")
    url += ("" if query is None else f"?{query}") + ("" if fragment is None else f"#{fragment}")
    try:
        found, split = url_parse(url), urlsplit(url)
    except ScriptError as error:
        assert error.value == "url_parse: invalid international domain name"  # noqa: PT017 - names with `xn--`
        return
    assert (found["host"], found["path"]) == (split.hostname, split.path)
    assert (found["port"] or 443) == split.port
    assert (found["query"] or "", found["fragment"] or "") == (split.query, split.fragment)


@given(TEXTS)
def test_queries_are_parsed_as_urllib_parses_them(text):
    theirs = [{"key": key, "value": value} for key, value in parse_qsl(text.removeprefix("?"), keep_blank_values=True)]
    assert query_parse(text) == theirs


@given(st.lists(st.tuples(TEXTS, TEXTS)))
def test_queries_are_written_as_urllib_writes_them(pairs):
    query = query_stringify([{"key": key, "value": value} for key, value in pairs])
    assert query == urlencode(pairs, safe="*").replace("~", "%7E")
    assert [(pair["key"], pair["value"]) for pair in query_parse(f"?{query}")] == pairs


def test_long_queries_are_decoded_in_blocks():
    assert query_parse("a=" + "%C3%A9" * 100_000) == [{"key": "a", "value": "é" * 100_000}]
    assert query_parse("a=x" + "%C3%A9" * 100_000)[0]["value"] == "x" + "é" * 100_000


def test_what_is_no_list_of_pairs():
    for value, reason in (
        ({}, "expected a list of {key, value} dicts"),
        ([1], "each item must be a {key, value} dict"),
        ([{"key": "a"}], "each item must be a {key, value} dict"),
    ):
        with pytest.raises(ScriptError) as caught:
            query_stringify(value)
        assert caught.value.value == f"query_stringify: {reason}"
    assert query_stringify([{"key": 1, "value": None}]) == "1=nil"
