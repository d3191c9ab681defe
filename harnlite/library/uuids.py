"""Builtins for UUIDs."""

from __future__ import annotations

import hashlib
import re

from harnlite.library.native import MISSING, native
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_DIGITS = re.compile(r"[0-9a-fA-F]{32}")
_HYPHENATED = re.compile(
    r"(?:urn:uuid:)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|\{[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}"
)
_NAMESPACES = {
    "dns": "6ba7b8109dad11d180b400c04fd430c8",
    "url": "6ba7b8119dad11d180b400c04fd430c8",
    "oid": "6ba7b8129dad11d180b400c04fd430c8",
    "x500": "6ba7b8149dad11d180b400c04fd430c8",
}


def _digits_of(text: str) -> str | None:
    """Return the 32 lower-case hex digits of a UUID in any accepted form, or None."""
    if _DIGITS.fullmatch(text):
        return text.lower()
    if _HYPHENATED.fullmatch(text):
        return text.removeprefix("urn:uuid:").strip("{}").replace("-", "").lower()
    return None


def _hyphenated(digits: str) -> str:
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


@native("uuid")
def uuid(run: Execution) -> str:
    """Return a random UUID of version 4."""
    return run.ids.uuid4()


@native("uuid_v7")
def uuid_v7(run: Execution) -> str:
    """Return a UUID of version 7, which starts with the time."""
    return run.ids.uuid7()


@native("uuid_nil")
def uuid_nil() -> str:
    """Return the UUID of zeros."""
    return _hyphenated("0" * 32)


@native("uuid_parse")
def uuid_parse(text: object = "") -> str | None:
    """Return the canonical text of a UUID, or None if the text is not one."""
    digits = _digits_of(display(text))
    return None if digits is None else _hyphenated(digits)


@native("uuid_v5")
def uuid_v5(namespace: object = MISSING, name: object = MISSING) -> str:
    """Return the UUID of version 5 that a name has in a namespace."""
    if namespace is MISSING or name is MISSING:
        raise runtime_error("uuid_v5(namespace, name): requires namespace and name")
    given = display(namespace)
    known = _NAMESPACES.get(given.lower().removeprefix("namespace_")) or _digits_of(given)
    if known is None:
        raise runtime_error("uuid_v5: namespace must be a UUID or one of dns/url/oid/x500")
    data = bytes.fromhex(known) + display(name).encode("utf-8", "surrogatepass")
    octets = bytearray(hashlib.sha1(data, usedforsecurity=False).digest()[:16])
    octets[6] = octets[6] & 0x0F | 0x50
    octets[8] = octets[8] & 0x3F | 0x80
    return _hyphenated(octets.hex())
