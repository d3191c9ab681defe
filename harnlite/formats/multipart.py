"""A reader of multipart/form-data bodies, and the rules for boundaries."""

from __future__ import annotations

import re

from harnlite.values.interrupts import poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    Part = tuple[dict[str, str], str, str | None, bytes]
    """The headers, the name, the file name and the content of a field."""

_MAX_BOUNDARY: Final = 70
_NOT_IN_BOUNDARIES: Final = re.compile(r"[^0-9A-Za-z'()+_,./:=? -]")
_PARAMETER: Final = re.compile(r';\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))', re.DOTALL)
_ESCAPED: Final = re.compile(r'\\(["\\])')
_LINE: Final = b"\r\n"


class MultipartError(Exception):
    """The error for a body, a boundary or a content type that is not valid."""


def read_multipart(body: bytes, boundary: str, max_field_bytes: int, max_fields: int) -> list[Part]:
    """Return the fields of a body, or raise MultipartError."""
    delimiter = b"--" + boundary.encode("ascii")
    if not body.startswith(delimiter):
        raise MultipartError("body does not start with multipart boundary")
    parts: list[Part] = []
    position, problem = len(delimiter), "malformed boundary delimiter line"
    while not body.startswith(b"--", position):
        poll_here()
        if not body.startswith(_LINE, position):
            raise MultipartError(problem)
        if len(parts) >= max_fields:
            raise MultipartError(f"field count exceeds max_fields {max_fields}")
        # The blank line may follow the delimiter at once: then there are no headers.
        head_end = body.find(_LINE * 2, position)
        if head_end < 0:
            raise MultipartError("part is missing header terminator")
        start = head_end + len(_LINE) * 2
        end = body.find(_LINE + delimiter, start)
        if end < 0:
            raise MultipartError("part is missing following boundary")
        if end - start > max_field_bytes:
            raise MultipartError(f"field size {end - start} exceeds max_field_bytes {max_field_bytes}")
        parts.append((*_described(_headers(body[position + len(_LINE) : head_end])), body[start:end]))
        position, problem = end + len(_LINE) + len(delimiter), "malformed boundary after part"
    if body[position + 2 :] not in (b"", _LINE):
        raise MultipartError("unexpected bytes after closing boundary")
    return parts


def _headers(head: bytes) -> dict[str, str]:
    headers = {}
    for line in head.decode("utf-8", "replace").split("\r\n") if head else ():
        name, colon, value = line.partition(":")
        if not colon:
            raise MultipartError(f"malformed part header line `{line}`")
        if not name.strip():
            raise MultipartError("part header name must not be empty")
        headers[name.strip().lower()] = value.strip()
    return headers


def _described(headers: dict[str, str]) -> tuple[dict[str, str], str, str | None]:
    """Return the headers of a part with the name and the file name that they give."""
    disposition = headers.get("content-disposition")
    if disposition is None:
        raise MultipartError("part is missing Content-Disposition header")
    kind, parameters = _value_and_parameters(disposition)
    if kind.lower() != "form-data":
        raise MultipartError(f"expected form-data disposition, got {kind}")
    if "name" not in parameters:
        raise MultipartError("part Content-Disposition is missing name")
    return headers, parameters["name"], parameters.get("filename")


def boundary_of(content_type: str) -> str:
    """Return the boundary in a content type, or raise MultipartError."""
    kind, parameters = _value_and_parameters(content_type)
    if kind.lower() != "multipart/form-data":
        raise MultipartError(f"expected multipart/form-data content type, got {kind}")
    if "boundary" not in parameters:
        raise MultipartError("content type is missing boundary")
    return checked_boundary(parameters["boundary"])


def checked_boundary(boundary: str) -> str:
    """Return a boundary if it is valid, or raise MultipartError."""
    if not boundary:
        raise MultipartError("boundary must not be empty")
    if len(boundary.encode("utf-8", "replace")) > _MAX_BOUNDARY:
        raise MultipartError(f"boundary must be at most {_MAX_BOUNDARY} bytes")
    if _NOT_IN_BOUNDARIES.search(boundary) or boundary.endswith(" "):
        raise MultipartError("boundary contains a character that is not valid in multipart/form-data")
    return boundary


def _value_and_parameters(header: str) -> tuple[str, dict[str, str]]:
    """Return the value of a header and its parameters, of which the first of each name counts."""
    value, _, _ = header.partition(";")
    found: dict[str, str] = {}
    position = len(value)
    while match := _PARAMETER.match(header, position):
        quoted, plain = match[2], match[3]
        text = plain.strip() if quoted is None else _ESCAPED.sub(r"\1", quoted)
        found.setdefault(match[1].lower(), text)
        position = header.find(";", match.end())
        if position < 0:
            break
    return value.strip(), found
