"""Forms: the errors, and agreement with Python's email parser."""

from __future__ import annotations

import hashlib
from email import message_from_bytes
from email.policy import HTTP

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.library import multipart as module
from harnlite.library.multipart import (
    multipart_field_bytes,
    multipart_field_text,
    multipart_form_data,
    multipart_parse,
)
from harnlite.values.errors import ScriptError

TYPE = "multipart/form-data; boundary=b"
HEAD = b'--b\r\nContent-Disposition: form-data; name="n"\r\n\r\n'
CONTENTS = st.one_of(st.binary(max_size=40), st.text("ab\r\n-", max_size=20))
LINES = st.text("abé\"\\;= '", min_size=1, max_size=12)


def failure(function, *arguments):
    with pytest.raises(ScriptError) as caught:
        function(*arguments)
    prefix = f"Runtime error: {function.__name__}: "
    assert caught.value.value.startswith(prefix)
    return caught.value.value.removeprefix(prefix)


@st.composite
def forms(draw):
    fields = draw(st.lists(st.fixed_dictionaries({"name": LINES, "content": CONTENTS}, optional={"filename": LINES})))
    if draw(st.booleans()):
        fields = [{**field, "content_type": "text/x", "headers": {"X-A": "1"}} for field in fields]
    return fields


def content(field):
    return field["content"] if isinstance(field["content"], bytes) else field["content"].encode()


@given(forms())
def test_forms_are_parsed_again(fields):
    form = multipart_form_data(fields)
    found = multipart_parse(form["body"], form["content_type"])
    assert (found["boundary"], found["total_bytes"]) == (form["boundary"], len(form["body"]))
    assert found["field_count"] == len(fields)
    for field, one in zip(fields, found["fields"], strict=True):
        assert (one["name"], one["bytes"]) == (field["name"], content(field))
        assert (one["filename"], one["content_type"]) == (field.get("filename"), field.get("content_type"))
        assert one["headers"].get("x-a") == ("1" if "headers" in field else None)
        assert multipart_field_bytes(one) == one["bytes"]


@given(st.lists(st.tuples(st.text("abc", min_size=1), st.binary(max_size=30)), min_size=1))
def test_forms_are_those_that_the_email_parser_finds(pairs):
    form = multipart_form_data([{"name": name, "value": value} for name, value in pairs])
    head = f"Content-Type: {form['content_type']}\r\nMIME-Version: 1.0\r\n\r\n".encode()
    parts = message_from_bytes(head + form["body"], policy=HTTP).get_payload()
    names = [part.get_param("name", header="content-disposition") for part in parts]
    assert names == [name for name, _ in pairs]
    if not any(b"\r" in value or b"\n" in value for _, value in pairs):
        assert [part.get_payload(decode=True) for part in parts] == [value for _, value in pairs]


@given(st.lists(st.sampled_from([HEAD, b"--b", b"--", b"\r\n", b"x", b"n: v", b"Content-Disposition: form-data"])))
def test_any_body_is_parsed_or_refused(pieces):
    try:
        found = multipart_parse(b"".join(pieces), TYPE)
    except ScriptError:
        return
    assert found["field_count"] == len(found["fields"])


BODIES = [
    (b"", "body does not start with multipart boundary"),
    (b"x--b--", "body does not start with multipart boundary"),
    (b"--bx", "malformed boundary delimiter line"),
    (b"--b--x", "unexpected bytes after closing boundary"),
    (b"--b\r\nA: b", "part is missing header terminator"),
    (HEAD + b"x", "part is missing following boundary"),
    (b"--b\r\nbad\r\n\r\n\r\n--b--", "malformed part header line `bad`"),
    (b"--b\r\n : x\r\n\r\n\r\n--b--", "part header name must not be empty"),
    (b"--b\r\n\r\n\r\n--b--", "part is missing Content-Disposition header"),
    (b"--b\r\nA: b\r\n\r\n\r\n--b--", "part is missing Content-Disposition header"),
    (b"--b\r\ncontent-disposition: file; name=a\r\n\r\n\r\n--b--", "expected form-data disposition, got file"),
    (b"--b\r\ncontent-disposition: form-data\r\n\r\n\r\n--b--", "part Content-Disposition is missing name"),
    (HEAD + b"x\r\n--bx", "malformed boundary after part"),
]


@pytest.mark.parametrize(("body", "reason"), BODIES, ids=[reason for _, reason in BODIES])
def test_bodies_that_are_refused(body, reason):
    assert failure(multipart_parse, body, TYPE) == reason


TYPES = [
    ("text/plain; boundary=b", "expected multipart/form-data content type, got text/plain"),
    ("multipart/form-data", "content type is missing boundary"),
    ('multipart/form-data; boundary=""', "boundary must not be empty"),
    ("multipart/form-data; boundary=" + "b" * 71, "boundary must be at most 70 bytes"),
    ("multipart/form-data; boundary=b@", "boundary contains a character that is not valid in multipart/form-data"),
]


@pytest.mark.parametrize(("content_type", "reason"), TYPES, ids=[reason for _, reason in TYPES])
def test_content_types_that_are_refused(content_type, reason):
    assert failure(multipart_parse, b"", content_type) == reason


