"""Builtins that send HTTP requests."""

from __future__ import annotations

from harnlite.http.addresses import address_of
from harnlite.library.categories import category_of
from harnlite.library.http_answers import Answer
from harnlite.library.http_mocks import MOCKS_KEY
from harnlite.library.http_options import HttpCall
from harnlite.library.http_recordings import exchanged
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.llm.errors import retry_after_ms
from harnlite.llm.recorded_calls import recording_of
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.library.http_mocks import HttpMocks
    from harnlite.runtime.tasks.execution import Execution

_RETRIED = frozenset({429, 502, 503, 504})
_TRANSIENT = frozenset({"transient_network", "timeout"})
_BACKOFF_MS, _MOST_DOUBLINGS, _LONGEST_BACKOFF_MS = 250, 10, 30_000
_LEAST_JITTER, _MOST_JITTER = 0.5, 1.5


class _Sender:
    """Sends the request of one call, again after transient failures."""

    __slots__ = ("_call", "_is_replay", "_mocks", "_recording", "_run")

    def __init__(self, run: Execution, function: str, method: object, url: object, options: object) -> None:
        self._run = run
        self._mocks: HttpMocks | None = run.peek(MOCKS_KEY)
        self._recording = None if self._mocks is not None else recording_of(run)
        self._is_replay = self._recording is not None and self._recording.is_replay
        if self._mocks is None and not self._is_replay:
            require(run, "net", function)
        self._call = HttpCall(function, method, url, options)

    def result(self) -> dict[str, object]:
        """Return the result of the call."""
        run, call = self._run, self._call
        started = run.clock.monotonic()
        attempt = 0
        while True:
            try:
                answer = self._once()
            except ScriptError as error:
                if attempt >= call.retries or category_of(error.value) not in _TRANSIENT:
                    raise
                wait_ms = None
            else:
                if attempt >= call.retries or answer.status not in _RETRIED:
                    return answer.result(run, int((run.clock.monotonic() - started) * 1000), call.stream)
                answer.drop()
                wait_ms = _asked_ms(run, answer)
            self._pause(wait_ms, attempt)
            attempt += 1

    def _once(self) -> Answer:
        if self._mocks is not None:
            return self._mocks.answer(self._call)
        if self._recording is not None:
            url = address_of(self._call.url).url
            return exchanged(self._recording, self._call, url, self._sent)
        answer = self._sent()
        if self._call.stream is None and answer.status not in _RETRIED:
            # A body that breaks off is a failure of this attempt.
            answer.read()
        return answer

    def _sent(self) -> Answer:
        from harnlite.http.client import send

        call = self._call
        response = send(
            self._run,
            call.method,
            call.url,
            name=call.function,
            headers=call.headers,
            body=call.body,
            timeout=call.seconds,
            follow=call.follow,
            max_bytes=call.max_bytes,
        )
        headers: dict[str, object] = dict(response.headers)
        if len(response.cookies) > 1:
            headers["set-cookie"] = list(response.cookies)
        return Answer(response.status, headers, response.address.url, response)

    def _pause(self, asked_ms: int | None, attempt: int) -> None:
        """Wait before the next attempt, unless no server is asked."""
        if self._mocks is not None or self._is_replay:
            return
        wait_ms = min(_BACKOFF_MS * 2 ** min(attempt, _MOST_DOUBLINGS), _LONGEST_BACKOFF_MS)
        # Clients that failed together must not come back together, and none earlier than the server has asked for.
        chance = self._run.random
        jitter = chance.uniform(_LEAST_JITTER, _MOST_JITTER)
        self._run.sleep((wait_ms * jitter if asked_ms is None else asked_ms * max(1.0, jitter)) / 1000)


def _asked_ms(run: Execution, answer: Answer) -> int | None:
    """Return the wait that the header Retry-After requests, or None."""
    value = answer.headers.get("retry-after")
    return retry_after_ms(run, f"retry-after: {value}") if isinstance(value, str) else None


@native("http_request")
def http_request(
    run: Execution, method: object = None, url: object = None, options: object = None
) -> dict[str, object]:
    """Send a request and return the answer."""
    return _Sender(run, "http_request", method, url, options).result()


@native("http_get")
def http_get(run: Execution, url: object = None, options: object = None) -> dict[str, object]:
    """Send a GET request and return the answer."""
    return _Sender(run, "http_get", "GET", url, options).result()


@native("http_head")
def http_head(run: Execution, url: object = None, options: object = None) -> dict[str, object]:
    """Send a HEAD request and return the answer, which has no body."""
    return _Sender(run, "http_head", "HEAD", url, options).result()


@native("http_post")
def http_post(run: Execution, url: object = None, options: object = None) -> dict[str, object]:
    """Send a POST request and return the answer."""
    return _Sender(run, "http_post", "POST", url, options).result()


@native("http_put")
def http_put(run: Execution, url: object = None, options: object = None) -> dict[str, object]:
    """Send a PUT request and return the answer."""
    return _Sender(run, "http_put", "PUT", url, options).result()


@native("http_patch")
def http_patch(run: Execution, url: object = None, options: object = None) -> dict[str, object]:
    """Send a PATCH request and return the answer."""
    return _Sender(run, "http_patch", "PATCH", url, options).result()


@native("http_delete")
def http_delete(run: Execution, url: object = None, options: object = None) -> dict[str, object]:
    """Send a DELETE request and return the answer."""
    return _Sender(run, "http_delete", "DELETE", url, options).result()
