"""Keys, tokens and signed URLs: the vectors of the RFCs, and exact errors."""

from __future__ import annotations

import sys
import types

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from harnlite.library import hashing, keys, pem_keys, signed_urls, tokens
from harnlite.library.binary_text import base64url_bytes
from harnlite.runtime.tasks.clock import Clock
from harnlite.runtime.tasks.ids import Ids
from harnlite.values.errors import ScriptError


def error_of(function, *args):
    with pytest.raises(ScriptError) as caught:
        function(*args)
    return caught.value.value


def pems(key):
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()


EC_KEY = ec.derive_private_key(0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721, ec.SECP256R1())
EC_PEM, EC_PUBLIC = pems(EC_KEY)
RSA_PEM, RSA_PUBLIC = pems(rsa.generate_private_key(65537, 2048))


# Hashes


@pytest.mark.parametrize(
    ("name", "text", "digest"),
    [
        ("blake3", "", "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"),
        ("blake3", b"\0", "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"),
        ("sha512_256", "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        ("sha3_256", b"abc", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
    ],
)
def test_hashes(name, text, digest):
    assert getattr(hashing, name)(text) == digest


# Ed25519 (RFC 8032) and X25519 (RFC 7748)

ED25519 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        b"",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        b"\x72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
]


@pytest.mark.parametrize(("private", "public", "message", "signature"), ED25519)
def test_ed25519(private, public, message, signature):
    assert keys.ed25519_sign(private, message) == signature
    assert keys.ed25519_verify(public, message, signature) is True
    assert keys.ed25519_verify(public.upper(), message, signature.upper()) is True
    assert keys.ed25519_verify(public, message + b"x", signature) is False


@given(st.text(max_size=70), st.text(max_size=140))
def test_malformed_signatures_are_not_valid(public, signature):
    assert keys.ed25519_verify(public, "message", signature) is False
    assert keys.ed25519_verify(ED25519[0][1], "message", signature) is False


def test_x25519():
    one, two = "05" * 32, "77" * 32
    assert keys.x25519_agree(one, public_of(two)) == keys.x25519_agree(two, public_of(one))
    scalar = "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"
    point = "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"
    assert keys.x25519_agree(scalar, point) == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"


class FixedIds(Ids):
    def __init__(self, digits):
        super().__init__(Clock())
        self.digits = digits

    def hex(self, count):
        return self.digits[: 2 * count]


def public_of(private):
    return keys.x25519_keypair(types.SimpleNamespace(ids=FixedIds(private)))["public"]


def test_new_keys_come_from_the_ids_of_the_run():
    private, public, _, _ = ED25519[0]
    run = types.SimpleNamespace(ids=FixedIds(private))
    assert keys.ed25519_keypair(run) == {"private": private, "public": public}
    for digits in ("", "0", "00" * 31, "zz" * 32, "é"):
        run.ids = FixedIds(digits)
        assert error_of(keys.ed25519_keypair, run).startswith("Runtime error: ids.hex: the host must return")


@pytest.mark.parametrize(
    ("function", "args", "text"),
    [
        ("ed25519_sign", ("00",), "expected (private_hex, message)"),
        ("ed25519_sign", ("0", "m"), "invalid hex private key: Odd number of digits"),
        ("ed25519_sign", ("00", "m"), "private key must be 32 bytes"),
        ("ed25519_verify", ("00", "m"), "expected (public_hex, message, signature_hex)"),
        ("x25519_agree", ("00",), "expected (private_hex, peer_public_hex)"),
        ("x25519_agree", ("zz", "00"), "invalid private hex: Invalid character 'z' at position 0"),
        ("x25519_agree", ("00" * 32, "0"), "invalid public hex: Odd number of digits"),
        ("x25519_agree", ("00", "00"), "private must be 32 bytes"),
        ("x25519_agree", ("00" * 32, "00"), "public must be 32 bytes"),
        ("x25519_agree", ("05" * 32, "00" * 32), "the public key is a point of small order"),
    ],
)
def test_errors_of_keys(function, args, text):
    assert error_of(getattr(keys, function), *args) == f"{function}: {text}"


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "harnlite.library.curve_keys", None)
    monkeypatch.delattr("harnlite.library.curve_keys")
    text = "needs the package cryptography; install it with: pip install 'harnlite[signing]'"
    assert error_of(keys.ed25519_sign, "00" * 32, "m") == f"Runtime error: ed25519_sign: {text}"


# Tokens

HS256 = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ"
    ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
)
# RFC 7515, appendix A.3
ES256 = (
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl"
    "fQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
)
ES256_POINT = ("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")


