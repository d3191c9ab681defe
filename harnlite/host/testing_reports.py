"""Reports of test results: lines of text for the terminal, and JUnit XML."""

from __future__ import annotations

from harnlite.diagnostics.render_junit import HEAD, escaped, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.host.testing import Result
    from harnlite.host.testing_discovery import Test

_INDENT = "    "
_GREEN, _RED, _DIM, _RESET = "\x1b[32m", "\x1b[31m", "\x1b[2m", "\x1b[0m"


class Report:
    """A text report of test results, with or without colour."""

    __slots__ = ("_color",)

    def __init__(self, *, color: bool = False) -> None:
        self._color = color

    def head(self, tests: Sequence[Test], workers: int, *, parallel: bool) -> str:
        """Return the text to print before the first test runs."""
        files = len({test.file for test in tests})
        scheduling = "parallel" if parallel else "sequential"
        amounts = f"{_count(len(tests), 'test')} from {_count(files, 'file')} with {_count(workers, 'worker')}"
        return f"Running {amounts} ({scheduling} scheduling)\n\n"

    def line(self, result: Result) -> str:
        """Return the line to print after a test."""
        if not result.passed:
            return f"  {self._in(_RED, 'FAIL')}  {result.test.title}\n"
        return f"  {self._in(_GREEN, 'PASS')}  {result.test.title} {self._in(_DIM, f'({result.duration_ms} ms)')}\n"

    def tail(self, results: Sequence[Result], duration_ms: int) -> str:
        """Return the text to print at the end: the numbers of tests, and the failures."""
        failures = [result for result in results if not result.passed]
        passed = self._in(_GREEN, f"{len(results) - len(failures)} passed")
        failed = [self._in(_RED, f"{len(failures)} failed")] if failures else []
        numbers = ", ".join([passed, *failed, f"{len(results)} total"])
        summary = f"\n{numbers} ({duration_ms} ms)\n"
        return summary + ("\nFailures:\n" + "".join(map(_explained, failures)) if failures else "")

    def _in(self, color: str, text: str) -> str:
        return f"{color}{text}{_RESET}" if self._color else text


def nothing(pattern: str | None) -> str:
    """Return the text to print if there are no tests, or none whose name fits the filter."""
    return f"No test pipelines found that match the filter {pattern!r}\n" if pattern else "No test pipelines found\n"


def slowest(results: Sequence[Result], amount: int) -> str:
    """Return the list of the slowest tests."""
    found = sorted(results, key=lambda result: -result.duration_ms)[:amount]
    width = max((len(str(result.duration_ms)) for result in found), default=0)
    rows = "".join(f"  {result.duration_ms:>{width}} ms  {result.test.title}\n" for result in found)
    return "\nSlowest:\n" + rows


def _count(amount: int, thing: str) -> str:
    return f"{amount} {thing}{'' if amount == 1 else 's'}"


def _explained(result: Result) -> str:
    text = f"\n  {result.test.title}\n{_indented(result.error)}"
    return text + f"{_INDENT}output:\n{_indented(result.output, _INDENT + '  ')}" if result.output else text


def _indented(text: str, indent: str = _INDENT) -> str:
    return "".join(f"{indent}{line}".rstrip() + "\n" for line in text.rstrip("\n").split("\n"))


def junit(results: Sequence[Result], duration_ms: int) -> str:
    """Return the results as JUnit XML, with a suite for each file."""
    suites: dict[str, list[Result]] = {}
    for result in results:
        suites.setdefault(result.test.file, []).append(result)
    head = f'<testsuites name="harnlite" {_numbers(results, duration_ms)}>\n'
    return f"{HEAD}{head}{''.join(_suite(file, found) for file, found in suites.items())}</testsuites>\n"


def _numbers(results: Sequence[Result], duration_ms: int) -> str:
    failures = sum(not result.passed for result in results)
    return f'tests="{len(results)}" failures="{failures}" errors="0" time="{duration_ms / 1000:.3f}"'


def _suite(file: str, results: Sequence[Result]) -> str:
    duration_ms = sum(result.duration_ms for result in results)
    cases = "".join(map(_case, results))
    return f"  <testsuite name={quoted(file)} {_numbers(results, duration_ms)}>\n{cases}  </testsuite>\n"


def _case(result: Result) -> str:
    test = result.test
    place = f'classname={quoted(test.file)} file={quoted(test.file)} line="{test.line}"'
    head = f'    <testcase name={quoted(test.name)} {place} time="{result.duration_ms / 1000:.3f}"'
    inner = ""
    if not result.passed:
        message = quoted(result.summary)
        inner += f'      <failure type="failure" message={message}>{escaped(result.error)}</failure>\n'
    if result.output:
        inner += f"      <system-out>{escaped(result.output)}</system-out>\n"
    return f"{head}>\n{inner}    </testcase>\n" if inner else f"{head}/>\n"
