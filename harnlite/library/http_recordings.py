"""The HTTP requests of a script in recordings: a request is written to a file, or answered from one."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64

from harnlite.known_keys import REDACTED
from harnlite.library.http_answers import Answer
from harnlite.store.redaction import is_secret_name
from harnlite.values.display import display
from harnlite.values.errors import ScriptError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from harnlite.library.http_options import HttpCall
    from harnlite.llm.recorded_calls import Recording

KIND = "http"
_SET_COOKIE = "set-cookie"


def exchanged(recording: Recording, call: HttpCall, url: str, perform: Callable[[], Answer]) -> Answer:
    """Answer a request with `perform` and record both, or answer it from the recording."""
    answers: list[Answer] = []

    def made() -> dict[str, Any]:
        try:
            answer = perform()
            data = answer.read()
        except ScriptError as error:
            return {"error": display(error.value)}
        answers.append(answer)
        return {"status": answer.status, "headers": _headers(answer.headers), "url": answer.url, **_body(data)}

    request = {"method": call.method, "url": url, "headers": _headers(call.sent_headers()), **_body(call.body)}
    reply = recording.exchange(KIND, request, made)
    if "error" in reply:
        raise ScriptError(reply["error"])
    return answers[0] if answers else _recorded(reply)


def _recorded(reply: Mapping[str, Any]) -> Answer:
    try:
        body = a2b_base64(reply["base64"]) if "base64" in reply else reply["body"].encode()
        return Answer(int(reply["status"]), dict(reply["headers"]), str(reply["url"]), body)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise runtime_error("--replay: a recorded HTTP reply is not valid") from None


def _body(data: bytes) -> dict[str, str]:
    try:
        return {"body": data.decode()}
    except UnicodeDecodeError:
        return {"base64": b2a_base64(data, newline=False).decode()}


def _headers(headers: Mapping[str, object]) -> dict[str, object]:
    """Return headers without secrets; of cookies that a server sets, the names and attributes stay."""
    return {name: _hidden(name, value) for name, value in headers.items()}


def _hidden(name: str, value: object) -> object:
    if isinstance(value, list):
        return [_hidden(name, item) for item in value]
    if name == _SET_COOKIE and isinstance(value, str):
        cookie, semicolon, attributes = value.partition(";")
        return f"{cookie.partition('=')[0]}={REDACTED}{semicolon}{attributes}"
    return REDACTED if is_secret_name(name) else value