def test_tokens_of_others():
    claims = {"sub": "1234567890", "name": "John Doe", "iat": 1516239022}
    assert tokens.jwt_verify("HS256", HS256, "your-256-bit-secret") == {"claims": claims, "valid": True}
    x, y = (int.from_bytes(base64url_bytes(part.encode()), "big") for part in ES256_POINT)
    point = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
    pem = point.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    assert tokens.jwt_verify("ES256", ES256, pem)["claims"]["iss"] == "joe"


def test_signatures_without_random_numbers():
    """RFC 6979, appendix A.2.5."""
    expected = (
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
        "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
    )
    assert pem_keys.signature_of(pem_keys.private_key("ES256", EC_PEM.encode()), b"sample").hex() == expected


@pytest.mark.parametrize(("alg", "private", "public"), [("ES256", EC_PEM, EC_PUBLIC), ("RS256", RSA_PEM, RSA_PUBLIC)])
def test_round_trips(alg, private, public):
    claims = {"b": [1, None], "a": "é"}
    token = tokens.jwt_sign(alg, claims, private)
    head, body, signature = token.split(".")
    assert base64url_bytes(head.encode()).decode() == f'{{"typ":"JWT","alg":"{alg}"}}'
    assert base64url_bytes(body.encode()).decode() == '{"a":"é","b":[1,null]}'
    assert tokens.jwt_verify(alg, token, public) == {"claims": claims, "valid": True}
    other = tokens.jwt_sign(alg, {}, private).split(".")[1]
    assert error_of(tokens.jwt_verify, alg, f"{head}.{other}.{signature}", public) == "jwt_verify: InvalidSignature"
    assert error_of(tokens.jwt_verify, alg, f"{head}.{body}.AA", public) == "jwt_verify: InvalidSignature"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (("ES256", {}), "requires 3 arguments: alg, claims, private_key"),
        ((1, {}, ""), "alg must be a string, got int"),
        (("HS256", {}, ""), "unsupported algorithm `HS256`; expected ES256 or RS256"),
        (("ES256", [], ""), "claims must be a dict, got list"),
        (("ES256", {}, b""), "private_key must be a PEM string, got bytes"),
        (("ES256", {}, "x"), "invalid ES256 PEM private key: InvalidKeyFormat"),
        (("ES256", {}, RSA_PEM), "invalid ES256 PEM private key: InvalidKeyFormat"),
        (("RS256", {}, EC_PEM), "invalid RS256 PEM private key: InvalidKeyFormat"),
    ],
)
def test_errors_of_signing(args, text):
    assert error_of(tokens.jwt_sign, *args) == f"Runtime error: jwt_sign: {text}"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (("HS256", "x"), "expected (alg, token, key)"),
        (("none", HS256, ""), "unsupported algorithm 'none'"),
        (("HS256", HS256, "wrong"), "InvalidSignature"),
        (("HS256", HS256 + ".x", "wrong"), "InvalidToken"),
        (("HS256", "a.b", "wrong"), "InvalidToken"),
        (("HS256", ES256, EC_PUBLIC), "InvalidAlgorithm"),
        (("ES256", HS256, "x"), "invalid ES256 public key: InvalidKeyFormat"),
        (("RS256", HS256, EC_PUBLIC), "invalid RS256 public key: InvalidKeyFormat"),
    ],
)
def test_errors_of_verifying(args, text):
    assert error_of(tokens.jwt_verify, *args) == f"jwt_verify: {text}"


@given(st.text(st.sampled_from("eyJhbGciOiJIUzI1NiJ9.e30{}=é"), max_size=60))
def test_any_text_is_refused_as_a_token(text):
    assert error_of(tokens.jwt_verify, "HS256", text, "secret").startswith("jwt_verify: ")


# Signed URLs


def test_a_signed_url():
    base = "HTTPS://u:p@Example.com:443/a/./b c?x=1&sig=old#f"
    url = signed_urls.signed_url(base, {"user": 7, "a b": "é"}, "k", 99)
    head, _, query = url.partition("?")
    assert head == "https://example.com/a/b%20c"
    parts = query.split("&")
    assert parts == sorted(parts)
    signature = next(part for part in parts if part.startswith("sig="))
    canonical = "&".join(part for part in parts if part != signature)
    assert canonical == "a%20b=%C3%A9&exp=99&user=7&x=1"
    mac = hashing.hmac_sha256_base64("k", f"harn-signed-url-v1\n{head}\n{canonical}")
    assert signature == "sig=" + mac.replace("+", "-").replace("/", "_").rstrip("=")
    assert signed_urls.verify_signed_url(url, "k", 99) == {
        "claims": {"a b": "é", "user": "7", "x": "1"},
        "expired": False,
        "expires_at": 99,
        "kid": None,
        "reason": "ok",
        "signature_valid": True,
        "valid": True,
    }


