"""The way from a source to a syntax tree, to findings, to Python code, or to the outcome of a run."""

from __future__ import annotations

from harnlite.capabilities.limit_table import MEMORY
from harnlite.compiler.program import ProgramMemory, check, load, python_text
from harnlite.diagnostics.diagnostic import Diagnostic, Label
from harnlite.diagnostics.errors import InternalError, LanguageError
from harnlite.diagnostics.source import Span
from harnlite.host.outcome import FAILED, INTERRUPTED, NOT_COMPILED, Outcome, finished
from harnlite.host.project_capabilities import limit_to_program
from harnlite.host.run_limits import Deadline, OutputLimit, within_depth
from harnlite.runtime.access_control import module_opener
from harnlite.stack import on_large_stack
from harnlite.values.errors import ExitRun, Interrupted, ScriptError
from harnlite.values.limits import advice

REPLAY_MISSED = "replay_missed"
"""The key of `store.recordings`; importing it here would load it for every run."""
PROGRAM_MEMORY = "program_memory"
"""The key of the context of a run for the programs that its host has compiled before."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TextIO

    from harnlite.diagnostics.source import Source
    from harnlite.host.engine import Engine
    from harnlite.runtime.modules import Program
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.syntax.nodes import Module


def parsed(source: Source) -> Module:
    """Return the syntax tree of a source; raise LanguageError if it has syntax errors."""
    from harnlite.syntax.parser import parse

    result = on_large_stack(lambda: parse(source))
    if any(finding.is_error for finding in result.diagnostics):
        raise LanguageError("syntax error", result.diagnostics)
    return result.module


def findings(source: Source) -> list[Diagnostic]:
    """Return the errors and warnings of the compiler for a source."""
    return on_large_stack(lambda: check(source))


def emitted(source: Source, form: str) -> str:
    """Return the syntax tree (`ast`) or the Python code (`python`) of a source as text."""
    from harnlite.syntax.outline import outline

    if form == "ast":
        tree = parsed(source)
        return on_large_stack(lambda: outline(tree, source))
    return on_large_stack(lambda: python_text(source))


class Observer:
    """A base class for observers of a run, whose methods do nothing."""

    __slots__ = ()

    def warned(self, findings: Sequence[Diagnostic]) -> None:
        """Receive the compiler's warnings about a program that will run."""

    def started(self, stop: Callable[..., None]) -> None:
        """Receive the function that interrupts the program, just before the program starts.

        It takes the seconds after which it also stops the cleanup of the program; without them, nothing does.
        """


_NO_OBSERVER = Observer()


def run(  # noqa: PLR0913 - each is a keyword with a default
    engine: Engine,
    source: Source,
    *,
    params: Mapping[str, object] | Callable[[Program], Mapping[str, object]],
    argv: Sequence[str] = (),
    stdin: TextIO | None = None,
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
    observer: Observer = _NO_OBSERVER,
    prepare: Callable[[Execution], object] | None = None,
    choose: Callable[[Program], Program] | None = None,
    after: Callable[[Execution], object] | None = None,
) -> Outcome:
    """Compile and run a source; whatever stops it is part of the outcome, except for a bug in harnlite.

    `params` are the values of pipeline parameters, or a function that returns them for the compiled program; `prepare`
    is called with the execution before anything else; `choose` may change the entry point of the compiled program;
    `after` is called inside the run when the program has come to its end, and its value is that of the outcome.
    """
    output = OutputLimit(stdout, engine.max_output) if engine.max_output is not None else None
    file: TextIO | None = output or stdout  # type: ignore[assignment]  # only `write`, `flush` and `isatty` are used
    execution = engine.execution(argv=argv, stdin=stdin, stdout=file, stderr=stderr)
    execution.context["script"] = source.path
    if prepare is not None:
        prepare(execution)
    deadline = Deadline(engine.deadline, engine.grace, execution) if engine.deadline is not None else None
    try:
        outcome = on_large_stack(
            lambda: _run(engine, source, execution, params, observer, choose, after),
            execution.interrupt,
        )
    finally:
        late = deadline is not None and deadline.stop()
    if late:
        cut = f", and its cleanup longer than {engine.grace:g} s" if execution.scheduler.ending.is_forced else ""
        return _stopped(f"Error [timeout]: the run took longer than {engine.deadline:g} s{cut}")
    gauge = execution.limits.gauge
    if gauge is not None and gauge.has_ended_run:
        used = f"the run went on after it had used more than {gauge.limit:,} bytes of memory"
        return _stopped(f"Error [budget_exceeded]: {used}; {advice(MEMORY)}")
    if output is not None and output.exceeded:
        return _stopped(f"the run wrote more than {engine.max_output} characters")
    outcome.is_cut_short = execution.scheduler.ending.is_forced
    missed = execution.context.get(REPLAY_MISSED)
    return outcome if missed is None else _with_missed(outcome, str(missed))


