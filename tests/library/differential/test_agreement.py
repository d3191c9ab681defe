"""Builtins agree with Python's own libraries for any input that both accept."""

from __future__ import annotations

import base64
import binascii
import gzip
import hashlib
import hmac
import http.cookies
import io
import tarfile
import tomllib
import urllib.parse
import uuid as python_uuid
import zipfile
from email import message_from_bytes

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from harnlite.library import (
    archives,
    byte_strings,
    compression,
    cookies,
    encoding,
    hashing,
    multipart,
    toml,
    urls,
    uuids,
)
from harnlite.library.yaml import yaml_parse, yaml_stringify
from harnlite.values.errors import ScriptError

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
NAMES = st.text("abcXYZ019_-", min_size=1, max_size=8)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), max_size=6)


def outcome(function, *args):
    """Return a result, or None for an error of the script."""
    try:
        return function(*args)
    except ScriptError:
        return None


@given(st.binary(max_size=100))
def test_encodings_of_bytes(data):
    assert encoding.base64_encode(data) == base64.b64encode(data).decode()
    assert encoding.base64url_encode(data) == base64.urlsafe_b64encode(data).decode().rstrip("=")
    assert encoding.base32_encode(data) == base64.b32encode(data).decode()
    assert encoding.hex_encode(data) == data.hex()
    assert encoding.base64_decode(base64.b64encode(data).decode()) == data.decode("utf-8", "replace")
    assert encoding.base32_decode(base64.b32encode(data).decode()) == data.decode("utf-8", "replace")
    assert byte_strings.bytes_from_base64(base64.b64encode(data).decode()) == data
    assert byte_strings.bytes_from_hex(data.hex().upper()) == data
    assert byte_strings.bytes_to_string_lossy(data) == data.decode("utf-8", "replace")


@given(st.text("ABab+/-_=1 é", max_size=12))
def test_what_python_refuses_is_refused(text):
    try:
        expected = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        expected = None
    found = outcome(byte_strings.bytes_from_base64, text)
    # Bits that no byte uses must be zero here.
    assert found == expected or (found is None and base64.b64encode(expected or b"").decode() != text)
    try:
        expected = base64.b32decode(text)
    except (binascii.Error, ValueError):
        expected = None
    if expected is None:
        assert outcome(encoding.base32_decode, text) is None


