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
    from types import ModuleType

_PARTS = 3


def _keys(function: str) -> ModuleType:
    with cryptography_here(function):
        from harnlite.library import pem_keys
    return pem_keys


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
    keys = _keys("jwt_sign")
    try:
        key = keys.private_key(alg, utf8(private_key))
    except ValueError as error:
        raise runtime_error(f"jwt_sign: invalid {alg} PEM private key: {error}") from None
    header = f'{{"typ":"JWT","alg":"{alg}"}}'
    message = f"{base64url_text(utf8(header))}.{base64url_text(utf8(json_text(claims)))}"
    try:
        return f"{message}.{base64url_text(keys.signature_of(key, utf8(message)))}"
    except ValueError as error:
        raise runtime_error(f"jwt_sign: signing failed: {error}") from None


@native("jwt_verify")
def jwt_verify(alg: object = MISSING, token: object = MISSING, key: object = MISSING) -> dict[str, object]:
    """Return the claims of a token whose signature is valid."""
    if alg is MISSING or token is MISSING or key is MISSING:
        raise thrown("jwt_verify: expected (alg, token, key)")
    name, text = display(alg), display(token)
    if name not in {"HS256", "ES256", "RS256"}:
        raise thrown(f"jwt_verify: unsupported algorithm '{name}'")
    public = None if name == "HS256" else _public_key(name, key)
    parts = text.split(".", _PARTS)
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
        is_valid = hmac.compare_digest(hmac.digest(utf8(key), message, "sha256"), signature)
    else:
        is_valid = _keys("jwt_verify").is_signature(public, message, signature)
    if not is_valid:
        raise thrown("jwt_verify: InvalidSignature")
    return {"claims": _json_part(parts[1]), "valid": True}


def _public_key(alg: str, key: object) -> object:
    keys = _keys("jwt_verify")
    try:
        return keys.public_key(alg, utf8(key))
    except ValueError as error:
        raise thrown(f"jwt_verify: invalid {alg} public key: {error}") from None


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
