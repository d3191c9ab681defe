"""JSON for the start path of a hook: Python's scanner and encoder in C, without the `json` package and `re`.

Both are private to Python; if they are missing or behave differently, the `json` package does the work.
"""

from __future__ import annotations

try:
    import _json
except ImportError:
    _json = None  # type: ignore[assignment]  # other Pythons have no such module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_library: Any = _json

_SPACE = " \t\n\r"


class NotJson(ValueError):
    """Raised if bytes are not the JSON text of an object."""


class _Settings:
    """The settings that Python's scanner asks for. `NaN` and `Infinity`, which are not JSON, become None."""

    __slots__ = ()

    strict = False
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int

    @staticmethod
    def parse_constant(_: str) -> None:
        """Return the value of `NaN`, `Infinity` or `-Infinity`."""
        return


def _refuse(value: object) -> None:
    raise TypeError(f"{type(value).__name__} has no JSON form")


_ENCODING = (None, _refuse, getattr(_library, "encode_basestring_ascii", None), None, ":", ",", False, False, True)
"""The settings of Python's encoder: no check for cycles, no indentation, keys as they are, NaN allowed."""


def read_object(data: bytes) -> dict[str, Any]:
    """Return the object that is written as JSON in UTF-8; raise NotJson for anything else."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotJson("the input is not UTF-8") from None
    if not text.strip(_SPACE):
        raise NotJson("the input is empty")
    try:
        value = _scanned(text.removeprefix("\ufeff"))
    except RecursionError:
        raise NotJson("the input is nested too deeply") from None
    except (ValueError, StopIteration):
        raise NotJson("the input is not JSON") from None
    if value.__class__ is not dict:
        raise NotJson("the input is not a JSON object")
    return value


def read_value(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a JSON text that harnlite has written."""
    return _scanned(text)


def _scanned(text: str) -> Any:  # noqa: ANN401 - any JSON value
    start, end = 0, len(text)
    while start < end and text[start] in _SPACE:
        start += 1
    try:
        value, position = _library.make_scanner(_Settings())(text, start)
    except (AttributeError, SystemError, TypeError):
        # Python's scanner finds its exception only if `json` is loaded.
        import json

        return json.loads(text, strict=False, parse_constant=_Settings.parse_constant)
    if text[position:].strip(_SPACE):
        raise ValueError("text follows the value")
    return value


def written(value: object) -> str:
    """Return a value as JSON of ASCII characters in one line. Keys keep their order."""
    if _json is not None:
        try:
            encode = _library.make_encoder(*_ENCODING)
            return "".join(encode(value, 0))
        except (AttributeError, TypeError):
            pass
    import json

    return json.dumps(value, separators=(",", ":"))