@given(TEXTS, TEXTS)
def test_hashes(key, text):
    for name in ("md5", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512"):
        assert getattr(hashing, name)(text) == hashlib.new(name, text.encode()).hexdigest()
    digest = hmac.new(key.encode(), text.encode(), "sha256").digest()
    assert hashing.hmac_sha256(key, text) == digest.hex()
    assert hashing.hmac_sha256_base64(key, text) == base64.b64encode(digest).decode()
    assert hashing.constant_time_eq(key, text) == (key == text)


@given(TEXTS)
def test_percent_encoding(text):
    assert encoding.url_encode(text) == urllib.parse.quote(text, safe="")
    assert encoding.url_decode(text) == urllib.parse.unquote_plus(text)
    assert encoding.url_decode(urllib.parse.quote_plus(text)) == text


@given(PAIRS)
def test_queries(pairs):
    dicts = [{"key": key, "value": value} for key, value in pairs]
    written = urls.query_stringify(dicts)
    assert (
        urllib.parse.parse_qsl(written, keep_blank_values=True) == [pair for pair in pairs if pair != ("", "")]
        or ("", "") in pairs
    )
    python = urllib.parse.urlencode(pairs)
    assume(not python.startswith("?"))
    assert [(pair["key"], pair["value"]) for pair in urls.query_parse(python)] == pairs


@given(st.text("abc%41&=+;?é", max_size=30))
def test_damaged_queries(text):
    query = text.removeprefix("?")
    expected = urllib.parse.parse_qsl(query, keep_blank_values=True)
    assert [(pair["key"], pair["value"]) for pair in urls.query_parse(text)] == expected


@given(st.dictionaries(NAMES, st.text("abc019!#%&'*+.^_`|~-", max_size=10), max_size=4))
def test_cookies(values):
    assume(not any(name.lower() in http.cookies.Morsel._reserved for name in values))
    header = "; ".join(f"{name}={value}" for name, value in values.items())
    theirs = http.cookies.SimpleCookie(header)
    assert cookies.cookie_parse(header)["cookies"] == {name: morsel.value for name, morsel in theirs.items()} == values


@given(st.lists(st.tuples(NAMES, st.binary(max_size=60), NAMES | st.none()), max_size=4))
def test_multipart_as_a_mail(fields):
    form = multipart.multipart_form_data(
        [{"name": name, "content": content, "filename": filename} for name, content, filename in fields]
    )
    found = multipart.multipart_parse(form["body"], form["content_type"])
    assert [(part["name"], part["bytes"], part["filename"]) for part in found["fields"]] == fields
    assume(fields and not any(b"\r" in content or b"\n" in content for _, content, _ in fields))
    mail = message_from_bytes(f"Content-Type: {form['content_type']}\r\n\r\n".encode() + form["body"])
    parts = [(part.get_param("name", header="content-disposition"), part.get_filename()) for part in mail.get_payload()]
    assert parts == [(name, filename) for name, _, filename in fields]


@given(st.binary(max_size=300), st.integers(0, 9))
def test_gzip(data, level):
    assert gzip.decompress(compression.gzip_encode(data, level)) == data
    assert compression.gzip_decode(gzip.compress(data, level)) == data


@given(st.dictionaries(NAMES, st.binary(max_size=100), max_size=4))
def test_archives(files):
    entries = [{"path": path, "content": content, "mode": 0o600} for path, content in files.items()]
    with tarfile.open(fileobj=io.BytesIO(archives.tar_create(entries))) as archive:
        assert {member.name: archive.extractfile(member).read() for member in archive} == files
    with zipfile.ZipFile(io.BytesIO(archives.zip_create(entries))) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
        target = io.BytesIO()
        with tarfile.open(fileobj=target, mode="w", format=form) as archive:
            for path, content in files.items():
                member = tarfile.TarInfo(path)
                member.size, member.mode = len(content), 0o600
                archive.addfile(member, io.BytesIO(content))
        assert archives.tar_extract(target.getvalue()) == entries
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", method) as archive:
            for path, content in files.items():
                archive.writestr(path, content)
        assert {entry["path"]: entry["content"] for entry in archives.zip_extract(target.getvalue())} == files


@given(st.uuids(), TEXTS, st.sampled_from(["dns", "url", "oid", "x500"]))
def test_uuids(value, name, namespace):
    for text in (str(value), value.hex, value.urn, f"{{{value}}}", str(value).upper()):
        assert uuids.uuid_parse(text) == str(value)
    assert uuids.uuid_v5(str(value), name) == str(python_uuid.uuid5(value, name))
    known = getattr(python_uuid, f"NAMESPACE_{namespace.upper()}")
    assert uuids.uuid_v5(namespace, name) == str(python_uuid.uuid5(known, name))


DATA = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


class Quoted(yaml.SafeDumper):
    """Writes all strings in double quotes."""


Quoted.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


@given(st.dictionaries(TEXTS, DATA, max_size=4))
def test_toml_and_yaml_are_read_by_python(value):
    written = toml.toml_stringify(value)
    assert tomllib.loads(written) == toml.toml_parse(written) == value
    text = yaml_stringify(value)
    assert yaml_parse(text) == value
    # Strings in quotes: PyYAML takes plain texts such as `0E0` for strings, and does not read back a lone NEL.
    assert yaml_parse(yaml.dump(value, Dumper=Quoted, allow_unicode=True)) == value


@pytest.mark.parametrize("text", ["a = 1\na = 2", "a = [1", "[a]\n[a]", "a = 01", "= 1", 'a = "\\q"', "a.b = 1\na = 2"])
def test_what_tomllib_refuses_is_refused(text):
    with pytest.raises(tomllib.TOMLDecodeError):
        tomllib.loads(text)
    assert outcome(toml.toml_parse, text) is None
