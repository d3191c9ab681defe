"""Signatures with Ed25519 and key agreement with X25519, by the package cryptography."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey


def signing_public(private: bytes) -> bytes:
    """Return the public key of an Ed25519 private key."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def signature_of(private: bytes, message: bytes) -> bytes:
    """Return the Ed25519 signature of a message."""
    return Ed25519PrivateKey.from_private_bytes(private).sign(message)


def is_signature(public: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether an Ed25519 signature is valid; raise ValueError for a malformed key."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def agreement_public(private: bytes) -> bytes:
    """Return the public key of an X25519 private key."""
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def shared_secret(private: bytes, public: bytes) -> bytes:
    """Return the secret of an X25519 private key and another party's public key; raise ValueError if it is zero."""
    return X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))
