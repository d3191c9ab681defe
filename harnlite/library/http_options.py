"""The arguments of the builtins for HTTP, read into one call."""

from __future__ import annotations

from harnlite.diagnostics.suggest import near_name
from harnlite.formats.json.writing import data_text
from harnlite.http.addresses import address_of
from harnlite.library.argument_types import dict_argument, text_argument
from harnlite.library.urls import query_stringify
from harnlite.values.data_types import Duration, type_name
from harnlite.values.display import display
from harnlite.values.errors import ScriptError, runtime_error, type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPTIONS = ("headers", "query", "json", "form", "body", "timeout", "retries", "follow", "max_bytes", "stream")
_TIMEOUT_MS, _RETRIES, _FOLLOWED, _MAX_BYTES = 30_000, 0, 10, 50_000_000
LINES, CHUNKS = "lines", "chunks"
_BODIES = ("json", "form", "body")
_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_NOT_IN_A_VALUE = frozenset("\r\n\0")
_PLAIN = frozenset({str, int, float, bool})


class HttpCall:
    """A request as a script has described it. `url` has the query; header names are as they were given."""

    __slots__ = ("body", "follow", "function", "headers", "max_bytes", "method", "retries", "seconds", "stream", "url")

    def __init__(self, function: str, method: object, url: object, options: object) -> None:
        self.function = function
        self.method = _method(function, text_argument(function, "method", method))
        given = dict_argument(function, "options", options)
        source = text_argument(function, "url", url).strip()
        _check_names(function, given)
        self.url = _with_query(source, _pairs(function, "query", given.get("query")))
        try:
            address_of(self.url)
        except ValueError as error:
            raise ScriptError(f"Error [generic]: {error}") from None
        self.headers = _headers(function, given.get("headers"))
        self.body, kind = _body(function, given)
        _check_framing(function, self.headers, len(self.body))
        if kind and "content-type" not in {name.lower() for name, _ in self.headers}:
            self.headers.append(("Content-Type", kind))
        self.seconds = _milliseconds(function, given.get("timeout")) / 1000
        self.retries = _count(function, "retries", given, _RETRIES)
        self.follow = _count(function, "follow", given, _FOLLOWED)
        self.max_bytes = _count(function, "max_bytes", given, _MAX_BYTES)
        self.stream = _stream(function, given.get("stream"))

    def sent_headers(self) -> dict[str, str]:
        """Return the headers by their names in lower case; several of one name are joined with commas."""
        return joined_headers(self.headers)


def joined_headers(rows: list[tuple[str, str]]) -> dict[str, str]:
    """Return headers by their names in lower case, in order of the names."""
    found: dict[str, str] = {}
    for name, value in rows:
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return {name: found[name] for name in sorted(found)}


def _method(function: str, method: str) -> str:
    name = method.upper()
    if not name or not _TOKEN.issuperset(name) or name == "CONNECT":
        raise runtime_error(f"{function}: '{method}' is not a method of a request")
    return name


def _check_names(function: str, given: dict[str, Any]) -> None:
    for name in given:
        if name not in OPTIONS:
            near = near_name(name, OPTIONS)
            advice = f" (did you mean `{near}`?)" if near else ""
            raise runtime_error(f"{function}: unknown option `{name}`{advice}")


def wrong_option(function: str, name: str, value: object, kinds: str) -> ScriptError:
    """Return the type error for an option that has none of these types."""
    return type_error(f"'{function}' option `{name}` expects {kinds}, got {type_name(value)}")


def _with_query(url: str, pairs: list[dict[str, object]]) -> str:
    if not pairs:
        return url
    before, mark, fragment = url.partition("#")
    start = "?" if "?" not in before else "" if before.endswith(("?", "&")) else "&"
    return f"{before}{start}{query_stringify(pairs)}{mark}{fragment}"


def _pairs(function: str, name: str, given: object) -> list[dict[str, object]]:
    """Return the pairs of a query or a form: a list repeats its key, and nil is omitted."""
    if given is None:
        return []
    if given.__class__ is list:
        for pair in given:
            if pair.__class__ is not dict or "key" not in pair or "value" not in pair:
                raise runtime_error(f"{function}: each item of `{name}` must be a {{key, value}} dict")
        return list(given)
    if given.__class__ is not dict:
        raise wrong_option(function, name, given, "dict | list")
    found: list[dict[str, object]] = []
    for key, value in sorted(given.items()):
        values = value if value.__class__ is list else [value]
        found += [{"key": key, "value": item} for item in values if item is not None]
    return found


def header_rows(function: str, given: object) -> list[tuple[str, str]]:
    """Return the rows of a dict of headers: a list is several headers of one name, and nil is omitted."""
    if given is None:
        return []
    if given.__class__ is not dict:
        raise wrong_option(function, "headers", given, "dict")
    rows: list[tuple[str, str]] = []
    for name, value in given.items():
        for item in value if value.__class__ is list else [value]:
            if item is None:
                continue
            if item.__class__ not in _PLAIN:
                raise runtime_error(f"{function}: the header '{name}' must be a string, got {type_name(item)}")
            rows.append((name, display(item).strip(" \t")))
    return rows


def _headers(function: str, given: object) -> list[tuple[str, str]]:
    rows = header_rows(function, given)
    for name, value in rows:
        if not name or not _TOKEN.issuperset(name):
            raise runtime_error(f"{function}: '{name}' is not the name of a header")
        if not _NOT_IN_A_VALUE.isdisjoint(value):
            raise runtime_error(f"{function}: the header '{name}' must not contain line breaks")
    return rows


def _check_framing(function: str, rows: list[tuple[str, str]], size: int) -> None:
    """Throw if a header describes another body than the request has: two servers could read two requests from it."""
    for name, value in rows:
        key = name.lower()
        if key == "transfer-encoding" or (key == "content-length" and value != str(size)):
            raise runtime_error(f"{function}: the header '{name}' does not fit the body; omit it")


def _body(function: str, given: dict[str, Any]) -> tuple[bytes, str]:
    """Return the body and its content type, or an empty text if there is no body."""
    found = [name for name in _BODIES if given.get(name) is not None]
    if len(found) > 1:
        raise runtime_error(f"{function}: only one of the options json, form and body may be given")
    if not found:
        return b"", ""
    value = given[found[0]]
    if found[0] == "json":
        return data_text(value).encode("utf-8", "replace"), "application/json"
    if found[0] == "form":
        return query_stringify(_pairs(function, "form", value)).encode("ascii"), "application/x-www-form-urlencoded"
    if value.__class__ is bytes:
        return value, "application/octet-stream"
    if value.__class__ is not str:
        raise wrong_option(function, "body", value, "bytes | string")
    return value.encode("utf-8", "replace"), "text/plain; charset=utf-8"


def _milliseconds(function: str, given: object) -> int:
    if given is None:
        return _TIMEOUT_MS
    ms = given.ms if isinstance(given, Duration) else given
    if ms.__class__ is not int:
        raise wrong_option(function, "timeout", given, "duration | int")
    if ms <= 0:
        raise runtime_error(f"{function}: `timeout` must be positive")
    return ms


def _count(function: str, name: str, given: dict[str, Any], default: int) -> int:
    value = given.get(name)
    if value is None:
        return default
    if value.__class__ is not int:
        raise wrong_option(function, name, value, "int")
    if value < 0:
        raise runtime_error(f"{function}: `{name}` must not be negative")
    return int(value)


def _stream(function: str, given: object) -> str | None:
    if given is not None and given not in (LINES, CHUNKS):
        raise runtime_error(f'{function}: `stream` must be "lines" or "chunks"')
    return given
