"""The execution of tests, each in its own run with a scripted model, in one process or in several."""

from __future__ import annotations

import io
import os
import sys

from harnlite.analysis.linting.context.configuration import TEST_TIMEOUT_MS
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.renderers import RENDERERS, TEXT
from harnlite.diagnostics.source_files import read_source
from harnlite.host.assertion_diff import difference
from harnlite.host.engine import Engine
from harnlite.host.outcome import is_failed_loop
from harnlite.host.run_limits import Deadline
from harnlite.host.testing_discovery import BROKEN, ENTRY, PIPELINE
from harnlite.host.toolchain import Observer, run
from harnlite.runtime.environment_settings import setting
from harnlite.runtime.tasks.clock import waiting_time
from harnlite.runtime.tasks.execution import GRACE_SECONDS
from harnlite.runtime.tasks.task_errors import fault_text
from harnlite.stack import on_large_stack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harnlite.capabilities.grants import Permissions
    from harnlite.host.coverage import Evidence
    from harnlite.host.outcome import Outcome
    from harnlite.host.testing_discovery import Test
    from harnlite.runtime.modules import Program
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.limits import Limits

INTERRUPTED = "interrupted\n"
DIED = "the process that ran this test, or another test process, died\n"


class Rules:
    """The rules for a test run: its limits and permissions, and whether to update snapshots and measure coverage."""

    __slots__ = ("color", "coverage", "limits", "permissions", "sandbox", "timeout_ms", "update")

    def __init__(
        self,
        *,
        timeout_ms: int = TEST_TIMEOUT_MS,
        update: bool = False,
        color: bool = False,
        coverage: bool = False,
        permissions: Permissions | None = None,
        limits: Limits | None = None,
        sandbox: bool = False,
    ) -> None:
        self.permissions = permissions
        self.limits = limits
        self.sandbox = sandbox
        self.timeout_ms = timeout_ms
        self.update = update
        self.color = color
        self.coverage = coverage


class Stopper(Observer):
    """An observer that stops the running test and all later ones, on request of a signal handler."""

    __slots__ = ("_stop", "stopped")

    def __init__(self) -> None:
        self.stopped = False
        self._stop: Callable[[], None] | None = None

    def started(self, stop: Callable[..., None]) -> None:
        """Receive the function that stops the test or the pool of processes that runs now."""
        self._stop = stop
        if self.stopped:
            stop()

    def stop(self) -> None:
        """Stop the running tests and start no others."""
        self.stopped = True
        if self._stop is not None:
            self._stop()


SCRIPTED = ("HARN_LLM_PROVIDER", "HARN_LLM_CALLS_DISABLED")
"""The environment variables that prevent tests from calling real models."""


class Result:
    """The result of a test: `error` explains a failure, `summary` does so in one line; `output` is the printed text."""

    __slots__ = ("duration_ms", "error", "output", "summary", "test")

    def __init__(self, test: Test, error: str = "", summary: str = "") -> None:
        self.test = test
        self.error = error
        self.summary = summary or error.strip().partition("\n")[0]
        self.duration_ms = 0
        self.output = ""

    @property
    def passed(self) -> bool:
        """Return whether the test passed."""
        return not self.error


def prepare_environment() -> None:
    """Prevent the tests of this process from calling real models."""
    if setting("LLM_PROVIDER") is None:
        os.environ[SCRIPTED[0]] = "mock"
    os.environ[SCRIPTED[1]] = "1"


def run_tests(tests: Sequence[Test], rules: Rules, stopper: Stopper, evidence: Evidence | None) -> Iterator[Result]:
    """Run tests one after the other; an interrupted test is the last one."""
    before = {name: os.environ.get(name) for name in SCRIPTED}
    prepare_environment()
    try:
        for test in tests:
            if stopper.stopped:
                return
            yield run_test(test, rules, stopper, evidence)
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def run_test(test: Test, rules: Rules, observer: Observer, evidence: Evidence | None = None) -> Result:
    """Run one test and return its result, including its duration and output."""
    began = waiting_time()
    output = io.StringIO()
    try:
        result = _outcome_of(test, rules, observer, evidence, output)
    except Exception as error:  # noqa: BLE001 - a bug that one test triggers must not stop the others
        result = Result(test, fault_text(error) + ".\n")
    result.duration_ms = round((waiting_time() - began) * 1000)
    result.output = output.getvalue()
    return result