def test_limits():
    body = HEAD + b"12345\r\n--b--"

    def fail(options):
        return failure(multipart_parse, body, TYPE, options)

    assert fail({"max_total_bytes": 10}) == f"total body size {len(body)} exceeds max_total_bytes 10"
    assert fail({"max_field_bytes": 4}) == "field size 5 exceeds max_field_bytes 4"
    assert fail({"max_fields": 0}) == "field count exceeds max_fields 0"
    assert fail({"max_fields": -1}) == "max_fields must be non-negative, got -1"
    assert fail({"max_fields": "1"}) == "max_fields must be an int, got string"
    assert fail(1) == "expected options dict at argument 3, got int"
    assert multipart_parse(body, TYPE, {"max_fields": 1, "max_field_bytes": 5})["field_count"] == 1
    assert failure(multipart_parse, b"x" * (8 * 1024 * 1024 + 1), TYPE).startswith("total body size 8388609 exceeds")
    assert failure(multipart_parse, (HEAD + b"\r\n") * 129 + b"--b--", TYPE) == "field count exceeds max_fields 128"


def test_arguments():
    assert failure(multipart_parse) == "missing argument 1"
    assert failure(multipart_parse, b"") == "missing argument 2"
    assert failure(multipart_parse, 1, TYPE) == "expected bytes or string at argument 1, got int"
    assert failure(multipart_parse, b"", None) == "expected string at argument 2, got nil"
    assert multipart_parse("--b--\r\n", 'Multipart/Form-Data; charset=x; Boundary="b"')["fields"] == []


def test_contents():
    field = multipart_parse(HEAD + b"\xff\r\n--b--", TYPE)["fields"][0]
    assert (field["text"], field["bytes"], field["headers"]) == (
        None,
        b"\xff",
        {"content-disposition": 'form-data; name="n"'},
    )
    assert failure(multipart_field_text, field) == "invalid utf-8 sequence of 1 bytes from index 0"
    assert failure(multipart_field_text, {"bytes": b"a\xe2\x82"}) == "incomplete utf-8 byte sequence from index 1"
    assert multipart_field_text({"bytes": "é".encode()}) == "é"
    for function in (multipart_field_bytes, multipart_field_text):
        assert failure(function, 1) == "field must be a dict, got int"
        assert failure(function, {}) == "field is missing bytes"
        assert failure(function, {"bytes": "x"}) == "field.bytes must be bytes, got string"


def test_the_text_of_a_form():
    fields = [
        {"name": 'a"\\', "content": "x", "filename": "f", "content_type": "t/t", "headers": {"X-B": "2", "A": "1"}}
    ]
    assert multipart_form_data(fields, {"boundary": "b"})["body"] == (
        b'--b\r\nContent-Disposition: form-data; name="a\\"\\\\"; filename="f"\r\nContent-Type: t/t\r\n'
        b"A: 1\r\nX-B: 2\r\n\r\nx\r\n--b--\r\n"
    )
    fields = [{"name": "a", "content": "x"}]
    digest = hashlib.sha256(b"{content: x, name: a}\0").hexdigest()[:16]
    assert multipart_form_data(fields)["boundary"] == f"----harn-boundary-{digest}"


def test_a_boundary_that_the_content_contains_gets_a_number(monkeypatch):
    monkeypatch.setattr(module, "display", lambda _: "same")
    first = module._free_boundary([{}], [(b"", b"")])
    assert module._free_boundary([{}], [(b"", f"{first} {first}-1".encode())]) == f"{first}-2"


FIELDS = [
    (1, "fields must be a list, got int"),
    ([1], "field 1 must be a dict, got int"),
    ([{"content": ""}], "field is missing name"),
    ([{"name": "", "content": ""}], "name must not be empty"),
    ([{"name": "n"}], "field is missing content"),
    ([{"name": "n", "value": 1}], "content must be bytes or string, got int"),
    ([{"name": "a\nb", "value": ""}], "field name must be single-line"),
    ([{"name": "n", "value": "", "filename": "\r"}], "filename must be single-line"),
    ([{"name": "n", "value": "", "content_type": "a\n"}], "content_type must be single-line"),
    ([{"name": "n", "value": "", "headers": {"a\n": "x"}}], "header names must be single-line"),
    ([{"name": "n", "value": "", "headers": {"a": "\n"}}], "header values must be single-line"),
    ([{"name": "n", "value": "", "headers": {"A": 1}}], "header A must be a string, got int"),
    (
        [{"name": "n", "value": "", "headers": {"Content-TYPE": "x"}}],
        "Content-TYPE is managed by multipart_form_data",
    ),
]


@pytest.mark.parametrize(("fields", "reason"), FIELDS, ids=[reason for _, reason in FIELDS])
def test_fields_that_are_refused(fields, reason):
    assert failure(multipart_form_data, fields) == reason


def test_boundaries_that_are_refused():
    assert failure(multipart_form_data, [], {"boundary": 1}) == "boundary must be a string, got int"
    assert failure(multipart_form_data, [], {"boundary": ""}) == "boundary must not be empty"
    assert failure(multipart_form_data, [], {"boundary": "b" * 71}) == "boundary must be at most 70 bytes"
