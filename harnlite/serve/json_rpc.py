"""JSON-RPC 2.0 messages: strict JSON of one message, its classification, and the encoding of answers.

Reading never raises: a message that cannot be served becomes a `Fault`, which holds what the answer needs. The texts of
errors belong to the protocols, which differ in them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Id: TypeAlias = "str | int | None"

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603

BATCH = "batch_not_supported"
MAX_DEPTH = 128
"""The deepest nesting of arrays and objects in a message; the JSON functions of scripts have the same limit."""

_LONGEST_INT = 4300
"""The number of digits from which Python refuses to read an int."""
_LARGEST = 1.7976931348623157e308
_BOM = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = bytes(1 if byte in b"[{" else 255 if byte in b"]}" else 0 for byte in range(256))
_SURROGATES = re.compile("[\ud800-\udfff]")
_UNSAFE = re.compile("[\x7f\x85\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Request:
    """A call that expects an answer. A missing `params` and null are an empty object."""

    id: Id
    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Notification:
    """A call without an answer."""

    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the other side to one of our requests: a result, or an error object."""

    id: Any
    result: Any
    error: Any


@dataclass(frozen=True, slots=True)
class Fault:
    """A message that cannot be served: the id and the code of its answer, and the data of the error."""

    id: Id
    code: int
    data: Mapping[str, Any] | None = None


Message: TypeAlias = "Request | Notification | Reply | Fault"


def read_message(line: bytes) -> Message | None:
    """Classify the JSON text of one message; return None if the line is blank."""
    data = line.removeprefix(_BOM).strip(_SPACE)
    if not data:
        return None
    try:
        value = read_value(data)
    except ValueError:
        return Fault(None, PARSE_ERROR)
    return classified(value)


def classified(value: Any) -> Message:  # noqa: ANN401 - any JSON value
    """Classify a message that has been read."""
    if value.__class__ is list:
        return Fault(None, INVALID_REQUEST, {"reason": BATCH})
    if value.__class__ is not dict:
        return Fault(None, INVALID_REQUEST)
    if "method" not in value and ("result" in value or "error" in value):
        return Reply(value.get("id"), value.get("result"), value.get("error"))
    given = value.get("id")
    is_usable = given is None or given.__class__ in (str, int)
    request_id = given if is_usable else None
    params = value.get("params")
    if params is None:
        params = {}
    method = value.get("method")
    is_valid = is_usable and value.get("jsonrpc") == "2.0" and params.__class__ is dict
    if not is_valid or not isinstance(method, str):
        return Fault(request_id, INVALID_REQUEST)
    return Request(request_id, method, params) if "id" in value else Notification(method, params)


# Reading


def read_value(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a JSON text; raise ValueError if it is not JSON, not UTF-8 or nested too deeply.

    Of duplicate keys the last wins. Lone surrogates become U+FFFD. Numbers beyond the range of floats become the
    largest float, since the value must be writable as JSON again.
    """
    text = data.decode("utf-8")
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _is_deep(data):
        raise ValueError("nested too deeply")
    value = _DECODER.decode(text)
    return _without_surrogates(value) if _ESCAPED_SURROGATE.search(data) else value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _float(text: str) -> float:
    return max(-_LARGEST, min(float(text), _LARGEST))


def _int(text: str) -> int | float:
    return int(text) if len(text) <= _LONGEST_INT else _float(text)


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_float, parse_int=_int)


def _is_deep(data: bytes) -> bool:
    """Return whether brackets outside of strings are nested more deeply than the limit.

    Python's decoder would use the C stack for each level: a running script raises the recursion limit of the process.
    """
    brackets = _STRING.sub(b"", data).translate(_STEPS, _NO_BRACKETS)
    return any(depth > MAX_DEPTH for depth in accumulate(memoryview(brackets).cast("b")))


def _without_surrogates(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if value.__class__ is str:
        return _SURROGATES.sub("\ufffd", value)
    if value.__class__ is list:
        return [_without_surrogates(item) for item in value]
    if value.__class__ is dict:
        return {_SURROGATES.sub("\ufffd", key): _without_surrogates(item) for key, item in value.items()}
    return value


# Writing


def encoded(message: Mapping[str, Any]) -> bytes:
    """Return the JSON text of a message in UTF-8, without line breaks.

    Characters that some readers take for line breaks are escaped. Values that JSON lacks are written as null or, for
    lone surrogates, as U+FFFD.
    """
    try:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(message), ensure_ascii=False, separators=(",", ":"))
    if not text.isascii() or "\x7f" in text:
        text = _UNSAFE.sub(_escaped, text)
    return text.encode("utf-8")


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return "\ufffd" if "\ud800" <= character <= "\udfff" else f"\\u{ord(character):04x}"


def _finite(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, (list, tuple)) else value


def result_message(request_id: Id, result: object) -> dict[str, Any]:
    """Return the answer to a request."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error_message(request_id: Id, code: int, message: str, data: object = None) -> dict[str, Any]:
    """Return an error as the answer to a request; its text becomes one line, and empty data is omitted."""
    error: dict[str, Any] = {"code": code, "message": one_line(message)}
    if data:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def notification_message(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call that expects no answer."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def request_message(request_id: str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call that expects an answer."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def one_line(text: str) -> str:
    """Return the first line of a text that is not blank."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
