"""The work of `harnlite lint`: lint or fix the files of a request, and write the report."""

from __future__ import annotations

import sys

from harnlite.analysis.linting.configuration_files import ConfigurationError
from harnlite.cli import exit_codes
from harnlite.cli.lint_request import LintRequest, read_arguments
from harnlite.cli.terminal import wants_color
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.renderers import RENDERERS, TEXT
from harnlite.host.linting import files_of, lint_files, unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic

STDIN = "-"


def quick_lint(arguments: Sequence[str]) -> int | None:
    """Lint without click; return the exit status, or None if click must read the arguments or report an error."""
    given = read_arguments(arguments)
    if given is None:
        return None
    paths, options = given
    request = LintRequest(paths or (".",), options)
    try:
        found = findings_of(request)
    except (ConfigurationError, OSError):
        return None
    write_findings(request, found)
    return status_of(request, fails(request, found))


def status_of(request: LintRequest, has_findings: bool) -> int:  # noqa: FBT001 - the main argument
    """Return the exit status."""
    return exit_codes.FINDINGS if has_findings and not request.exit_zero else exit_codes.OK


def fails(request: LintRequest, found: Sequence[Diagnostic]) -> bool:
    """Return whether the findings are too many."""
    limit = request.max_warnings
    if limit is None:
        return bool(found)
    return any(one.is_error for one in found) or sum(not one.is_error for one in found) > limit


def findings_of(request: LintRequest) -> list[Diagnostic]:
    """Lint the files of a request, and fix them if it asks for that; return the findings that remain."""
    request.check()
    return (_fix if request.changes else _lint)(request)


def _lint(request: LintRequest) -> list[Diagnostic]:
    if STDIN not in request.paths:
        return lint_files(request.wishes, files_of(request.desk, request.paths))
    found: list[Diagnostic] = []
    for path in request.paths:
        if path == STDIN:
            from harnlite.cli.shared_options import read_program

            found += _readable(lambda: request.desk.lint(read_program(STDIN, request.name)))
        else:
            found += lint_files(request.wishes, files_of(request.desk, [path]))
    return found


def _readable(look: Callable[[], list[Diagnostic]]) -> list[Diagnostic]:
    try:
        return look()
    except LanguageError as error:
        return unreadable(error)


def _fix(request: LintRequest) -> list[Diagnostic]:
    """Fix one file after another; return the findings that remain."""
    from harnlite.analysis.linting.fixing import fixes_of

    left: list[Diagnostic] = []
    for path in request.paths:
        if path == STDIN:
            left += _readable(lambda: _fix_one(request, STDIN))
            continue
        found = lint_files(request.wishes, files_of(request.desk, [path]))
        for file, own in _by_file(found):
            fixable = fixes_of(own, unsafe=request.unsafe_fixes)
            left += _fix_one(request, file) if fixable else own
    return left


def _by_file(found: Sequence[Diagnostic]) -> list[tuple[str, list[Diagnostic]]]:
    files: dict[str, list[Diagnostic]] = {}
    for one in found:
        files.setdefault(one.source.name, []).append(one)
    return list(files.items())


def _fix_one(request: LintRequest, file: str) -> list[Diagnostic]:
    from harnlite.cli.shared_options import read_program
    from harnlite.diagnostics.text_changes import difference, replace_text

    source = read_program(file, request.name)
    fixed = request.desk.fix(source, unsafe=request.unsafe_fixes)
    request.applied += fixed.applied
    if request.diff:
        sys.stdout.write(difference(source, fixed.source.text))
    elif file == STDIN:
        sys.stdout.write(fixed.source.text)
        request.reports_on = sys.stderr
    elif fixed.source.text != source.text:
        replace_text(file, fixed.source.text)
    return fixed.left


def write_findings(request: LintRequest, found: Sequence[Diagnostic]) -> None:
    """Write the report and, in text format, a summary line on stderr."""
    from harnlite.host.lint_summary import statistics, summary

    style, file = request.style or TEXT, request.output_file
    if request.statistics:
        report = statistics(found, style)
    else:
        report = RENDERERS[style](found, color=file is None and wants_color(request.color, request.reports_on))
    if file is None:
        request.reports_on.write(report)
    else:
        from harnlite.cli.report_files import write_report

        write_report(file, report)
    if style == TEXT and not request.quiet:
        sys.stderr.write(summary(found, request.applied))
