"""Running a script from the command line: read it, run it, report errors and return the exit status."""

from __future__ import annotations

import sys

from harnlite.cli import exit_codes
from harnlite.cli.run_display import UnusableFile, Watch
from harnlite.cli.run_request import STDIN
from harnlite.cli.terminal import wants_color
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Source
from harnlite.diagnostics.source_files import decode_source, read_bounded, read_source
from harnlite.host.engine import Engine
from harnlite.host.script_limits import engine_settings
from harnlite.host.toolchain import Observer, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.cli.run_request import RunRequest
    from harnlite.cli.signals import Signals
    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.host.outcome import Outcome
    from harnlite.host.request_preview import RequestPreview

CODE_NAME, STDIN_NAME, TEXT = "<command>", "<stdin>", "text"


class UnknownParameter(Exception):
    """Raised if the program has no parameter of a given name."""


class _Console(Observer):
    """Print warnings before a program starts, and let signals stop it."""

    __slots__ = ("_request", "_signals")

    def __init__(self, request: RunRequest, signals: Signals) -> None:
        self._request = request
        self._signals = signals

    def warned(self, findings: Sequence[Diagnostic]) -> None:
        _print_findings(findings, self._request.format, self._request.color)

    def started(self, stop: Callable[..., None]) -> None:
        self._signals.running(stop)


def run_script(request: RunRequest, signals: Signals, preview: RequestPreview | None = None) -> int:
    """Execute a request and return the exit status. A preview takes the first request to a model."""
    try:
        source = _source(request)
        params = {**request.values, **_json_values(request.json_values)}
        engine = Engine(deadline=request.deadline, **engine_settings(request.engine))
    except LanguageError as error:
        return report_findings(error, request.format, request.color)
    except OSError as error:
        return _usage(f"cannot read {request.file!r}: {error.strerror}")
    except ValueError as error:
        return _usage(str(error))
    watch = Watch(request)
    try:
        outcome = run(
            engine,
            source,
            params=lambda program: _checked(params, program.facts["params"], request),
            argv=request.argv,
            stdout=watch.output() if preview is None else sys.stderr,
            observer=_Console(request, signals),
            prepare=lambda execution: watch.prepare(execution, preview),
        )
    except (UnusableFile, UnknownParameter) as error:
        return _usage(str(error))
    signals.running(None)
    watch.finish(has_run=outcome.status != exit_codes.NOT_COMPILED or not outcome.findings)
    _explain(outcome, request)
    return signals.status if outcome.interrupted else outcome.status


def _source(request: RunRequest) -> Source:
    if request.code is not None:
        return Source(request.code, CODE_NAME)
    if request.file is None or request.file == STDIN:
        return decode_source(read_bounded(sys.stdin.buffer, STDIN), request.name or STDIN_NAME)
    return read_source(request.file, may_be_pipe=True)


def _checked(params: dict[str, object], known: Sequence[str], request: RunRequest) -> dict[str, object]:
    """Return the values of parameters; raise UnknownParameter if one is for a parameter that does not exist."""
    for name in params:
        if name not in known:
            from harnlite.diagnostics.suggest import near_name

            option = "--set" if name in request.values else "--set-json"
            near = near_name(name, known)
            hint = f"did you mean {near!r}?" if near else f"it has {', '.join(known)}" if known else "it has none"
            raise UnknownParameter(f"{option}: the program has no parameter {name!r}; {hint}")
    return params


def _json_values(texts: dict[str, str]) -> dict[str, object]:
    if not texts:
        return {}
    import json

    from harnlite.host.conversion import convert_deeply, to_harn

    values = {}
    for name, text in texts.items():
        try:
            values[name] = convert_deeply(lambda written: to_harn(json.loads(written)), text)
        except ValueError as error:
            raise ValueError(f"--set-json {name}: {error}") from None
    return values


def _explain(outcome: Outcome, request: RunRequest) -> None:
    """Write the error that stopped the run, or the text of its `Err` result, to stderr."""
    if outcome.failure is not None:
        color = wants_color(request.color, sys.stderr)
        sys.stderr.write(outcome.failure.report(request.format or TEXT, color=color))
    elif outcome.message is not None:
        sys.stderr.write(outcome.message + "\n")
    elif outcome.findings:
        _print_findings(outcome.findings, request.format, request.color)


def report_findings(error: LanguageError, style: str | None, color: str) -> int:
    """Print the errors of a program that cannot be compiled and return the exit status."""
    _print_findings(error.diagnostics, style, color)
    return exit_codes.NOT_COMPILED


def _print_findings(findings: Sequence[Diagnostic], style: str | None, color: str) -> None:
    from harnlite.diagnostics.renderers import RENDERERS

    sys.stderr.write(RENDERERS[style or TEXT](findings, color=wants_color(color, sys.stderr)))


def _usage(message: str) -> int:
    sys.stderr.write(f"error: {message}\n")
    return exit_codes.USAGE
