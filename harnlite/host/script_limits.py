"""The limits of scripts from options and environment variables."""

from __future__ import annotations

from harnlite.runtime.environment_settings import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    T = TypeVar("T")


def engine_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of Engine for the options of a command; raise ValueError if one is not valid.

    The options `limit` and `max_memory`, or else their environment variables, become the argument `limits`.
    """
    given = dict(options)
    flags, memory = given.pop("limit", ()), given.pop("max_memory", None)
    written, memory_set = setting("LIMITS"), setting("MAX_MEMORY")
    if not (flags or memory or written or memory_set):
        return given
    from harnlite.capabilities.limit_table import MEMORY, limits_in, size_limit

    limits: dict[str, int] = {}
    if written:
        limits |= _named("HARNLITE_LIMITS", lambda: limits_in(written.split(",")))
    if memory_set:
        limits[MEMORY] = _named("HARNLITE_MAX_MEMORY", lambda: size_limit(memory_set))
    limits |= _named("--limit", lambda: limits_in(flags))
    if memory:
        limits[MEMORY] = _named("--max-memory", lambda: size_limit(memory))
    return {**given, "limits": limits}


def _named(name: str, read: Callable[[], T]) -> T:
    """Return what a function returns; put the name of an option before the text of its ValueError."""
    try:
        return read()
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
