"""The encodings, bytes and UUIDs, compared with Python's own libraries, and their exact errors."""

from __future__ import annotations

import base64
import contextlib
import types
import urllib.parse
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.library import byte_strings, encoding, uuids
from harnlite.library.binary_text import base32_bytes, base64_bytes, base64url_bytes, hex_bytes
from harnlite.runtime.tasks.clock import Clock
from harnlite.runtime.tasks.ids import Ids
from harnlite.values.errors import ScriptError

DECODERS = {
    "base64": encoding.base64_decode,
    "base64url": encoding.base64url_decode,
    "base32": encoding.base32_decode,
    "hex": encoding.hex_decode,
}
ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=40)
NEARLY = st.text(st.sampled_from("ABab01/+-_=28 \u00e9%G"), max_size=24)


def error_of(function, *args):
    with pytest.raises(ScriptError) as caught:
        function(*args)
    return caught.value.value


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("base64", "!abc", "Invalid symbol 33, offset 0."),
        ("base64", "aGVsb", "Invalid input length: 5"),
        ("base64", "aGVsbG8", "Invalid padding"),
        ("base64", "aGVsbG9=", "Invalid last symbol 57, offset 6."),
        ("base64", "aGVs\n", "Invalid symbol 10, offset 4."),
        ("base64", "ab=c", "Invalid symbol 61, offset 2."),
        ("base64", "-_8=", "Invalid symbol 45, offset 0."),
        ("base64", "====", "Invalid symbol 61, offset 0."),
        ("base64url", "YT8=", "Invalid padding"),
        ("base64url", "+/8", "Invalid symbol 43, offset 0."),
        ("base64url", "Y", "Invalid input length: 1"),
        ("base32", "1AAAAAAA", "invalid symbol at 0"),
        ("base32", "nbuq====", "invalid symbol at 0"),
        ("base32", "MZXW6", "invalid length at 0"),
        ("base32", "NBUQ===A", "invalid symbol at 4"),
        ("base32", "NBUQB===", "non-zero trailing bits at 4"),
        ("base32", "N=======", "invalid padding length at 1"),
        ("hex", "abc", "Odd number of digits"),
        ("hex", "zz", "Invalid character 'z' at position 0"),
        ("hex", "0\n", "Invalid character '\\n' at position 1"),
        ("hex", "é", "Invalid character 'Ã' at position 0"),
    ],
)
def test_reasons(name, text, reason):
    assert error_of(DECODERS[name], text) == f"Runtime error: {name} decode error: {reason}"


def test_values_that_are_not_strings_are_encoded_by_their_text():
    assert encoding.base64_encode(None) == base64.b64encode(b"nil").decode()
    assert encoding.base64_encode(b"\xff") == "/w=="
    assert encoding.base64_encode() == ""
    assert encoding.hex_encode([1]) == b"[1]".hex()
    assert encoding.base64_decode("/w==") == "\ufffd"


@given(st.binary(max_size=200))
def test_as_python_encodes(data):
    assert encoding.base64_encode(data) == base64.b64encode(data).decode()
    assert encoding.base64url_encode(data) == base64.urlsafe_b64encode(data).decode().rstrip("=")
    assert encoding.base32_encode(data) == base64.b32encode(data).decode()
    assert encoding.hex_encode(data) == data.hex()
    assert base64_bytes(base64.b64encode(data)) == data
    assert base64url_bytes(base64.urlsafe_b64encode(data).rstrip(b"=")) == data
    assert base32_bytes(base64.b32encode(data)) == data
    assert hex_bytes(data.hex().upper().encode()) == data


@given(st.text(max_size=60))
def test_as_python_percent_encodes(text):
    assert encoding.url_encode(text) == urllib.parse.quote(text, safe="")
    assert encoding.url_decode(urllib.parse.quote_plus(text)) == text
    assert encoding.url_decode(text) == urllib.parse.unquote_plus(text)


