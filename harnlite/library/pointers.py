"""Builtins for JSON pointers, which read, set or delete one part of a value."""

from __future__ import annotations

from harnlite.library.native import MISSING, native
from harnlite.values.display import display
from harnlite.values.errors import thrown
from harnlite.values.iteration import polled

_ESCAPES = {"0": "~", "1": "/"}


class _NoTarget:
    """The type of the marker for a target that does not exist."""

    __slots__ = ()


_NO_TARGET = _NoTarget()


def _steps(caller: str, pointer: object) -> list[str]:
    text = display(pointer)
    if not text:
        return []
    if not text.startswith("/"):
        raise thrown(f"{caller}: pointer must be empty or start with '/'")
    return [_unescaped(caller, step) for step in polled(text[1:].split("/"))]


def _unescaped(caller: str, step: str) -> str:
    if "~" not in step:
        return step
    first, *parts = step.split("~")
    pieces = [first]
    for index, part in enumerate(polled(parts)):
        if not part:
            follows = index + 1 < len(parts)
            raise thrown(f"{caller}: {'invalid escape' if follows else 'dangling'} '~{'~' * follows}' in pointer")
        if part[0] not in _ESCAPES:
            raise thrown(f"{caller}: invalid escape '~{part[0]}' in pointer")
        pieces += (_ESCAPES[part[0]], part[1:])
    return "".join(pieces)


def _index(step: str) -> int | None:
    if not step.isascii() or not step.isdecimal() or (step[0] == "0" and step != "0"):
        return None
    return int(step) if len(step) < 20 else None  # noqa: PLR2004 - a list index has fewer digits


def _child(value: object, step: str) -> object:
    """Return the entry or item of a value that a step refers to."""
    if value.__class__ is dict:
        return value.get(step, _NO_TARGET)
    if value.__class__ is list:
        index = _index(step)
        if index is not None and index < len(value):
            return value[index]
    return _NO_TARGET


def _with_child(value: object, step: str, child: object) -> object:
    """Return a copy of a value in which a step refers to the child."""
    if value.__class__ is dict:
        return {**value, step: child}
    if value.__class__ is list:
        index = len(value) if step == "-" else _index(step)
        if index is not None and index <= len(value):
            return [*value[:index], child, *value[index + 1 :]]
    return value


def _without_child(value: object, step: str) -> object:
    if _child(value, step) is _NO_TARGET:
        return value
    if value.__class__ is dict:
        return {key: item for key, item in value.items() if key != step}
    if value.__class__ is list:
        index = int(step)
        return [*value[:index], *value[index + 1 :]]
    return value


@native("json_pointer")
def json_pointer(value: object = None, pointer: object = MISSING) -> object:
    """Return the part of a value that a pointer refers to, or nil."""
    if pointer is MISSING:
        raise thrown("json_pointer requires 2 arguments")
    for step in _steps("json_pointer", pointer):
        value = _child(value, step)
    return None if value is _NO_TARGET else value


def _parents(value: object, steps: list[str]) -> list[object] | None:
    """Return the value and the parts that all steps but the last refer to, or None if one of them does not exist."""
    path = [value]
    for step in steps[:-1]:
        value = _child(value, step)
        if value is _NO_TARGET:
            return None
        path.append(value)
    return path


def _rebuilt(path: list[object], steps: list[str], changed: object) -> object:
    """Return a copy of the outermost value that contains the changed value."""
    for parent, step in zip(reversed(path[:-1]), reversed(steps[:-1]), strict=True):
        changed = _with_child(parent, step, changed)
    return changed


@native("json_pointer_set")
def json_pointer_set(value: object = None, pointer: object = MISSING, new: object = MISSING) -> object:
    """Return a copy of a value with the target of a pointer replaced; return it unchanged if a parent is missing."""
    if new is MISSING:
        raise thrown("json_pointer_set requires 3 arguments")
    steps = _steps("json_pointer_set", pointer)
    if not steps:
        return new
    path = _parents(value, steps)
    return value if path is None else _rebuilt(path, steps, _with_child(path[-1], steps[-1], new))


@native("json_pointer_delete")
def json_pointer_delete(value: object = None, pointer: object = MISSING) -> object:
    """Return a copy of a value without the target of a pointer; return it unchanged if there is no target."""
    if pointer is MISSING:
        raise thrown("json_pointer_delete requires 2 arguments")
    steps = _steps("json_pointer_delete", pointer)
    if not steps:
        return None
    path = _parents(value, steps)
    return value if path is None else _rebuilt(path, steps, _without_child(path[-1], steps[-1]))
