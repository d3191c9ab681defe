"""Builtins for URLs and query strings, by the rules of the WHATWG URL standard."""

from __future__ import annotations

import re
from urllib.parse import quote, quote_plus, unquote_to_bytes

import can_ada

from harnlite.library.native import native
from harnlite.values.display import display
from harnlite.values.errors import thrown
from harnlite.values.interrupts import poll_here
from harnlite.values.iteration import polled
from harnlite.values.size_limits import check_items, check_size
from harnlite.values.text_operations import BLOCK, by_blocks

_SPECIAL = frozenset({"http", "https", "ws", "wss", "ftp", "file"})
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*\Z")
_STRIPPED = "".join(map(chr, range(0x21)))
_UNSEEN = str.maketrans("", "", "\t\n\r")
_SURROGATES = re.compile("[\ud800-\udfff]")
_NUMBER = re.compile(r"(?:[0-9]+|0[xX][0-9A-Fa-f]*)\Z")
_NOT_IN_A_HOST = re.compile(r"[\x00-\x20/?#@\\]")

_NO_BASE, _EMPTY_HOST, _BAD_PORT = "relative URL without a base", "empty host", "invalid port number"
_BAD_DOMAIN, _BAD_OPAQUE_HOST = "invalid international domain name", "invalid domain character"
_BAD_IPV4, _BAD_IPV6 = "invalid IPv4 address", "invalid IPv6 address"
_MAX_PORT = 65_535
_PAIR_BYTES = 330

# What `quote` must not change: the parser encodes the rest, by the rules of each part.
_QUERY_KEPT = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) != "#")
_PATH_KEPT = _QUERY_KEPT.replace("?", "")
_FRAGMENT_KEPT = _QUERY_KEPT + "#"
_USER_KEPT = "%!$&'()*+,-._~"


@native("url_parse")
def url_parse(text: object = "") -> dict[str, object]:
    """Return the parts of a URL."""
    source = display(text)
    url = _parsed(source)
    if url is None:
        raise thrown(f"url_parse: {_failure(source)}")
    check_size(len(url.href))
    return {
        "fragment": url.hash[1:] if url.has_hash() else None,
        "host": url.hostname or None,
        "password": url.password or None,
        "path": url.pathname,
        "port": int(url.port) if url.port else None,
        "query": url.search[1:] if url.has_search() else None,
        "scheme": url.protocol[:-1],
        "username": url.username or None,
    }


def _parsed(text: str) -> can_ada.URL | None:
    if not text.isascii():
        text = _SURROGATES.sub("\ufffd", text)
    try:
        return can_ada.parse(text)
    except ValueError:
        return None


def _failure(text: str) -> str:
    """Return why the parser refused a URL; the parser itself gives no reason."""
    scheme, colon, rest = text.strip(_STRIPPED).translate(_UNSEEN).partition(":")
    if not colon or not _SCHEME.match(scheme):
        return _NO_BASE
    scheme = scheme.lower()
    is_special = scheme in _SPECIAL
    rest = rest.lstrip("/\\") if is_special else rest.removeprefix("//")
    authority = re.split(r"[/\\?#]" if is_special else "[/?#]", rest, maxsplit=1)[0]
    if scheme == "file":
        return _host_failure(scheme, authority) or _BAD_DOMAIN
    _, _, address = authority.rpartition("@")
    host, colon = address.partition(":")[:2]
    if address.startswith("["):
        host, bracket, _ = address.partition("]")
        if not bracket:
            return _BAD_IPV6
        host += bracket
    if not host:
        return _EMPTY_HOST
    return _host_failure(scheme, host) or _BAD_PORT


def _host_failure(scheme: str, host: str) -> str | None:
    """Return what is wrong with a host, or None if it is valid."""
    if _parsed(f"{scheme}://{host}/") is not None:
        return None
    if host.startswith("["):
        return _BAD_IPV6
    if scheme not in _SPECIAL:
        return _BAD_OPAQUE_HOST
    last_label = host.removesuffix(".").rpartition(".")[2]
    return _BAD_IPV4 if _NUMBER.match(last_label) else _BAD_DOMAIN


