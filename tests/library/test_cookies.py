"""Cookies and signed sessions: the texts, the errors, and agreement with Python's http.cookies and hmac."""

from __future__ import annotations

import base64
import hashlib
import hmac
from http.cookies import SimpleCookie

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harnlite
from harnlite.library.cookies import cookie_delete, cookie_parse, cookie_serialize, cookie_sign, cookie_verify
from harnlite.library.session_cookies import session_cookie, session_from_cookies, session_sign, session_verify
from harnlite.library.signatures import signature
from harnlite.values.errors import ScriptError

NAMES = st.text("abcXYZ019!#$%&'*+.^_`|~-", min_size=1)
VALUES = st.text([chr(code) for code in range(0x21, 0x7F) if chr(code) not in '",;\\'])
TEXTS = st.text(st.sampled_from('ab=;" \t\\,é\x01v1.'))


def failure(function, *arguments):
    with pytest.raises(ScriptError) as caught:
        function(*arguments)
    return caught.value.value.removeprefix("Runtime error: cookie: ")


@given(st.lists(st.tuples(NAMES, VALUES)))
def test_what_is_serialized_is_parsed(pairs):
    header = "; ".join(cookie_serialize(name, value) for name, value in pairs)
    found = cookie_parse(header)
    assert found["pairs"] == [{"name": name, "value": value} for name, value in pairs]
    assert found["cookies"] == dict(reversed(pairs))
    assert found["invalid"] == []


@given(st.dictionaries(st.text("abcXYZ019_-", min_size=2), st.text("abc019-_.", min_size=1), max_size=4))
def test_plain_cookies_are_those_that_python_finds(cookies):
    wanted = {f"x{name}": value for name, value in cookies.items()}
    header = "; ".join(f"{name}={value}" for name, value in wanted.items())
    assert cookie_parse(header)["cookies"] == {key: one.value for key, one in SimpleCookie(header).items()} == wanted


@given(TEXTS)
def test_any_header_is_parsed(text):
    found = cookie_parse(text)
    segments = [segment.strip(" \t") for segment in text.split(";")]
    assert len(found["pairs"]) + len(found["invalid"]) == len([segment for segment in segments if segment])


def test_parts_of_headers():
    found = cookie_parse('a=1; a=2; b = "x" ;; nope; é=1; c=a b; =d')
    assert found["cookies"] == {"a": "1", "b": "x"}
    assert found["duplicates"] == {"a": ["1", "2"]}
    assert found["invalid"] == [
        {"reason": "missing '='", "segment": "nope"},
        {"reason": "invalid name", "segment": "é=1"},
        {"reason": "invalid value", "segment": "c=a b"},
        {"reason": "invalid name", "segment": "=d"},
    ]
    for headers in (["a=1", "b=2"], {"COOKIE": "a=1; b=2"}, {"cookie": ["a=1", "b=2"], "host": 1}):
        assert cookie_parse(headers)["cookies"] == {"a": "1", "b": "2"}
    assert cookie_parse(None) == {"cookies": {}, "duplicates": {}, "invalid": [], "pairs": []}


def test_headers_of_other_types():
    assert failure(cookie_parse, 1) == "cookie headers must be a string, list, dict, or nil; got int"
    assert failure(cookie_parse, [1]) == "cookie header list entries must be strings, got int"
    assert failure(cookie_parse, {"Cookie": 1}) == "Cookie header must be a string or list, got int"
    assert failure(cookie_parse, {"Cookie": [None]}) == "Cookie header values must be strings, got nil"
    assert failure(cookie_parse) == "cookie_parse requires 1 arguments"
    assert failure(session_cookie, "a", 1) == "session_cookie requires 3 arguments"


OPTIONS = [
    ({}, ""),
    ({"Path": "/", "domain": "a.b", "maxAge": 5, "Expires": "x"}, "; Path=/; Domain=a.b; Max-Age=5; Expires=x"),
    ({"httponly": True, "Secure": 1, "SameSite": "NONE"}, "; HttpOnly; Secure; SameSite=None"),
    ({"http_only": False, "same_site": "strict", "max_age": 0}, "; Max-Age=0; SameSite=Strict"),
    ({"path": None, "max_age": None, "same_site": None}, ""),
]


@pytest.mark.parametrize(("options", "attributes"), OPTIONS)
def test_attributes(options, attributes):
    assert cookie_serialize("n", "v", options) == f"n=v{attributes}"


def test_errors_of_attributes():
    def fail(name, value, **options):
        return failure(cookie_serialize, name, value, options)

    assert fail("", "v") == fail("a b", "v") == fail("é", "v") == "cookie name is empty or contains invalid characters"
    for value in ("a b", 'a"', "a;", "a,", "a\n", "é", "a\\"):
        expected = "cookie value contains spaces, quotes, separators, or control characters; encode it first"
        assert fail("n", value) == expected
    assert fail("n", "v", path="/;") == "Path contains an invalid cookie attribute value"
    assert fail("n", "v", domain="\n") == "Domain contains an invalid cookie attribute value"
    assert fail("n", "v", expires="\0") == "Expires contains an invalid cookie attribute value"
    assert fail("n", "v", max_age="5") == "option max_age must be an int, got string"
    assert fail("n", "v", same_site="x") == "same_site must be one of Lax, Strict, or None"
    assert fail("n", "v", same_site="none") == "SameSite=None requires Secure"
    assert failure(cookie_serialize, "n", "v", 1) == "cookie_serialize: options must be a dict, got int"
    assert failure(cookie_delete, "n", []) == "cookie_delete: options must be a dict, got list"


