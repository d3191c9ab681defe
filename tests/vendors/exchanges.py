"""A plain HTTP client for the tests of the fakes, which sends exactly what it is told."""

import copy
import http.client
import json
import typing
import urllib.parse

from tests.vendors.server import PATIENCE, VendorServer

Json = dict[str, typing.Any]


class Answered(typing.NamedTuple):
    """A received answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> typing.Any:
        """Return the parsed body."""
        return json.loads(self.body)


def headers_for(vendor: str, key: str) -> dict[str, str]:
    """Return the headers that the vendor wants."""
    key_headers = {
        "anthropic": {"x-api-key": key, "anthropic-version": "2023-06-01"},
        "gemini": {"x-goog-api-key": key},
        "azure_openai": {"api-key": key},
        "ollama": {},
    }
    return {"content-type": "application/json", **key_headers.get(vendor, {"authorization": f"Bearer {key}"})}


def send(
    server: VendorServer,
    vendor: str,
    path: str,
    body: Json | bytes | None,
    headers: dict[str, str | None] | None = None,
) -> Answered:
    """Send one request to a path below the base URL on a connection of its own; a header of None is omitted."""
    url = urllib.parse.urlsplit(server.base_url)
    connection = http.client.HTTPConnection(url.netloc, timeout=PATIENCE)
    given: dict[str, str | None] = {**headers_for(vendor, server.key), **(headers or {})}
    data = json.dumps(body).encode() if isinstance(body, dict) else body
    sent = {name: value for name, value in given.items() if value is not None}
    try:
        connection.request("GET" if data is None else "POST", url.path + path, data, sent)
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Answered(response.status, found, response.read())
    finally:
        connection.close()


def changed(body: Json, changes: Json) -> Json:
    """Return a copy of the body with some fields replaced, or removed if the new value is Ellipsis."""
    result = copy.deepcopy(body)
    for name, value in changes.items():
        if value is ...:
            result.pop(name, None)
        else:
            result[name] = value
    return result
