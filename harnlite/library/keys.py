"""Builtins for signatures with Ed25519 and key agreement with X25519."""

from __future__ import annotations

from harnlite.library.binary_text import bytes_or_utf8, hex_bytes, utf8
from harnlite.library.native import MISSING, native
from harnlite.library.optional_packages import cryptography_here
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from harnlite.runtime.tasks.execution import Execution

_KEY_BYTES = 32


def _curves(function: str) -> ModuleType:
    with cryptography_here(function):
        from harnlite.library import curve_keys
    return curve_keys


def _private_bytes(run: Execution) -> bytes:
    """Return a new private key from the random numbers of the run."""
    try:
        key = hex_bytes(run.ids.hex(_KEY_BYTES).encode("ascii", "replace"))
    except ValueError as error:
        raise runtime_error(f"ids.hex: the host must return hex digits: {error}") from None
    if len(key) != _KEY_BYTES:
        raise runtime_error(f"ids.hex: the host must return {_KEY_BYTES} bytes, got {len(key)}")
    return key


def _key(what: str, text: object, hex_name: str, name: str) -> bytes:
    """Return the bytes of a key in hex, or raise."""
    try:
        key = hex_bytes(utf8(text))
    except ValueError as error:
        raise thrown(f"{what}: invalid {hex_name}: {error}") from None
    if len(key) != _KEY_BYTES:
        raise thrown(f"{what}: {name} must be {_KEY_BYTES} bytes")
    return key


# Ed25519


@native("ed25519_keypair")
def ed25519_keypair(run: Execution) -> dict[str, str]:
    """Return a new pair of keys for signatures."""
    curves = _curves("ed25519_keypair")
    private = _private_bytes(run)
    return {"private": private.hex(), "public": curves.signing_public(private).hex()}


@native("ed25519_sign")
def ed25519_sign(private_hex: object = MISSING, message: object = MISSING) -> str:
    """Return the signature of a message, as hex digits."""
    if private_hex is MISSING or message is MISSING:
        raise thrown("ed25519_sign: expected (private_hex, message)")
    private = _key("ed25519_sign", private_hex, "hex private key", "private key")
    signature: bytes = _curves("ed25519_sign").signature_of(private, bytes_or_utf8(message))
    return signature.hex()


@native("ed25519_verify")
def ed25519_verify(public_hex: object = MISSING, message: object = MISSING, signature_hex: object = MISSING) -> bool:
    """Return whether a signature belongs to a message and a public key."""
    if public_hex is MISSING or message is MISSING or signature_hex is MISSING:
        raise thrown("ed25519_verify: expected (public_hex, message, signature_hex)")
    curves = _curves("ed25519_verify")
    try:
        public, signature = hex_bytes(utf8(public_hex)), hex_bytes(utf8(signature_hex))
        return bool(curves.is_signature(public, bytes_or_utf8(message), signature))
    except ValueError:
        return False


# X25519


@native("x25519_keypair")
def x25519_keypair(run: Execution) -> dict[str, str]:
    """Return a new pair of keys for key agreement."""
    curves = _curves("x25519_keypair")
    private = _private_bytes(run)
    return {"private": private.hex(), "public": curves.agreement_public(private).hex()}


@native("x25519_agree")
def x25519_agree(private_hex: object = MISSING, peer_public_hex: object = MISSING) -> str:
    """Return the secret that two parties share, as hex digits."""
    if private_hex is MISSING or peer_public_hex is MISSING:
        raise thrown("x25519_agree: expected (private_hex, peer_public_hex)")
    private = _key("x25519_agree", private_hex, "private hex", "private")
    public = _key("x25519_agree", peer_public_hex, "public hex", "public")
    try:
        secret: bytes = _curves("x25519_agree").shared_secret(private, public)
    except ValueError:
        raise thrown("x25519_agree: the public key is a point of small order") from None
    return secret.hex()
