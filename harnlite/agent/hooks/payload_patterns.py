"""Patterns for hook payloads: `kind=="x"`, `kind=~"re"`, a path to a true value, a glob for a name, or `*`."""

from __future__ import annotations

from harnlite.agent.hooks.name_globs import fits
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

_SUBJECTS = ("tool.name", "tool_name", "target", "path", "kind", "step.name", "worker.name")
"""The paths of the names in a payload that a glob is matched against."""

_QUOTES = ('"', "'")
_SHORTEST_QUOTED = 2


def payload_fits(pattern: str, payload: dict[str, object]) -> bool:
    """Return whether a payload matches the pattern of a hook."""
    pattern = pattern.strip()
    if pattern in {"", "*"}:
        return True
    for mark, compare in (("=~", _matches), ("==", _equals)):
        path, found, wanted = pattern.partition(mark)
        if found:
            return compare(_value_at(payload, path.strip()), wanted.strip())
    return bool(_value_at(payload, pattern)) or any(_matches_glob(pattern, payload, path) for path in _SUBJECTS)


def _value_at(payload: dict[str, object], path: str) -> object:
    """Return the value at a dotted path, or None if the path does not exist."""
    value: object = payload
    for name in path.split("."):
        if value.__class__ is not dict:
            return None
        value = value.get(name)
    return value


def _matches_glob(pattern: str, payload: dict[str, object], path: str) -> bool:
    value = _value_at(payload, path)
    return value.__class__ is str and fits(pattern, value)


def _unquoted(text: str) -> str:
    if len(text) >= _SHORTEST_QUOTED and text[0] in _QUOTES and text[-1] == text[0]:
        return text[1:-1]
    return text


def _equals(value: object, wanted: str) -> bool:
    text = _unquoted(wanted)
    if value is None:
        return text is wanted and wanted == "nil"
    return display(value) == text


def _matches(value: object, wanted: str) -> bool:
    """Return whether a regular expression matches in a value; it has the time limit of all patterns in scripts."""
    if value is None:
        return False
    from harnlite.formats.patterns.cursor import PatternError
    from harnlite.formats.patterns.matching import compile_pattern

    try:
        pattern = compile_pattern(_unquoted(wanted))
    except PatternError as error:
        raise runtime_error(f"invalid hook pattern: {error}") from None
    return pattern.found_in(display(value), "hook pattern")