def reason(url, secret="k", now=0, options=None):
    found = signed_urls.verify_signed_url(url, secret, now, options)
    assert found["valid"] == (found["reason"] == "ok")
    assert found["signature_valid"] == (found["reason"] in {"ok", "expired"})
    return found["reason"]


def test_reasons():
    url = signed_urls.signed_url("/p", {}, "k", 99, {"kid": "one"})
    assert reason(url, {"one": "k"}) == "ok"
    assert reason(url, {"one": "k"}, 100) == "expired"
    assert reason(url, {"one": "k"}, 100, {"skew_seconds": 1}) == "ok"
    assert reason(url, {"two": "k"}) == "unknown_key"
    assert reason(url + "&kid=two", {"one": "k"}) == "duplicate_kid"
    assert reason(url + "&x=1") == "bad_signature"
    assert reason(url, "other") == "bad_signature"
    assert reason(url + "&sig=x") == "bad_signature"
    assert reason("/q" + url[2:]) == "bad_signature"
    assert reason("/p?exp=99") == "missing_signature"
    assert reason("/p?sig=x") == "missing_expiry"
    assert reason("/p?sig=x&exp=soon") == "invalid_expiry"
    assert reason("/p?sig=x&exp=99999999999999999999") == "invalid_expiry"
    named = {"signature_param": "s", "expires_param": "e", "kid_param": "k"}
    assert reason(signed_urls.signed_url("/p", {"sig": 1}, "k", 5, named), options=named) == "ok"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (("/p", {}, "k"), "requires 4 or 5 arguments: base, claims, secret, expires_at, options?"),
        ((1, {}, "k", 1), "base must be a string, got int"),
        (("/p", [], "k", 1), "claims must be a dict, got list"),
        (("/p", {}, 1, 1), "secret must be a string, got int"),
        (("/p", {}, "k", "1"), "expires_at must be an int, got string"),
        (("/p", {"exp": 1}, "k", 1), "claims cannot contain reserved parameter `exp`"),
        (("/p", {}, "k", 1, 5), "options must be a dict, got int"),
        (("/p", {}, "k", 1, {"kid": 5}), "option `kid` must be a string, got int"),
        (("/p", {}, "k", 1, {"skew_seconds": "1"}), "option `skew_seconds` must be an int, got string"),
        (("/p", {}, "k", 1, {"kid": ""}), "option `kid` cannot be empty"),
        (("/p", {}, "k", 1, {"kid_param": "sig"}), "signature_param, expires_param, and kid_param must be distinct"),
        (("/p", {}, "k", 1, {"skew_seconds": -1}), "skew_seconds must be greater than or equal to 0"),
        (("p", {}, "k", 1), "expected an absolute URL or an absolute path starting with `/`"),
        (("mailto:x", {}, "k", 1), "expected an absolute URL with a host or an absolute path starting with `/`"),
        (("file:///x", {}, "k", 1), "expected an absolute URL with a host or an absolute path starting with `/`"),
    ],
)
def test_errors_of_signed_urls(args, text):
    assert error_of(signed_urls.signed_url, *args) == f"Runtime error: signed_url: {text}"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (("/p", "k"), "requires 3 or 4 arguments: url, secret_or_keys, now, options?"),
        ((1, "k", 1), "url must be a string, got int"),
        (("/p", 1, 1), "secret_or_keys must be a string or dict, got int"),
        (("/p", "k", 1.0), "now must be an int, got float"),
        (("p", "k", 1), "expected an absolute URL or an absolute path starting with `/`"),
    ],
)
def test_errors_of_verifying_urls(args, text):
    assert error_of(signed_urls.verify_signed_url, *args) == f"Runtime error: verify_signed_url: {text}"


@given(st.text(max_size=50), st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.integers(), max_size=4))
def test_any_claims_come_back(path, claims):
    claims = {key: value for key, value in claims.items() if key not in {"sig", "exp", "kid"}}
    url = signed_urls.signed_url("/" + path.split("?")[0].split("#")[0], claims, "k", 9)
    found = signed_urls.verify_signed_url(url, "k", 9)
    assert found["valid"]
    assert found["claims"] == {key: str(value) for key, value in claims.items()}
