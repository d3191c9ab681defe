"""What the vendor APIs share: reading bodies, keys, and ids that are the same in every run."""

import hashlib
import itertools
import json
import string
import typing
from collections.abc import Callable

from tests.vendors.checks import Check, Invalid, Refused
from tests.vendors.exchange import RecordedRequest
from tests.vendors.replies import Reply

CREATED = 1_795_000_000
Body = dict[str, typing.Any]
NextReply = Callable[[], Reply]
_LETTERS = string.ascii_letters + string.digits


class Ids:
    """Ids as long as the vendor's, equal in every run."""

    def __init__(self) -> None:
        self._count = itertools.count(1)

    def next(self, prefix: str = "", length: int = 24) -> str:
        """Return the next id."""
        digest = hashlib.sha512(f"{prefix}{next(self._count)}".encode()).digest()
        return prefix + "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:length])


def read_body(request: RecordedRequest, shape: Check, explain: Callable[[Invalid], Refused]) -> Body:
    """Parse the body of a POST request and check its shape."""
    media_type = (request.header("content-type") or "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Refused(415 if media_type else 400, f"Content-Type must be application/json, not {media_type!r}")
    try:
        body = json.loads(request.body.decode("utf-8"), parse_constant=_no_constant)
    except ValueError as error:
        raise Refused(400, f"The body of the request is not valid JSON: {error}") from None
    try:
        shape(body, ())
    except Invalid as finding:
        raise explain(finding) from None
    return typing.cast("Body", body)


def _no_constant(name: str) -> typing.NoReturn:
    raise ValueError(f"{name} is not JSON")


def dotted(path: tuple[str | int, ...]) -> str:
    """Return a path as `messages.0.content`."""
    return ".".join(map(str, path))


def indexed(path: tuple[str | int, ...]) -> str:
    """Return a path as `messages[0].content`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def blocks_of(content: object) -> list[Body]:
    """Return the content of a message as a list of blocks."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return typing.cast("list[Body]", content or [])


def bearer_token(request: RecordedRequest) -> str | None:
    """Return the token of the Authorization header, or None."""
    value = request.header("authorization")
    if value is None or not value.lower().startswith("bearer "):
        return None
    return value[7:].strip()


def refuse_key_in_url(request: RecordedRequest, key: str) -> None:
    """Refuse a request whose URL contains the key, as no real client needs that."""
    if key and key in request.target:
        raise Refused(400, "the key must not be part of the URL")
