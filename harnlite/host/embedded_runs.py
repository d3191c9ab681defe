"""Runs for an embedding program, with captured output, converted values, and failures as data."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnlite.diagnostics.errors import LanguageError
from harnlite.host import toolchain
from harnlite.host.conversion import convert_deeply, to_harn, to_python
from harnlite.host.outcome import FAILED, NOT_COMPILED, Outcome
from harnlite.host.programs import source_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.host.engine import Engine
    from harnlite.host.programs import Program


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run: `exit_code` is the exit status of the same run on the command line, `error` an error text.

    `diagnostics` contains the findings of the compiler and the uncaught error, if there is one; `calls` lists the
    calls that led to the error, innermost first, each as `(function, "file:line:column")`.
    """

    value: object
    stdout: str
    stderr: str
    exit_code: int
    error: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()

    @property
    def ok(self) -> bool:
        """Return whether the program completed."""
        return self.error is None


def run_to_result(
    engine: Engine,
    program: Program,
    name: str,
    *,
    params: Mapping[str, object],
    argv: Sequence[str],
    stdin: str,
    capture: bool,
) -> RunResult:
    """Run a program with Python values and return the result; Ctrl-C ends the run cleanly and is raised again."""
    out, errors = io.StringIO(), io.StringIO()
    listener = _Listener()
    given = {key: convert_deeply(to_harn, value) for key, value in params.items()}
    try:
        source = source_of(program, name)
        outcome = toolchain.run(
            engine,
            source,
            params=given,
            argv=argv,
            stdin=io.StringIO(stdin) if capture else None,
            stdout=out if capture else None,
            stderr=errors if capture else None,
            observer=listener,
        )
    except LanguageError as error:
        outcome = Outcome(NOT_COMPILED, findings=error.diagnostics)
    if outcome.interrupted:
        raise KeyboardInterrupt
    if outcome.message is not None:
        errors.write(outcome.message + "\n")
    try:
        value = convert_deeply(to_python, outcome.value)
    except ValueError as error:
        from harnlite.host.failure_report import Failure

        value, outcome = None, Outcome(FAILED, failure=Failure(str(error)))
    return _result(value, outcome, listener.warnings, out.getvalue(), errors.getvalue())


class _Listener(toolchain.Observer):
    """An observer that keeps the warnings of the compiler."""

    __slots__ = ("warnings",)

    def __init__(self) -> None:
        self.warnings: tuple[Diagnostic, ...] = ()

    def warned(self, findings: Sequence[Diagnostic]) -> None:
        """Store the warnings."""
        self.warnings = tuple(findings)


def _result(value: object, outcome: Outcome, warnings: tuple[Diagnostic, ...], stdout: str, stderr: str) -> RunResult:
    failure = outcome.failure
    diagnostics = (*warnings, *outcome.findings)
    calls: tuple[tuple[str, str], ...] = ()
    if failure is not None:
        finding = failure.diagnostic()
        diagnostics = (*diagnostics, finding) if finding else diagnostics
        calls = tuple((frame.function, frame.place) for frame in failure.frames)
    return RunResult(
        value=value,
        stdout=stdout,
        stderr=stderr,
        exit_code=outcome.status,
        error=outcome.error,
        diagnostics=diagnostics,
        calls=calls,
    )
