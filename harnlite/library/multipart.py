"""Builtins that read and write multipart/form-data bodies."""

from __future__ import annotations

import hashlib

from harnlite.formats.multipart import MultipartError, boundary_of, checked_boundary, read_multipart
from harnlite.library.native import MISSING, native
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error
from harnlite.values.iteration import polled
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.values.errors import ScriptError

_LIMITS = {"max_total_bytes": 8 << 20, "max_field_bytes": 8 << 20, "max_fields": 128}
_MANAGED = frozenset({"content-disposition", "content-type"})
_HASH_DIGITS = 16


class _Errors:
    """Makes the errors of one builtin."""

    __slots__ = ("function",)

    def __init__(self, function: str) -> None:
        self.function = function

    def __call__(self, reason: str) -> ScriptError:
        return runtime_error(f"{self.function}: {reason}")

    def data(self, value: object, what: str) -> bytes:
        """Return bytes, or the UTF-8 of a string."""
        if isinstance(value, bytes):
            return value
        if not isinstance(value, str):
            raise self(f"{what}, got {type_name(value)}")
        return value.encode("utf-8", "replace")

    def single_line(self, value: object, what: str) -> str:
        """Return the text of a value, which must have one line."""
        text = display(value)
        if "\r" in text or "\n" in text:
            raise self(f"{what} must be single-line")
        return text


_PARSE, _FORM = _Errors("multipart_parse"), _Errors("multipart_form_data")
_BYTES, _TEXT = _Errors("multipart_field_bytes"), _Errors("multipart_field_text")


def _required(errors: _Errors, *arguments: object) -> None:
    for place, argument in enumerate(arguments, 1):
        if argument is MISSING:
            raise errors(f"missing argument {place}")


@native("multipart_parse")
def multipart_parse(
    body: object = MISSING, content_type: object = MISSING, options: object = None
) -> dict[str, object]:
    """Return the fields of a multipart/form-data body."""
    _required(_PARSE, body, content_type)
    data = _PARSE.data(body, "expected bytes or string at argument 1")
    if not isinstance(content_type, str):
        raise _PARSE(f"expected string at argument 2, got {type_name(content_type)}")
    limits = _limits(options)
    try:
        boundary = boundary_of(content_type)
        if len(data) > limits["max_total_bytes"]:
            raise _PARSE(f"total body size {len(data)} exceeds max_total_bytes {limits['max_total_bytes']}")
        parts = read_multipart(data, boundary, limits["max_field_bytes"], limits["max_fields"])
    except MultipartError as error:
        raise _PARSE(str(error)) from None
    fields = [
        {
            "bytes": content,
            "content_type": headers.get("content-type"),
            "filename": filename,
            "headers": headers,
            "name": name,
            "text": _text_or_nil(content),
        }
        for headers, name, filename, content in parts
    ]
    return {"boundary": boundary, "field_count": len(fields), "fields": fields, "total_bytes": len(data)}


def _limits(options: object) -> dict[str, int]:
    if options is not None and not isinstance(options, dict):
        raise _PARSE(f"expected options dict at argument 3, got {type_name(options)}")
    limits = dict(_LIMITS)
    for name in _LIMITS:
        value = options.get(name) if options else None
        if value is None:
            continue
        if value.__class__ is not int:
            raise _PARSE(f"{name} must be an int, got {type_name(value)}")
        if value < 0:
            raise _PARSE(f"{name} must be non-negative, got {value}")
        limits[name] = value
    return limits


