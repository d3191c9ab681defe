"""The request of `harnlite run`, parsed from the command line without click, for speed."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

STDIN = "-"
FORMAT_VARIABLE = "HARNLITE_FORMAT"
FORMATS = ("text", "concise", "json", "sarif", "github", "junit")
COLORS = ("auto", "always", "never")


class RunRequest:
    """A program to run, with its arguments and settings; without a file and code, it is the entry of the project."""

    __slots__ = (
        "argv",
        "code",
        "color",
        "deadline",
        "debug",
        "engine",
        "file",
        "format",
        "json_values",
        "name",
        "trace",
        "values",
        "verbose",
    )

    def __init__(self) -> None:
        self.file: str | None = None
        self.code: str | None = None
        self.name: str | None = None
        self.values: dict[str, str] = {}
        self.json_values: dict[str, str] = {}
        self.format: str | None = None
        self.color = COLORS[0]
        self.deadline: float | None = None
        self.debug = self.trace = self.verbose = False
        self.engine: dict[str, Any] = {}
        self.argv: list[str] = []


def assignment(text: str) -> tuple[str, str]:
    """Split `name=value`; raise ValueError if the text is malformed."""
    name, sign, value = text.partition("=")
    if not sign or not name.isidentifier():
        raise ValueError(f"{text!r} is not of the form name=value")
    return name, value


def seconds(text: str) -> float:
    """Parse a positive number of seconds; raise ValueError for any other text."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError(f"{text!r} is not a positive number of seconds")
    return value


def choice(text: str, choices: Sequence[str]) -> str:
    """Return the text if it is one of the choices; raise ValueError otherwise."""
    if text not in choices:
        raise ValueError(f"{text!r} is not one of {', '.join(choices)}")
    return text


def _kept_as(name: str) -> Callable[[RunRequest, str], None]:
    return lambda request, text: setattr(request, name, text)


def _one_of(name: str, choices: Sequence[str]) -> Callable[[RunRequest, str], None]:
    return lambda request, text: setattr(request, name, choice(text, choices))


def _engine(field: str) -> Callable[[RunRequest, str], None]:
    """Return a function that stores the value of an option in a field of the Engine."""
    return lambda request, text: request.engine.__setitem__(field, text)


def _listed(field: str) -> Callable[[RunRequest, str], None]:
    """Return a function that adds the value of a repeatable option to a field of the Engine."""
    return lambda request, text: request.engine.__setitem__(field, (*request.engine.get(field, ()), text))


_WITH_VALUE: dict[str, Callable[[RunRequest, str], None]] = {
    "-c": _kept_as("code"),
    "--allow": _listed("allow"),
    "--color": _one_of("color", COLORS),
    "--deadline": lambda request, text: setattr(request, "deadline", seconds(text)),
    "--deny": _listed("deny"),
    "--events": _engine("events"),
    "--limit": _listed("limit"),
    "--max-memory": _engine("max_memory"),
    "--format": _one_of("format", FORMATS),
    "--grace": lambda asked, text: asked.engine.update(grace=seconds(text)),
    "--llm-mock": _engine("llm_mock"),
    "--record": _engine("record"),
    "--replay": _engine("replay"),
    "--set": lambda request, text: request.values.update([assignment(text)]),
    "--set-json": lambda request, text: request.json_values.update([assignment(text)]),
    "--skill-dir": _listed("skill_dirs"),
    "--stdin-filename": _kept_as("name"),
    "--store": _engine("store"),
}
_FLAGS: dict[str, Callable[[RunRequest], None]] = {
    "--debug": lambda request: setattr(request, "debug", True),
    "--sandbox": lambda request: request.engine.update(sandbox=True),
    "--trace": lambda request: setattr(request, "trace", True),
    "--verbose": lambda request: setattr(request, "verbose", True),
    "-v": lambda request: setattr(request, "verbose", True),
}


def read_request(arguments: Sequence[str]) -> RunRequest | None:
    """Parse the arguments of `run`; return None if click must report an error or print the help."""
    request = RunRequest()
    position, end = 0, len(arguments)
    try:
        while position < end:
            argument = arguments[position]
            position += 1
            if argument == "--":
                request.argv = list(arguments[position:])
                break
            name, sign, value = argument.partition("=")
            if argument in _FLAGS:
                _FLAGS[argument](request)
            elif argument in _WITH_VALUE:
                _WITH_VALUE[argument](request, arguments[position])
                position += 1
            elif sign and name in _WITH_VALUE and name.startswith("--"):
                _WITH_VALUE[name](request, value)
            elif (argument.startswith("-") and argument != STDIN) or request.file is not None:
                return None
            else:
                request.file = argument
        if request.format is None and os.environ.get(FORMAT_VARIABLE):
            _WITH_VALUE["--format"](request, os.environ[FORMAT_VARIABLE])
    except (ValueError, IndexError):
        return None
    programs = [one for one in (request.file, request.code) if one is not None]
    return request if len(programs) == 1 or not (programs or request.name) else None
