"""`harnlite test`: finds tests and runs them."""

from __future__ import annotations

import sys

import click

from harnlite.analysis.linting.configuration_files import ConfigurationError
from harnlite.cli import exit_codes
from harnlite.cli.report_files import write_report
from harnlite.cli.signals import Signals
from harnlite.cli.testing_options import TestRequest, test_options
from harnlite.host import testing_reports
from harnlite.host.testing import Stopper, run_in_parallel, run_tests
from harnlite.host.testing_discovery import files_in, find_tests
from harnlite.runtime.tasks.clock import waiting_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harnlite.host.coverage import Evidence
    from harnlite.host.testing import Result

_CLEAR = "\x1b[2J\x1b[H"


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(exists=True))
@test_options
def command(paths: tuple[str, ...], **options: object) -> None:
    """Run the tests in PATHs.

    The default is the paths in the configuration, else the current folder. A folder means every .harn file in it that
    git does not ignore. A test is a pipeline named test_…, a pipeline or function marked @test, or a whole file named
    …_test.harn. Tests never call a real model: the provider is `mock`.
    """
    signals = Signals()
    signals.listen()
    request = _request(paths, options)
    if request.watch:
        _watch(lambda: _request(paths, options), signals)
    sys.exit(_session(request, signals))


def _request(paths: Sequence[str], options: Mapping[str, object]) -> TestRequest:
    try:
        return TestRequest(paths, options)
    except (ConfigurationError, ValueError) as error:
        raise click.UsageError(str(error)) from None


def _watch(read_request: Callable[[], TestRequest], signals: Signals) -> None:
    """Run the tests, and rerun them after every change, until a signal stops the process."""
    from harnlite.cli.file_watcher import snapshot, wait_for_change

    while True:
        request = read_request()
        seen = snapshot(request.paths)
        status = _session(request, signals)
        if status == signals.status:
            sys.exit(status)
        sys.stdout.write("\nWaiting for changes; press Ctrl-C to stop.\n")
        sys.stdout.flush()
        wait_for_change(request.paths, seen)
        sys.stdout.write(_CLEAR if sys.stdout.isatty() else "\n")


def _session(request: TestRequest, signals: Signals) -> int:
    """Run all tests once, report the results and return the exit status."""
    began = waiting_time()
    files = files_in(request.paths)
    tests = find_tests(files, request.filter)
    if not tests:
        sys.stdout.write(testing_reports.nothing(request.filter))
        return exit_codes.NO_TESTS
    report = testing_reports.Report(color=request.color)
    evidence = _evidence(request)
    stopper = Stopper()
    signals.running(stopper.stop)
    _say(report.head(tests, request.workers, parallel=request.parallel))
    if request.parallel:
        running = run_in_parallel(tests, request.rules, request.workers, stopper, evidence)
    else:
        running = run_tests(tests, request.rules, stopper, evidence)
    results: list[Result] = []
    for result in running:
        results.append(result)
        _say(report.line(result))
    signals.running(None)
    duration_ms = round((waiting_time() - began) * 1000)
    _say(report.tail(results, duration_ms))
    went_well = all(result.passed for result in results)
    went_well = _write_reports(request, files, results, duration_ms, evidence) and went_well
    if stopper.stopped:
        return signals.status
    return exit_codes.OK if went_well else exit_codes.FAILED


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _evidence(request: TestRequest) -> Evidence | None:
    if not request.coverage:
        return None
    from harnlite.host.coverage import Evidence

    return Evidence()


def _write_reports(
    request: TestRequest, files: Sequence[str], results: Sequence[Result], duration_ms: int, evidence: Evidence | None
) -> bool:
    """Write the requested reports; return whether the coverage is sufficient."""
    if request.durations is not None:
        _say(testing_reports.slowest(results, request.durations))
    if request.junit is not None:
        write_report(request.junit, testing_reports.junit(results, duration_ms), makes_folder=True)
    if evidence is None:
        return True
    from harnlite.host.coverage_report import measured, page, shortfall, table

    found = measured(files, evidence)
    _say(table(found))
    if request.cov_html is not None:
        write_report(request.cov_html, page(found), makes_folder=True)
    missing = shortfall(found, request.cov_min or 0)
    _say(missing)
    return not missing
