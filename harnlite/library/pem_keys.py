"""Keys in PEM format and their signatures for JSON Web Tokens, by the package cryptography."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
)
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

if TYPE_CHECKING:
    from typing import TypeAlias

    PrivateKey: TypeAlias = EllipticCurvePrivateKey | RSAPrivateKey
    PublicKey: TypeAlias = EllipticCurvePublicKey | RSAPublicKey

_P256_BYTES = 32
_LONGEST_PEM = 7_000
"""RSA keys of more than 8,192 bits are refused, because the check of a longer one takes many seconds."""
_BAD_KEY = "InvalidKeyFormat"


def private_key(alg: str, pem: bytes) -> PrivateKey:
    """Return the private key for an algorithm, or raise ValueError with the reason."""
    try:
        key = load_pem_private_key(pem[:_LONGEST_PEM], None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise ValueError(_BAD_KEY) from None
    if alg == "ES256" and isinstance(key, EllipticCurvePrivateKey) and isinstance(key.curve, SECP256R1):
        return key
    if alg == "RS256" and isinstance(key, RSAPrivateKey):
        return key
    raise ValueError(_BAD_KEY)


def public_key(alg: str, pem: bytes) -> PublicKey:
    """Return the public key for an algorithm, or raise ValueError with the reason."""
    try:
        key = load_pem_public_key(pem[:_LONGEST_PEM])
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise ValueError(_BAD_KEY) from None
    if alg == "ES256" and isinstance(key, EllipticCurvePublicKey) and isinstance(key.curve, SECP256R1):
        return key
    if alg == "RS256" and isinstance(key, RSAPublicKey):
        return key
    raise ValueError(_BAD_KEY)


def signature_of(key: PrivateKey, message: bytes) -> bytes:
    """Return the signature of a message, or raise ValueError with the reason."""
    try:
        if isinstance(key, RSAPrivateKey):
            return key.sign(message, PKCS1v15(), SHA256())
        # A signature without random numbers is the same in every run.
        r, s = decode_dss_signature(key.sign(message, ECDSA(SHA256(), deterministic_signing=True)))
    except UnsupportedAlgorithm as error:
        raise ValueError(str(error)) from None
    return r.to_bytes(_P256_BYTES, "big") + s.to_bytes(_P256_BYTES, "big")


def is_signature(key: PublicKey, message: bytes, signature: bytes) -> bool:
    """Return whether a signature belongs to a message and a key."""
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