@native("url_build")
def url_build(parts: object = None) -> str:
    """Return the normalised URL of the parts in a dict."""
    if parts.__class__ is not dict:
        raise thrown("url_build: expected a dict of url parts")
    texts = {key: display(value) for key, value in parts.items() if value is not None}
    if not texts.get("scheme"):
        raise thrown("url_build: 'scheme' is required")
    scheme = texts["scheme"].lower()
    if not _SCHEME.match(scheme):
        raise _unbuildable(_NO_BASE)
    path = quote(texts.get("path", "/"), safe=_PATH_KEPT, errors="replace")
    source = scheme + ":" + _authority(scheme, texts, parts.get("port")) + _joined_path(scheme, path, texts.get("host"))
    if "query" in texts:
        source += "?" + quote(texts["query"], safe=_QUERY_KEPT, errors="replace")
    if "fragment" in texts:
        source += "#" + quote(texts["fragment"], safe=_FRAGMENT_KEPT, errors="replace")
    url = _parsed(source)
    if url is None:
        raise _unbuildable(_failure(source))
    check_size(len(url.href))
    return url.href


def _unbuildable(reason: str) -> Exception:
    return thrown(f"url_build: {reason}")


def _authority(scheme: str, texts: dict[str, str], port: object) -> str:
    """Return the part with the user, the host and the port, with the two slashes before it."""
    host = texts.get("host")
    if not host:
        if scheme in _SPECIAL and scheme != "file":
            raise _unbuildable(_EMPTY_HOST)
        return "//" if host == "" or scheme == "file" else ""
    if _NOT_IN_A_HOST.search(host) or (":" in host and not host.startswith("[")):
        raise _unbuildable(_BAD_DOMAIN if scheme in _SPECIAL else _BAD_OPAQUE_HOST)
    if host.startswith("[") and not host.endswith("]"):
        raise _unbuildable(_BAD_IPV6)
    user = quote(texts.get("username", ""), safe=_USER_KEPT, errors="replace")
    if "password" in texts:
        user += ":" + quote(texts["password"], safe=_USER_KEPT, errors="replace")
    if port.__class__ is not int:
        return f"//{user}@{host}" if user else f"//{host}"
    if not 0 <= port <= _MAX_PORT:
        raise _unbuildable(_BAD_PORT)
    return f"//{user}@{host}:{port}" if user else f"//{host}:{port}"


def _joined_path(scheme: str, path: str, host: str | None) -> str:
    """Return the path as it has to be written after the host."""
    if host is None and scheme != "file":
        return "/." + path if path.startswith("//") else path
    if not path:
        return path
    return path if path.startswith("/") or (scheme in _SPECIAL and path.startswith("\\")) else "/" + path


@native("query_parse")
def query_parse(text: object = "") -> list[dict[str, str]]:
    """Return the keys and values of a query string, in order."""
    query = display(text).removeprefix("?")
    check_items(query.count("&") + 1, _PAIR_BYTES)
    found = []
    for pair in polled(query.split("&")):
        if pair:
            key, _, value = pair.partition("=")
            found.append({"key": _decoded(key), "value": _decoded(value)})
    return found


def _decoded(text: str) -> str:
    """Return form-encoded text decoded; a long text in blocks, between which runs can end."""
    text = text.replace("+", " ")
    if "%" not in text:
        return text
    data = text.encode("utf-8", "surrogatepass")
    parts, start = [], 0
    while start < len(data):
        if start:
            poll_here()
        end = start + BLOCK
        cut = data.rfind(b"%", end - 2, end)
        end = cut if cut > start else end
        parts.append(unquote_to_bytes(data[start:end]))
        start = end
    return b"".join(parts).decode("utf-8", "replace")


@native("query_stringify")
def query_stringify(pairs: object = None) -> str:
    """Return a list of keys and values as a query string."""
    if pairs.__class__ is not list:
        raise thrown("query_stringify: expected a list of {key, value} dicts")
    parts, size = [], 0
    for pair in polled(pairs):
        if pair.__class__ is not dict or "key" not in pair or "value" not in pair:
            raise thrown("query_stringify: each item must be a {key, value} dict")
        part = f"{_encoded(display(pair['key']))}={_encoded(display(pair['value']))}"
        size += len(part) + 1
        check_size(size)
        parts.append(part)
    return "&".join(parts)


def _encoded(text: str) -> str:
    return by_blocks(_form_encoded, text)


def _form_encoded(text: str) -> str:
    # Python never encodes `~`, which forms do encode.
    return quote_plus(text, safe="*", errors="replace").replace("~", "%7E")
