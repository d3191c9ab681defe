"""Builtins that write log lines to stdout, each as one JSON object."""

from __future__ import annotations

import math

from harnlite.formats.json.writing import json_float, json_string
from harnlite.library.native import native
from harnlite.runtime.tasks.clock import iso_time
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_LEVELS = {"debug": 0, "info": 1, "warn": 2, "error": 3}
_LITERALS = {True: "true", False: "false", None: "null"}


class Log:
    """The log level of a run and its open traces, innermost last."""

    __slots__ = ("level", "traces")

    def __init__(self) -> None:
        self.level = 0
        self.traces: list[tuple[str, str]] = []


def log_of(run: Execution) -> Log:
    """Return the log of a run."""
    return run.state("log", Log)


def _field(value: object) -> str:
    if value is None or isinstance(value, bool):
        return _LITERALS[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return json_float(value) if math.isfinite(value) else "null"
    return json_string(display(value))


def write_entry(run: Execution, level: str, message: str, fields: object) -> None:
    """Write a log line, unless its level is below the level of the log."""
    log = log_of(run)
    if _LEVELS[level] < log.level:
        return
    entries: list[tuple[str, object]] = [("ts", iso_time(run.clock.now())), ("level", level), ("msg", message)]
    if log.traces:
        entries += zip(("trace_id", "span_id"), log.traces[-1], strict=True)
    if isinstance(fields, dict):
        entries += sorted(fields.items())
    _write_line(run, entries)


def _write_line(run: Execution, entries: list[tuple[str, object]]) -> None:
    run.write("{" + ",".join(f"{json_string(key)}:{_field(value)}" for key, value in entries) + "}\n")


@native("log_debug")
def log_debug(run: Execution, message: object = "", fields: object = None) -> None:
    """Write a log line of level debug."""
    write_entry(run, "debug", display(message), fields)


@native("log_info")
def log_info(run: Execution, message: object = "", fields: object = None) -> None:
    """Write a log line of level info."""
    write_entry(run, "info", display(message), fields)


@native("log_warn")
def log_warn(run: Execution, message: object = "", fields: object = None) -> None:
    """Write a log line of level warn."""
    write_entry(run, "warn", display(message), fields)


@native("log_error")
def log_error(run: Execution, message: object = "", fields: object = None) -> None:
    """Write a log line of level error."""
    write_entry(run, "error", display(message), fields)


@native("log_set_level")
def log_set_level(run: Execution, level: object = "") -> None:
    """Set the log level; log lines below it are dropped."""
    name = display(level)
    if name not in _LEVELS:
        raise thrown(f"log_set_level: invalid level '{name}'. Expected debug, info, warn, or error")
    log_of(run).level = _LEVELS[name]


@native("log_json")
def log_json(run: Execution, key: object = "", value: object = None) -> None:
    """Write a value as a JSON line with its key and the current time."""
    _write_line(run, [("ts", iso_time(run.clock.now())), ("key", display(key)), ("value", value)])
