"""Random, damaged and truncated inputs: each decoder returns or throws an error of the language, and soon."""

from __future__ import annotations

import random
import time

import pytest

from harnlite.library import archives, compression
from harnlite.values.errors import ScriptError
from tests.bench.programs import within
from tests.samples import count

PATIENCE = 20
"""Seconds after which a call hangs; each takes some milliseconds."""

PROGRAM = """
fn base64(x) { return base64_decode(x) }
fn base64url(x) { return base64url_decode(x) }
fn base32(x) { return base32_decode(x) }
fn hex(x) { return hex_decode(x) }
fn strict(x) { return [bytes_from_base64(x), bytes_from_hex(x)] }
fn percent(x) { return url_decode(x) }
fn url(x) { return [url_build(url_parse(x)), url_build({scheme: "http", host: x, path: x})] }
fn host(x) { return url_build({scheme: x, host: x}) }
fn query(x) { return query_stringify(query_parse(x)) }
fn cookie(x) { return [cookie_parse(x), cookie_round_trip(x)] }
fn session(x) { return [session_verify(x, "s"), session_from_cookies("a=" + x, "a", "s"), cookie_verify(x, "s")] }
fn multipart(x) { return multipart_parse(x, "multipart/form-data; boundary=b") }
fn content_type(x) { return multipart_parse("--b--", x) }
fn csv(x) { return csv_stringify(csv_parse(x)) }
fn table(x) { return csv_stringify(csv_parse(x, {headers: true})) }
fn junit(x) { return parse_junit_xml(x) }
fn jwt(x) { return jwt_verify("HS256", x, "k") }
fn jwt_key(x) { return jwt_verify("ES256", "eyJhbGciOiJFUzI1NiJ9.e30.AAAA", x) }
fn jwt_rsa(x) { return jwt_sign("RS256", {}, x) }
fn signed(x) { return verify_signed_url(x, "s", 5) }
fn toml(x) { return toml_stringify(toml_parse(x)) }
fn yaml(x) { return yaml_stringify(yaml_parse(x)) }
fn json(x) { return json_stringify(json_parse(x)) }
fn extract(x) { return json_extract(x) }
fn template(x) { return render_string(x, {a: [1, "b"], b: {c: 1.5}, x: x}) }
fn uuid_text(x) { return [uuid_parse(x), uuid_v5("dns", x)] }
fn date(x) { return date_format(date_parse(x)) }
fn format_of_date(x) { return date_format(0, x) }
fn curves(x) { return [ed25519_verify(x, "m", x), x25519_agree(x, x)] }
"""
KEY = "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n"
VALID = {
    "base64": "aGVsbG8gd29ybGQ=",
    "base64url": "aGVsbG8-d29ybGQ",
    "base32": "NBSWY3DPEB3W64TMMQ======",
    "hex": "68656C6c6f",
    "strict": "6865",
    "percent": "a%20b+c%C3%A9%",
    "url": "https://user:pw@[::1]:8080/a/../b?c=d#e",
    "host": "xn--bcher-kva.example",
    "query": "?a=1&b=%41+c&&d",
    "cookie": 'a=1; b="2"; Max-Age=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    "session": "v1.eyJhIjoxfQ.AAAA.BBBB",
    "multipart": '--b\r\nContent-Disposition: form-data; name="a"; filename="f"\r\nX: y\r\n\r\nabc\r\n--b--\r\n',
    "content_type": 'multipart/form-data; charset=utf-8; boundary="b\\"c"',
    "csv": 'a,b\r\n"c ""d""",e\n',
    "table": "a,b\n1,2,3\n4\n",
    "junit": "<testsuite><testcase name='a' time='1e3'>"
    "<failure message='&lt;m&#x41;'>b<![CDATA[c]]></failure></testcase>",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.AAAA",
    "jwt_key": KEY,
    "jwt_rsa": KEY.replace("PUBLIC", "RSA PRIVATE"),
    "signed": "https://h:80/a/%2e%2e/b?exp=5&sig=AAAA&kid=k&c=d#f",
    "toml": 'a = 1\n[b.c]\nd = [1.5, "x", 1979-05-27T07:32:00Z]\ne = {f = true}\n[[g]]\nh = """i\n"""\n',
    "yaml": "a: &x [1, 2.5, ~]\nb: *x\nc: |\n  text\n? d\n: !!str 5\ne: {f: 'g', h: 2001-12-14}\n",
    "json": '{"a": [1, -2.5e3, null, true], "b": "\\ud83d\\ude00\\n"}',
    "extract": 'text ```json\n{"a": [1, 2]}\n``` more',
    "template": "{{ for k, v in b -}} {{ v | upper | default: 'x' }}{{ else }}{{ end }}{{ if a[0] == 1 and not x }}"
    "{{ raw }}{{ endraw }}"
    "{{ elif b.c }}{{ include a with { q: 1 } }}{{# c #}}{{ end }}",
    "uuid_text": "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "date": "2026-03-29T14:30:00.123+02:00",
    "format_of_date": "%Y-%m-%dT%H:%M:%S.%3f%z %A %-d %%",
    "curves": "ab" * 32,
}
ODD = [*"\0\n\r\t \"'%&=;,:/\\.-+#?<>[]{}()|~é\u2028\ud800\U0010ffff", "9" * 30, "%", "{{", "}}", "\u0130", "\u0660"]