def _outcome_of(test: Test, rules: Rules, observer: Observer, evidence: Evidence | None, output: io.StringIO) -> Result:
    if test.kind == BROKEN:
        return Result(test, test.problem)
    try:
        source = read_source(test.file)
    except (OSError, LanguageError) as error:
        return Result(test, f"error: cannot read {test.file!r}: {error}\n")
    clocks: list[Deadline] = []

    def prepare(execution: Execution) -> None:
        execution.context["update_snapshots"] = rules.update
        if rules.permissions is not None:
            execution.context["permissions"] = rules.permissions
        if rules.sandbox:
            execution.context["sandbox"] = True
        if rules.limits is not None:
            execution.limits = rules.limits
        clocks.append(Deadline(rules.timeout_ms / 1000, GRACE_SECONDS, execution))

    def work() -> Outcome:
        return run(
            Engine(cwd=os.path.dirname(os.path.abspath(test.file))),
            source,
            params={},
            stdin=io.StringIO(),
            stdout=output,
            stderr=output,
            observer=observer,
            prepare=prepare,
            choose=lambda program: _entered(program, test),
        )

    try:
        outcome = on_large_stack((lambda: evidence.of(work)) if evidence is not None else work)
    finally:
        late = sum(clock.stop() for clock in clocks) > 0
    if outcome.interrupted and late:
        return Result(test, f"timed out after {rules.timeout_ms}ms\n")
    return _result(test, outcome, rules)


def _entered(program: Program, test: Test) -> Program:
    return program if test.kind == ENTRY else program.entered_at(test.name, is_pipeline=test.kind == PIPELINE)


def _result(test: Test, outcome: Outcome, rules: Rules) -> Result:
    """Return the result of a test: it passes unless it throws, returns an `Err`, or exits with a non-zero status."""
    if outcome.interrupted:
        return Result(test, INTERRUPTED)
    failure = outcome.failure
    if failure is not None:
        report = failure.report(TEXT, color=rules.color)
        if failure.sides is not None:
            report += difference(*failure.sides, color=rules.color)
        return Result(test, report, failure.message)
    if outcome.findings:
        errors = [finding for finding in outcome.findings if finding.is_error]
        return Result(test, RENDERERS[TEXT](errors, color=rules.color), errors[0].message)
    if outcome.message is not None:
        return Result(test, f"returned Err: {outcome.message}\n")
    if is_failed_loop(outcome.value):
        return Result(test, "returned the result of an agent loop that ended with provider_error\n")
    if outcome.status and outcome.value is None:
        return Result(test, f"ended with exit({outcome.status})\n")
    return Result(test)


def processors() -> int:
    """Return the number of processors that are available for running tests."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_in_parallel(
    tests: Sequence[Test], rules: Rules, workers: int, stopper: Stopper, evidence: Evidence | None
) -> Iterator[Result]:
    """Run tests in several processes and yield the results in the order of the tests."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children, get_context

    def stop() -> None:
        for process in active_children():
            process.kill()

    context = get_context("fork" if sys.platform == "linux" else "spawn")
    with ProcessPoolExecutor(min(workers, len(tests)), mp_context=context, initializer=prepare_environment) as pool:
        waiting = [pool.submit(_run_in_worker, test, rules) for test in tests]
        stopper.started(stop)
        for test, future in zip(tests, waiting, strict=True):
            try:
                result, found = future.result()
            except BrokenProcessPool:
                result, found = Result(test, INTERRUPTED if stopper.stopped else DIED), None
            if evidence is not None and found is not None:
                evidence.merge(found)
            yield result
            if result.error == INTERRUPTED:
                return


def _run_in_worker(test: Test, rules: Rules) -> tuple[Result, Evidence | None]:
    """Run one test in a worker process and return its result and its coverage evidence, if requested."""
    evidence = None
    if rules.coverage:
        from harnlite.host.coverage import Evidence

        evidence = Evidence()
    return run_test(test, rules, Observer(), evidence), evidence
