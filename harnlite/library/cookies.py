"""Builtins that read, write and sign HTTP cookies."""

from __future__ import annotations

import re

from harnlite.library.clock import timestamp
from harnlite.library.hashing import constant_time_eq
from harnlite.library.native import MISSING, native
from harnlite.library.signatures import signature
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error
from harnlite.values.iteration import polled
from harnlite.values.size_limits import check_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

    Pairs = list[tuple[str, str]]

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_VALUE = re.compile(r"[!#-+\--:<-\[\]-~]*\Z")
_NOT_IN_ATTRIBUTES = re.compile(r"[\x00-\x1f\x7f;]")
_NOT_IN_SIGNED = re.compile(r"[\x00-\x1f\x7f;,]")
_SAME_SITE = {"lax": "Lax", "strict": "Strict", "none": "None"}
_KEYS = {
    "path": ("path", "Path"),
    "domain": ("domain", "Domain"),
    "max_age": ("max_age", "Max-Age", "maxAge"),
    "expires": ("expires", "Expires"),
    "http_only": ("http_only", "HttpOnly", "httponly"),
    "secure": ("secure", "Secure"),
    "same_site": ("same_site", "SameSite", "sameSite"),
}
_DELETED = {
    "path": "/",
    "max_age": 0,
    "expires": "Thu, 01 Jan 1970 00:00:00 GMT",
    "http_only": True,
    "secure": True,
    "same_site": "Lax",
}
_PAIR_BYTES = 330
_LONGEST_DATE = 100


def cookie_error(reason: str) -> ScriptError:
    """Return an error of a cookie builtin."""
    return runtime_error(f"cookie: {reason}")


def expect_arguments(function: str, *given: object) -> None:
    """Raise unless all required arguments are given."""
    if MISSING in given:
        raise cookie_error(f"{function} requires {len(given)} arguments")


def option_values(function: str, options: object, defaults: Mapping[str, object]) -> dict[str, object]:
    """Return the options of a cookie under one name each; an option that is nil keeps its default."""
    if options is not None and options.__class__ is not dict:
        raise cookie_error(f"{function}: options must be a dict, got {type_name(options)}")
    found = dict(defaults)
    for name, keys in _KEYS.items():
        values = [options[key] for key in keys if key in options] if isinstance(options, dict) else []
        if values and values[0] is not None:
            found[name] = values[0]
    return found


def cookie_text(name: str, value: str, options: Mapping[str, object]) -> str:
    """Return the text of a Set-Cookie header."""
    if not _NAME.match(name):
        raise cookie_error("cookie name is empty or contains invalid characters")
    if not _VALUE.match(value):
        raise cookie_error("cookie value contains spaces, quotes, separators, or control characters; encode it first")
    text = f"{name}={value}"
    text += _attribute("Path", options.get("path")) + _attribute("Domain", options.get("domain"))
    max_age = options.get("max_age")
    if max_age is not None:
        if max_age.__class__ is not int:
            raise cookie_error(f"option max_age must be an int, got {type_name(max_age)}")
        text += f"; Max-Age={max_age}"
    text += _attribute("Expires", options.get("expires"))
    text += "; HttpOnly" if options.get("http_only") else ""
    text += "; Secure" if options.get("secure") else ""
    if "same_site" not in options:
        return text
    same_site = _SAME_SITE.get(display(options["same_site"]).lower())
    if same_site is None:
        raise cookie_error("same_site must be one of Lax, Strict, or None")
    if same_site == "None" and not options.get("secure"):
        raise cookie_error("SameSite=None requires Secure")
    return f"{text}; SameSite={same_site}"


def _attribute(name: str, value: object) -> str:
    if value is None:
        return ""
    text = display(value)
    if _NOT_IN_ATTRIBUTES.search(text):
        raise cookie_error(f"{name} contains an invalid cookie attribute value")
    return f"; {name}={text}"


@native("cookie_serialize")
def cookie_serialize(name: object = MISSING, value: object = MISSING, options: object = None) -> str:
    """Return the text of a Set-Cookie header."""
    expect_arguments("cookie_serialize", name, value)
    return cookie_text(display(name), display(value), option_values("cookie_serialize", options, {}))


@native("cookie_delete")
def cookie_delete(name: object = MISSING, options: object = None) -> str:
    """Return the text of a Set-Cookie header that deletes a cookie."""
    expect_arguments("cookie_delete", name)
    return cookie_text(display(name), "", option_values("cookie_delete", options, _DELETED))


def _header_texts(headers: object, name: str, words: tuple[str, str]) -> list[str]:
    """Return the texts of a header that is given as a string, a list, or an entry of a dict."""
    title, several = words
    if headers is None:
        return []
    if headers.__class__ is str:
        return [headers]
    if isinstance(headers, list):
        return [_string(text, f"{several} entries must be strings") for text in headers]
    if not isinstance(headers, dict):
        raise cookie_error(f"{title} headers must be a string, list, dict, or nil; got {type_name(headers)}")
    texts: list[str] = []
    for key in sorted(headers):
        if key.lower() != name.lower():
            continue
        found = headers[key]
        if found.__class__ is not str and found.__class__ is not list:
            raise cookie_error(f"{name} header must be a string or list, got {type_name(found)}")
        values = found if isinstance(found, list) else [found]
        texts += [_string(text, f"{name} header values must be strings") for text in values]
    return texts


