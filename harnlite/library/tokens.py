"""Builtins that sign and verify JSON Web Tokens."""

from __future__ import annotations

import hmac

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import json_text
from harnlite.library.binary_text import base64url_bytes, base64url_text, utf8
from harnlite.library.native import MISSING, native
from harnlite.library.optional_packages import cryptography_here
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey

_PARTS = 3
_P256_BYTES = 32
_LONGEST_PEM = 20_000
_BAD_KEY = "InvalidKeyFormat"


# Signing


@native("jwt_sign")
def jwt_sign(alg: object = MISSING, claims: object = MISSING, private_key: object = MISSING) -> str:
    """Return a signed token with claims."""
    if alg is MISSING or claims is MISSING or private_key is MISSING:
        raise runtime_error("jwt_sign: requires 3 arguments: alg, claims, private_key")
    if not isinstance(alg, str):
        raise runtime_error(f"jwt_sign: alg must be a string, got {type_name(alg)}")
    if alg not in {"ES256", "RS256"}:
        raise runtime_error(f"jwt_sign: unsupported algorithm `{alg}`; expected ES256 or RS256")
    if claims.__class__ is not dict:
        raise runtime_error(f"jwt_sign: claims must be a dict, got {type_name(claims)}")
    if not isinstance(private_key, str):
        raise runtime_error(f"jwt_sign: private_key must be a PEM string, got {type_name(private_key)}")
    header = f'{{"typ":"JWT","alg":"{alg}"}}'
    key = _private_key(alg, private_key)
    message = f"{base64url_text(header.encode())}.{base64url_text(utf8(json_text(claims)))}"
    return f"{message}.{base64url_text(_signature(key, utf8(message)))}"


def _private_key(alg: str, pem: str) -> EllipticCurvePrivateKey | RSAPrivateKey:
    with cryptography_here("jwt_sign"):
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(_pem(pem), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if alg == "ES256" and isinstance(key, EllipticCurvePrivateKey) and isinstance(key.curve, SECP256R1):
        return key
    if alg == "RS256" and isinstance(key, RSAPrivateKey):
        return key
    raise runtime_error(f"jwt_sign: invalid {alg} PEM private key: {_BAD_KEY}")


def _pem(text: str) -> bytes:
    """Return the bytes of a PEM text; raise ValueError for one so long that the use of its key would take minutes."""
    if len(text) > _LONGEST_PEM:
        raise ValueError
    return utf8(text)


def _signature(key: EllipticCurvePrivateKey | RSAPrivateKey, message: bytes) -> bytes:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    try:
        if isinstance(key, RSAPrivateKey):
            return key.sign(message, PKCS1v15(), SHA256())
        # A signature without random numbers is the same in every run.
        r, s = decode_dss_signature(key.sign(message, ECDSA(SHA256(), deterministic_signing=True)))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise runtime_error(f"jwt_sign: signing failed: {error}") from None
    return r.to_bytes(_P256_BYTES, "big") + s.to_bytes(_P256_BYTES, "big")


# Verifying


@native("jwt_verify")
def jwt_verify(alg: object = MISSING, token: object = MISSING, key: object = MISSING) -> dict[str, object]:
    """Return the claims of a token whose signature is valid."""
    if alg is MISSING or token is MISSING or key is MISSING:
        raise thrown("jwt_verify: expected (alg, token, key)")
    name, text, secret = display(alg), display(token), display(key)
    if name not in {"HS256", "ES256", "RS256"}:
        raise thrown(f"jwt_verify: unsupported algorithm '{name}'")
    public = None if name == "HS256" else _public_key(name, secret)
    parts = text.split(".")
    if len(parts) != _PARTS:
        raise thrown("jwt_verify: InvalidToken")
    header = _json_part(parts[0])
    if not isinstance(header, dict):
        raise thrown("jwt_verify: InvalidToken")
    if header.get("alg") != name:
        raise thrown("jwt_verify: InvalidAlgorithm")
    message = utf8(f"{parts[0]}.{parts[1]}")
    signature = _decoded_part(parts[2])
    if public is None:
        is_valid = hmac.compare_digest(hmac.digest(utf8(secret), message, "sha256"), signature)
    else:
        is_valid = _is_signature(public, signature, message)
    if not is_valid:
        raise thrown("jwt_verify: InvalidSignature")
    return {"claims": _json_part(parts[1]), "valid": True}


def _public_key(alg: str, pem: str) -> EllipticCurvePublicKey | RSAPublicKey:
    with cryptography_here("jwt_verify"):
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(_pem(pem))
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if alg == "ES256" and isinstance(key, EllipticCurvePublicKey) and isinstance(key.curve, SECP256R1):
        return key
    if alg == "RS256" and isinstance(key, RSAPublicKey):
        return key
    raise thrown(f"jwt_verify: invalid {alg} public key: {_BAD_KEY}")


def _is_signature(key: EllipticCurvePublicKey | RSAPublicKey, signature: bytes, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    try:
        if isinstance(key, RSAPublicKey):
            key.verify(signature, message, PKCS1v15(), SHA256())
            return True
        if len(signature) != 2 * _P256_BYTES:
            return False
        r, s = (int.from_bytes(half, "big") for half in (signature[:_P256_BYTES], signature[_P256_BYTES:]))
        key.verify(encode_dss_signature(r, s), message, ECDSA(SHA256()))
    except InvalidSignature:
        return False
    return True


def _decoded_part(part: str) -> bytes:
    try:
        return base64url_bytes(utf8(part))
    except ValueError as error:
        raise thrown(f"jwt_verify: Base64 error: {error}") from None


def _json_part(part: str) -> object:
    data = _decoded_part(part)
    try:
        return read_json(data.decode("utf-8"))
    except (JsonError, UnicodeDecodeError) as error:
        raise thrown(f"jwt_verify: JSON error: {error}") from None
