"""Builtins for mocks that answer the HTTP requests of a script instead of a server."""

from __future__ import annotations

from harnlite.formats.json.writing import data_text
from harnlite.http.addresses import address_of
from harnlite.library.argument_types import text_argument
from harnlite.library.http_answers import Answer, body_value
from harnlite.library.http_options import header_rows, joined_headers
from harnlite.library.native import native
from harnlite.llm.errors import CATEGORIES, GENERIC
from harnlite.values.data_types import is_callable, type_name
from harnlite.values.display import display
from harnlite.values.errors import ScriptError, runtime_error, thrown, type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.library.http_options import HttpCall
    from harnlite.runtime.tasks.execution import Execution

MOCKS_KEY = "http_mocks"
_KEYS = frozenset({"status", "headers", "body", "json", "error"})
_RESULT_KEYS = frozenset({"ok", "url", "elapsed_ms"})
"""Further keys of a result, which may be the response of a mock."""
_OK, _LEAST_STATUS, _MOST_STATUS = 200, 100, 599


class HttpMock:
    """A pattern of requests, and the responses to them, of which the last one is repeated."""

    __slots__ = ("_method", "_patterns", "_responses", "_with_query")

    def __init__(self, pattern: str, responses: list[object]) -> None:
        method, blank, url = pattern.strip().partition(" ")
        self._method = method.upper() if blank else ""
        url = url.strip() if blank else method
        self._patterns = [one.split("*") for one in {url, _normal(url)}]
        self._with_query = "?" in url
        self._responses = responses

    def fits(self, method: str, url: str) -> bool:
        """Return whether the mock answers a request."""
        if self._method not in ("", "*", method):
            return False
        normal = address_of(url).url
        texts = {url, normal} | (set() if self._with_query else {_without_query(url), _without_query(normal)})
        return any(_matches(parts, text) for parts in self._patterns for text in texts)

    def next_response(self) -> object:
        """Return the response to the next request."""
        return self._responses.pop(0) if len(self._responses) > 1 else self._responses[0]


class HttpMocks:
    """The mocks of a run and the requests that they have answered."""

    __slots__ = ("_mocks", "calls")

    def __init__(self) -> None:
        self._mocks: list[HttpMock] = []
        self.calls: list[dict[str, object]] = []

    def add(self, mock: HttpMock) -> None:
        """Register a mock; it takes precedence over older ones."""
        self._mocks.append(mock)

    def answer(self, call: HttpCall) -> Answer:
        """Return the answer of the newest mock that matches; throw if there is none."""
        mock = next((mock for mock in reversed(self._mocks) if mock.fits(call.method, call.url)), None)
        if mock is None:
            raise thrown(f"{call.function}: no http_mock matches {call.method} {call.url}")
        headers = call.sent_headers()
        body = body_value(call.body, headers.get("content-type", ""))
        made: dict[str, object] = {"body": body, "headers": headers, "method": call.method, "url": call.url}
        self.calls.append(made)
        response = mock.next_response()
        return self._answer(call, response(dict(made)) if is_callable(response) else response)

    @staticmethod
    def _answer(call: HttpCall, response: object) -> Answer:
        """Return the answer that a server would give with this response: with the same limit, and none to HEAD."""
        address = address_of(call.url)
        answer = _answer(address.url, response)
        if call.method == "HEAD":
            answer.body = b""
        if len(answer.read()) > call.max_bytes:
            raise ScriptError(f"Error [{GENERIC}]: {address.place} sent a body of more than {call.max_bytes} bytes")
        return answer


def _normal(url: str) -> str:
    """Return the pattern of a URL as requests name their address, or as it is if it has no plain host."""
    try:
        return address_of(url).url
    except ValueError:
        return url


def _without_query(url: str) -> str:
    return url.partition("#")[0].partition("?")[0]


def _matches(parts: list[str], text: str) -> bool:
    """Return whether a text consists of these parts in order, with any text between them."""
    if len(parts) == 1:
        return text == parts[0]
    first, *middle, last = parts
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _answer(url: str, response: object) -> Answer:
    """Return the answer that a response of a mock describes, or throw its error."""
    if not isinstance(response, dict):
        return Answer(_OK, {}, url, _bytes(response))
    _check(response)
    if response.get("error") is not None:
        raise _failure(response["error"])
    status = response.get("status", _OK)
    rows = header_rows("http_mock", response.get("headers"))
    headers: dict[str, Any] = dict(joined_headers(rows))
    cookies = [value for name, value in rows if name.lower() == "set-cookie"]
    if len(cookies) > 1:
        headers["set-cookie"] = cookies
    body = response.get("body")
    if body is None and response.get("json") is not None:
        body = response["json"]
    is_json = body.__class__ is dict or body.__class__ is list or (response.get("body") is None and body is not None)
    if is_json:
        headers.setdefault("content-type", "application/json")
    return Answer(status, headers, url, data_text(body).encode("utf-8", "replace") if is_json else _bytes(body))


def _bytes(body: object) -> bytes:
    if isinstance(body, bytes):
        return body
    if body is None or isinstance(body, str):
        return (body or "").encode("utf-8", "replace")
    raise type_error(f"http_mock: the body of a response must be bytes | dict | list | string, got {type_name(body)}")


def _failure(error: object) -> ScriptError:
    fields = error if isinstance(error, dict) else {"message": error}
    category = display(fields.get("category", "transient_network"))
    message = display(fields.get("message", "the mock failed"))
    return ScriptError(f"Error [{category if category in CATEGORIES else GENERIC}]: {message}")


def _check(response: dict[str, Any]) -> None:
    for key in response:
        if key not in _KEYS and key not in _RESULT_KEYS:
            raise runtime_error(f"http_mock: unknown key `{key}` in the response")
    status = response.get("status", _OK)
    if status.__class__ is not int or not _LEAST_STATUS <= status <= _MOST_STATUS:
        raise runtime_error(f"http_mock: `status` must be an int from {_LEAST_STATUS} to {_MOST_STATUS}")


@native("http_mock")
def http_mock(run: Execution, pattern: object = None, response: object = None) -> None:
    """Answer the requests that match a pattern with a response instead of a server."""
    text = text_argument("http_mock", "pattern", pattern)
    if not text.strip():
        raise runtime_error("http_mock: the pattern must not be empty")
    if response == []:
        raise runtime_error("http_mock: the list of responses is empty")
    responses = list(response) if isinstance(response, list) else [response]
    for one in responses:
        if isinstance(one, dict):
            _check(one)
    run.state(MOCKS_KEY, HttpMocks).add(HttpMock(text, responses))


@native("http_mock_calls")
def http_mock_calls(run: Execution) -> list[dict[str, object]]:
    """Return the requests that mocks have answered."""
    mocks: HttpMocks | None = run.peek(MOCKS_KEY)
    return [] if mocks is None else list(mocks.calls)