def _string(value: object, expectation: str) -> str:
    if value.__class__ is not str:
        raise cookie_error(f"{expectation}, got {type_name(value)}")
    return value


def _split(segment: str) -> tuple[str, str, str | None]:
    """Return the name and the value in a segment, and why the segment is invalid, or None."""
    name, equals, value = (part.strip(" \t") for part in segment.partition("="))
    if value.startswith('"') and value.endswith('"') and len(value) > 1:
        value = value[1:-1]
    if not equals:
        return name, value, "missing '='"
    if not _NAME.match(name):
        return name, value, "invalid name"
    return name, value, None if _VALUE.match(value) else "invalid value"


def read_cookies(headers: object) -> tuple[Pairs, Pairs]:
    """Return the names and values of Cookie headers, and the reasons and texts of their invalid segments."""
    pairs: Pairs = []
    invalid: Pairs = []
    for text in polled(_header_texts(headers, "Cookie", ("cookie", "cookie header list"))):
        check_items(len(pairs) + len(invalid) + text.count(";"), _PAIR_BYTES)
        for part in polled(text.split(";")):
            segment = part.strip(" \t")
            if segment:
                name, value, reason = _split(segment)
                if reason is None:
                    pairs.append((name, value))
                else:
                    invalid.append((reason, segment))
    return pairs, invalid


@native("cookie_parse")
def cookie_parse(headers: object = MISSING) -> dict[str, object]:
    """Return the cookies in Cookie headers."""
    expect_arguments("cookie_parse", headers)
    pairs, invalid = read_cookies(headers)
    values: dict[str, list[str]] = {}
    for name, value in polled(pairs):
        values.setdefault(name, []).append(value)
    return {
        "cookies": {name: found[0] for name, found in values.items()},
        "duplicates": {name: found for name, found in values.items() if len(found) > 1},
        "invalid": [{"reason": reason, "segment": segment} for reason, segment in invalid],
        "pairs": [{"name": name, "value": value} for name, value in pairs],
    }


@native("cookie_sign")
def cookie_sign(value: object = MISSING, secret: object = MISSING) -> str:
    """Return a value with its signature after a dot."""
    expect_arguments("cookie_sign", value, secret)
    text = display(value)
    if _NOT_IN_SIGNED.search(text):
        raise cookie_error("cookie_sign value must not contain separators or control characters")
    return f"{text}.{signature(text, display(secret))}"


@native("cookie_verify")
def cookie_verify(signed: object = MISSING, secret: object = MISSING) -> dict[str, object]:
    """Return the value of a signed text, if the signature is valid."""
    expect_arguments("cookie_verify", signed, secret)
    value, dot, found = display(signed).rpartition(".")
    if not dot or not found:
        return {"error": "malformed", "ok": False, "value": None}
    if not constant_time_eq(found, signature(value, display(secret))):
        return {"error": "invalid_signature", "ok": False, "value": None}
    return {"error": None, "ok": True, "value": value}


@native("cookie_round_trip")
def cookie_round_trip(run: Execution, request: object = MISSING, set_cookie: object = MISSING) -> dict[str, object]:
    """Return the cookies that a client sends after it has received Set-Cookie headers."""
    expect_arguments("cookie_round_trip", request)
    if set_cookie is MISSING:
        request, set_cookie = None, request
    cookies: dict[str, str] = {}
    for name, value in read_cookies(request)[0]:
        cookies.setdefault(name, value)
    for text in polled(_header_texts(set_cookie, "Set-Cookie", ("Set-Cookie", "Set-Cookie list"))):
        first, *attributes = text.split(";")
        name, value, reason = _split(first)
        if reason is not None:
            continue
        if _is_expired(attributes, timestamp(run)):
            cookies.pop(name, None)
        else:
            cookies[name] = value
    header = "; ".join(f"{name}={cookies[name]}" for name in sorted(cookies))
    return {"cookie_header": header, "cookies": cookies}


def _is_expired(attributes: list[str], now: float) -> bool:
    """Return whether the attributes remove a cookie; the last one of a name counts, and Max-Age before Expires."""
    found = {
        name.strip().lower(): value.strip() for name, _, value in (attribute.partition("=") for attribute in attributes)
    }
    max_age = re.fullmatch(r"(-?)([0-9]+)", found.get("max-age", ""))
    if max_age is not None:
        return bool(max_age[1]) or not max_age[2].strip("0")
    return _seconds(found.get("expires", ""), now) < now


def _seconds(date: str, default: float) -> float:
    """Return the Unix time of a date in a header, or the default if it cannot be read."""
    from email.utils import mktime_tz, parsedate_tz

    try:
        parts = parsedate_tz(date) if len(date) <= _LONGEST_DATE else None
        return default if parts is None else mktime_tz(parts)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return default