def _with_missed(outcome: Outcome, message: str) -> Outcome:
    """Return the outcome of a run that made a request which its recording lacks: it has failed, and says so."""
    from harnlite.host.failure_report import Failure

    if outcome.failure is None and not outcome.interrupted:
        outcome.failure = Failure(message)
        outcome.status = outcome.status or FAILED
    return outcome


def _stopped(text: str) -> Outcome:
    from harnlite.host.failure_report import Failure

    return Outcome(FAILED, failure=Failure(text))


def _run(
    engine: Engine,
    source: Source,
    execution: Execution,
    params: Mapping[str, object] | Callable[[Program], Mapping[str, object]],
    observer: Observer,
    choose: Callable[[Program], Program] | None,
    after: Callable[[Execution], object] | None,
) -> Outcome:
    program: Program | None = None
    given: dict[str, object] = {}
    try:
        has_project = limit_to_program(execution, source)
        program = _loaded(source, execution, cache=engine.cache)
        if choose is not None:
            program = choose(program)
        given = dict(params(program) if callable(params) else params)
        if program.warnings:
            observer.warned(warnings_of(program))
        begin = _start(program, execution, given, after, cache=engine.cache, has_project=has_project)
        observer.started(execution.interrupt)
        return finished(within_depth(engine.max_depth, begin))
    except ExitRun as end:
        return Outcome(end.code)
    except Interrupted:
        return Outcome(INTERRUPTED, interrupted=True)
    except ScriptError as error:
        from harnlite.host.failure_report import failure_of

        unset = [] if program is None else [name for name in program.facts["params"] if name not in given]
        return Outcome(FAILED, failure=failure_of(error, source, unset, module_opener(execution)))
    except InternalError:
        raise
    except LanguageError as error:
        return Outcome(NOT_COMPILED, findings=error.diagnostics)


def _loaded(source: Source, execution: Execution, *, cache: bool) -> Program:
    memory = execution.context.get(PROGRAM_MEMORY)
    return load(
        source,
        cache=cache,
        modules=module_opener(execution),
        memory=memory if isinstance(memory, ProgramMemory) else None,
    )


def _start(
    program: Program,
    execution: Execution,
    params: dict[str, object],
    after: Callable[[Execution], object] | None,
    *,
    cache: bool,
    has_project: bool,
) -> Callable[[], object]:
    from harnlite.host.launch import execute

    def compiled(source: Source) -> Program:
        return _loaded(source, execution, cache=cache)

    return lambda: execute(program, execution, params, compiled, after, has_project=has_project)


def warnings_of(program: Program) -> list[Diagnostic]:
    """Return the warnings of the compiler that are stored with the code of a program."""
    return [
        Diagnostic(
            severity,
            message,
            program.source,
            Span(start, end),
            code=code,
            help=notes,
            labels=[Label(Span(first, last), text) for first, last, text in labels],
        )
        for severity, message, start, end, code, notes, labels in program.warnings
    ]