def _text_or_nil(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


@native("multipart_field_bytes")
def multipart_field_bytes(field: object = None) -> bytes:
    """Return the content of a field."""
    return _content(_BYTES, field)


@native("multipart_field_text")
def multipart_field_text(field: object = None) -> str:
    """Return the content of a field, which must be UTF-8, as text."""
    try:
        return _content(_TEXT, field).decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            raise _TEXT(f"incomplete utf-8 byte sequence from index {error.start}") from None
        count = error.end - error.start
        raise _TEXT(f"invalid utf-8 sequence of {count} bytes from index {error.start}") from None


def _content(errors: _Errors, field: object) -> bytes:
    if not isinstance(field, dict):
        raise errors(f"field must be a dict, got {type_name(field)}")
    if "bytes" not in field:
        raise errors("field is missing bytes")
    if not isinstance(field["bytes"], bytes):
        raise errors(f"field.bytes must be bytes, got {type_name(field['bytes'])}")
    return field["bytes"]


@native("multipart_form_data")
def multipart_form_data(fields: object = None, options: object = None) -> dict[str, object]:
    """Return the body and the content type of a form."""
    if not isinstance(fields, list):
        raise _FORM(f"fields must be a list, got {type_name(fields)}")
    given = options.get("boundary") if isinstance(options, dict) else None
    if given is not None and not isinstance(given, str):
        raise _FORM(f"boundary must be a string, got {type_name(given)}")
    parts: list[tuple[bytes, bytes]] = []
    size = 0
    for place, field in enumerate(polled(fields), 1):
        if not isinstance(field, dict):
            raise _FORM(f"field {place} must be a dict, got {type_name(field)}")
        head, content = _part(field)
        size += len(head) + len(content)
        check_size(size)
        parts.append((head, content))
    try:
        boundary = _free_boundary(fields, parts) if given is None else checked_boundary(given)
    except MultipartError as error:
        raise _FORM(str(error)) from None
    check_size(size + len(parts) * (len(boundary) + len("--\r\n\r\n")))
    delimiter = b"--" + boundary.encode("ascii")
    lines = [b"".join((delimiter, b"\r\n", head, b"\r\n", content, b"\r\n")) for head, content in parts]
    return {
        "body": b"".join([*lines, delimiter, b"--\r\n"]),
        "boundary": boundary,
        "content_type": f"multipart/form-data; boundary={_parameter(boundary)}",
    }


def _parameter(boundary: str) -> str:
    """Return a boundary as it is written in a content type."""
    return boundary if all(char.isalnum() or char in "'+_-." for char in boundary) else f'"{boundary}"'


def _part(field: dict[str, object]) -> tuple[bytes, bytes]:
    """Return the headers and the content of a field."""
    if field.get("name") is None:
        raise _FORM("field is missing name")
    name = _FORM.single_line(field["name"], "field name")
    if not name:
        raise _FORM("name must not be empty")
    if "content" not in field and "value" not in field:
        raise _FORM("field is missing content")
    content = _FORM.data(field.get("content", field.get("value")), "content must be bytes or string")
    head = f'Content-Disposition: form-data; name="{_escaped(name)}"'
    if field.get("filename") is not None:
        head += f'; filename="{_escaped(_FORM.single_line(field["filename"], "filename"))}"'
    head += "\r\n"
    if field.get("content_type") is not None:
        head += f"Content-Type: {_FORM.single_line(field['content_type'], 'content_type')}\r\n"
    headers = field.get("headers")
    if isinstance(headers, dict):
        head += "".join(_header(key, headers[key]) for key in sorted(headers))
    return head.encode("utf-8", "replace"), content


def _header(name: str, value: object) -> str:
    _FORM.single_line(name, "header names")
    if name.strip().lower() in _MANAGED:
        raise _FORM(f"{name} is managed by multipart_form_data")
    if value.__class__ is not str:
        raise _FORM(f"header {name} must be a string, got {type_name(value)}")
    return f"{name}: {_FORM.single_line(value, 'header values')}\r\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _free_boundary(fields: list[object], parts: list[tuple[bytes, bytes]]) -> str:
    """Return a boundary that is made from the fields and that no content contains."""
    digest = hashlib.sha256()
    for field in polled(fields):
        digest.update(display(field).encode("utf-8", "surrogatepass") + b"\0")
    first = boundary = f"----harn-boundary-{digest.hexdigest()[:_HASH_DIGITS]}"
    number = 0
    while any(boundary.encode("ascii") in content for _, content in polled(parts)):
        number += 1
        boundary = f"{first}-{number}"
    return boundary