@pytest.mark.parametrize("size", [79_999, 80_000, 80_005])
def test_long_base32(size):
    data = bytes(range(256)) * (size // 256 + 1)
    assert base32_bytes(base64.b32encode(data[:size])) == data[:size]


@given(ANY_TEXT | NEARLY)
def test_decoders_return_or_throw(text):
    functions = [*DECODERS.values(), encoding.url_decode, byte_strings.bytes_from_hex, byte_strings.bytes_from_base64]
    for function in [*functions, uuids.uuid_parse]:
        with contextlib.suppress(ScriptError):
            function(text)


# Bytes


def test_bytes():
    hello = byte_strings.bytes_from_string("hello")
    assert hello == b"hello"
    assert byte_strings.bytes_slice(hello, -5, 2) == b"he"
    assert byte_strings.bytes_slice(hello, 3, 99) == b"lo"
    assert byte_strings.bytes_slice(hello, 4, 2) == b""
    assert byte_strings.bytes_slice(hello, 0, -1) == b""
    assert byte_strings.bytes_concat(hello, b"!") == b"hello!"
    assert byte_strings.bytes_len(hello) == len(hello)
    assert byte_strings.bytes_eq(hello, b"hello") is True
    assert byte_strings.bytes_to_string_lossy(b"a\xff") == "a\ufffd"


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("bytes_len", (), "missing argument 1"),
        ("bytes_len", ("x",), "expected bytes at argument 1, got string"),
        ("bytes_len", (None,), "expected bytes at argument 1, got nil"),
        ("bytes_from_string", (b"",), "expected string at argument 1, got bytes"),
        ("bytes_concat", (b"",), "missing argument 2"),
        ("bytes_concat", (b"", 1), "expected bytes at argument 2, got int"),
        ("bytes_slice", (b"", 1), "missing argument 3"),
        ("bytes_slice", (b"", 1.0, 2), "expected int at argument 2, got float"),
        ("bytes_slice", (b"", True, 2), "expected int at argument 2, got bool"),
        ("bytes_eq", ("", b""), "expected bytes at argument 1, got string"),
        ("bytes_from_hex", ("0",), "Odd number of digits"),
        ("bytes_from_hex", ("0 ",), "Invalid character ' ' at position 1"),
        ("bytes_from_base64", ("A",), "Invalid input length: 1"),
        ("bytes_to_string", (b"\xff",), "invalid utf-8 sequence of 1 bytes from index 0"),
        ("bytes_to_string", (b"a\xe2\x82x",), "invalid utf-8 sequence of 2 bytes from index 1"),
        ("bytes_to_string", (b"a\xe2\x82",), "incomplete utf-8 byte sequence from index 1"),
    ],
)
def test_errors_of_bytes(name, args, text):
    assert error_of(getattr(byte_strings, name), *args) == f"Runtime error: {name}: {text}"


# UUIDs


def test_new_uuids_come_from_the_run():
    run = types.SimpleNamespace(ids=Ids(Clock()))
    assert uuid.UUID(uuids.uuid(run)).version == 4
    earlier, later = uuids.uuid_v7(run), uuids.uuid_v7(run)
    assert earlier[14] == "7"
    assert earlier[:8] <= later[:8]


@given(st.uuids())
def test_every_form_is_parsed(value):
    text = str(value)
    for form in (text, text.upper(), value.hex, f"{{{text}}}", value.urn):
        assert uuids.uuid_parse(form) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", None, "6ba7b810-9dad-11d1-80b4-00c04fd430c", "6ba7b8109-dad-11d1-80b4-00c04fd430c8"),
        *("{" + "0" * 32, "0" * 33, "0" * 32 + "\n", "\u0663" * 32),
    ],
)
def test_other_texts_are_no_uuids(text):
    assert uuids.uuid_parse(text) is None


@given(st.sampled_from(["dns", "url", "oid", "x500"]), st.text(max_size=20))
def test_version_5_as_python(name, text):
    space = getattr(uuid, f"NAMESPACE_{name.upper()}")
    expected = str(uuid.uuid5(space, text))
    for namespace in (name, name.upper(), f"namespace_{name}", f"NAMESPACE_{name}", str(space), space.hex):
        assert uuids.uuid_v5(namespace, text) == expected


def test_errors_of_version_5():
    assert error_of(uuids.uuid_v5, "dns") == "Runtime error: uuid_v5(namespace, name): requires namespace and name"
    expected = "Runtime error: uuid_v5: namespace must be a UUID or one of dns/url/oid/x500"
    assert error_of(uuids.uuid_v5, "ftp", "x") == expected