def test_deletion_and_its_defaults():
    date = "Expires=Thu, 01 Jan 1970 00:00:00 GMT"
    assert cookie_delete("n") == f"n=; Path=/; Max-Age=0; {date}; HttpOnly; Secure; SameSite=Lax"
    assert cookie_delete("n", {"Path": "/x", "secure": False}).endswith(
        f"n=; Path=/x; Max-Age=0; {date}; HttpOnly; SameSite=Lax"
    )


@given(st.text(), st.text())
def test_signatures_are_those_of_python(text, secret):
    digest = hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
    assert signature(text, secret) == base64.urlsafe_b64encode(digest).decode().rstrip("=")


@given(VALUES, TEXTS)
def test_signed_values(value, other):
    signed = cookie_sign(value, "secret")
    assert cookie_verify(signed, "secret") == {"error": None, "ok": True, "value": value}
    assert cookie_verify(signed, "other") == {"error": "invalid_signature", "ok": False, "value": None}
    assert cookie_verify(other, "secret")["error"] in ("malformed", "invalid_signature")
    expected = "cookie_sign value must not contain separators or control characters"
    assert failure(cookie_sign, "a;b", "s") == failure(cookie_sign, "a\n", "s") == expected


def test_sessions():
    token = session_sign({"b": [1, None], "a": "é"}, "secret")
    middle = base64.urlsafe_b64encode('{"a":"é","b":[1,null]}'.encode()).decode().rstrip("=")
    assert token == f"v1.{middle}.{signature(middle, 'secret')}"
    assert session_verify(token, "secret") == {"error": None, "ok": True, "payload": {"a": "é", "b": [1, None]}}
    for text, error in (
        ("", "malformed"),
        ("v1.a", "malformed"),
        ("v2.a.b", "malformed"),
        (token + ".x", "malformed"),
        (token + "x", "invalid_signature"),
        (f"v1.!.{signature('!', 'secret')}", "malformed_payload"),
        (f"v1.eA.{signature('eA', 'secret')}", "malformed_payload"),
        (f"v1._w.{signature('_w', 'secret')}", "malformed_payload"),
    ):
        assert session_verify(text, "secret") == {"error": error, "ok": False, "payload": None}, text
    cookie = session_cookie("sid", 7, "secret", {"max_age": 60})
    assert cookie == f"sid={session_sign(7, 'secret')}; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax"
    assert session_from_cookies("a=1; " + cookie.partition(";")[0], "sid", "secret")["payload"] == 7
    assert session_from_cookies(None, "sid", "secret")["error"] == "missing_cookie"


TRIPS = [
    ('"b=2; Path=/"', "b=2"),
    ('["b=2", "a=1; Max-Age=5", "c=\\"q\\"", "bad", "é=1"]', "a=1; b=2; c=q"),
    ('"a=1; b=2", {"Set-Cookie": ["a=; Max-Age=0", "c=3"]}', "b=2; c=3"),
    ('"a=1; b=2; c=3", ["a=x; max-age=-1", "b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]', "c=3"),
    ('"a=1", "a=2; Max-Age=10; Expires=Thu, 01-Jan-1970 00:00:00 GMT"', "a=2"),
    ('"a=1", "a=2; Expires=Fri, 31 Dec 2999 00:00:00 GMT"', "a=2"),
    ('"a=1", "a=2; Expires=soon; Max-Age=x"', "a=2"),
    ('"a=1; a=2", nil', "a=1"),
]


@pytest.mark.parametrize(("arguments", "header"), TRIPS)
def test_round_trips(arguments, header):
    result = harnlite.Engine(cache=False).run(f"println(cookie_round_trip({arguments}).cookie_header)\n")
    assert result.stdout == f"{header}\n", result.error


def test_round_trips_follow_the_mocked_clock_and_refuse_other_types():
    program = """mock_time(0)
println(cookie_round_trip("a=1; Expires=Thu, 01 Jan 1970 00:00:01 GMT").cookies)
for value in [1, [1], {"set-cookie": 1}] {
  println(try { cookie_round_trip(value) } catch (e) { e })
}
"""
    result = harnlite.Engine(cache=False).run(program)
    assert result.stdout.splitlines() == [
        "{a: 1}",
        "Runtime error: cookie: Set-Cookie headers must be a string, list, dict, or nil; got int",
        "Runtime error: cookie: Set-Cookie list entries must be strings, got int",
        "Runtime error: cookie: Set-Cookie header must be a string or list, got int",
    ]