def damaged(text: str, chance: random.Random) -> str:
    """Return a text that differs from a valid one in a few places."""
    for _ in range(chance.randrange(1, 5)):
        place = chance.randrange(len(text) + 1)
        kind = chance.randrange(5)
        if kind == 0:
            text = text[:place]
        elif kind == 1:
            text = text[:place] + text[place + chance.randrange(1, 4) :]
        elif kind == 2:
            text = text[:place] + chance.choice(ODD) + text[place:]
        elif kind == 3:
            text = text[:place] + chance.choice(ODD) + text[place + 1 :]
        else:
            text = text[:place] + text[chance.randrange(len(text) + 1) :][: chance.randrange(20)] + text[place:]
    return text


@pytest.mark.parametrize("name", VALID)
def test_texts(name):
    chance = random.Random(name)
    valid = VALID[name]
    inputs = [valid[:size] for size in range(len(valid) + 1)]
    inputs += [damaged(valid, chance) for _ in range(count(5_000, 400))]
    inputs += ["".join(chance.choices(ODD, k=chance.randrange(12))) for _ in range(count(500, 60))]

    def feed(functions):
        for text in inputs:
            start = time.monotonic()
            try:
                functions[name](text)
            except ScriptError:
                pass
            except Exception as error:
                raise AssertionError(repr(text)) from error
            assert time.monotonic() - start < PATIENCE, repr(text)

    within(PROGRAM, feed)


FILES = [{"path": "é" * 60 + "/a", "content": "abc" * 50}, {"path": "b", "content": ""}]
BINARY = {
    "gzip": (compression.gzip_decode, compression.gzip_encode(b"abc" * 50)),
    "zstd": (compression.zstd_decode, compression.zstd_encode(b"abc" * 50)),
    "brotli": (compression.brotli_decode, compression.brotli_encode(b"abc" * 50)),
    "tar": (
        archives.tar_extract,
        archives.tar_create(FILES),
    ),
    "zip": (
        archives.zip_extract,
        archives.zip_create(FILES),
    ),
}


@pytest.mark.parametrize("name", BINARY)
def test_bytes(name):
    decode, valid = BINARY[name]
    chance = random.Random(name)
    for _ in range(count(10_000, 800)):
        data = bytearray(valid)
        for _ in range(chance.randrange(1, 6)):
            place = chance.randrange(len(data)) if data else 0
            kind = chance.randrange(4)
            if kind == 0:
                data[place : place + 1] = bytes([chance.randrange(256)])
            elif kind == 1:
                data[place : place + 4] = chance.choice([b"\xff" * 4, bytes(4), b"\x7f\xff\xff\xff", b"9999"])
            elif kind == 2:
                del data[place : place + chance.randrange(1, 600)]
            else:
                data[place:place] = chance.randbytes(chance.randrange(1, 20))
        start = time.monotonic()
        try:
            decode(bytes(data))
        except ScriptError:
            pass
        except Exception as error:
            raise AssertionError(bytes(data).hex()) from error
        assert time.monotonic() - start < PATIENCE
