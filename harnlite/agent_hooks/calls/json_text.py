"""JSON on the path of every tool call of an agent: `import json` costs several milliseconds, `_json` does not."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_CONSTANTS = {None: "null", True: "true", False: "false"}
_INFINITY = float("inf")
_SPACE = " \t\r\n"


class NotJson(ValueError):
    """Raised if bytes are not the JSON text of an object."""


class _ScannerContext:
    """What the scanner of `_json` asks of a decoder. `NaN` and `Infinity`, which are not JSON, become None."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    memo: dict[str, str] = {}  # noqa: RUF012 -- the scanner clears it after each call

    @staticmethod
    def parse_constant(_: str) -> None:
        """Return the value of `NaN`, `Infinity` or `-Infinity`."""
        return


def _quickest_scanner() -> Callable[[str, int], tuple[object, int]] | None:
    try:
        from _json import make_scanner

        return make_scanner(_ScannerContext)  # type: ignore[arg-type]  # the stubs name another class
    except Exception:  # noqa: BLE001 -- the scanner is private: after any change of it, the public module reads
        return None


def _quickest_quoting() -> Callable[[str], str]:
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import encode_basestring_ascii
    return encode_basestring_ascii


_quoted = _quickest_quoting()
_scan = _quickest_scanner()


def parsed(text: str) -> object:
    """Return the JSON value of a text; raises ValueError, or RecursionError for one that is nested too deeply."""
    start = len(text) - len(text.lstrip(_SPACE))
    if _scan is None:
        import json

        return json.loads(text, strict=False, parse_constant=_ScannerContext.parse_constant)
    try:
        value, end = _scan(text, start)
    except (StopIteration, SystemError):
        # The scanner of Python 3.11 takes the class of its errors from the package `json`, if that is loaded.
        raise ValueError("not JSON") from None
    if text[end:].strip(_SPACE):
        raise ValueError("more than one JSON value")
    return value


def read_object(data: bytes) -> dict[str, Any]:
    """Return the object that is written as JSON in UTF-8; raise NotJson for anything else."""
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise NotJson("the input is not UTF-8") from None
    if not text.strip(_SPACE):
        raise NotJson("the input is empty")
    try:
        value = parsed(text)
    except RecursionError:
        raise NotJson("the input is nested too deeply") from None
    except ValueError:
        raise NotJson("the input is not JSON") from None
    if not isinstance(value, dict):
        raise NotJson("the input is not a JSON object")
    return value


def well_formed(text: str) -> str:
    """Return the text with each surrogate that has no partner replaced, so that it can be encoded."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def written(value: object) -> str:
    """Return the JSON of a value in one line of ASCII; what JSON cannot express is null."""
    if isinstance(value, str):
        return _quoted(well_formed(value))
    if value is None or value is True or value is False:
        return _CONSTANTS[value]
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, dict):
        pairs = (f"{_quoted(well_formed(str(key)))}:{written(item)}" for key, item in value.items())
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([written(item) for item in value]) + "]"
    return "null"


def _number(value: float) -> str:
    if value != value or value in {_INFINITY, -_INFINITY}:  # noqa: PLR0124 -- NaN
        return "null"
    try:
        return repr(value)
    except ValueError:  # an integer with more digits than Python converts
        return "null"
