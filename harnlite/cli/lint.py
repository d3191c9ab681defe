"""`harnlite lint`: finds mistakes in programs and fixes those that can be fixed."""

from __future__ import annotations

import sys

import click

from harnlite.cli import exit_codes
from harnlite.cli.lint_options import LintRequest, lint_options
from harnlite.cli.report_files import write_report
from harnlite.cli.shared_options import read_program, report_options, stdin_name
from harnlite.cli.terminal import wants_color
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.renderers import RENDERERS, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic

STDIN = "-"


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(allow_dash=True, exists=True))
@lint_options
@stdin_name
@report_options
def command(paths: tuple[str, ...], **options: object) -> None:
    """Find mistakes in PATHs, by default the current folder.

    A folder means every .harn file in it that git does not ignore; '-' means standard input.
    """
    from harnlite.analysis.linting.configuration_files import ConfigurationError

    request = LintRequest(paths or (".",), options)
    try:
        request.check()
        found = (_fix if request.changes else _lint)(request)
    except ConfigurationError as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        raise click.UsageError(f"cannot read {error.filename!r}: {error.strerror}") from None
    if request.diff:
        sys.exit(_status(request, request.applied > 0))
    _write(request, found)
    sys.exit(_status(request, _fails(request, found)))


def _status(request: LintRequest, has_findings: bool) -> int:  # noqa: FBT001 - the main argument
    return exit_codes.FINDINGS if has_findings and not request.exit_zero else exit_codes.OK


def _fails(request: LintRequest, found: Sequence[Diagnostic]) -> bool:
    limit = request.max_warnings
    if limit is None:
        return bool(found)
    return any(one.is_error for one in found) or sum(not one.is_error for one in found) > limit


def _lint(request: LintRequest) -> list[Diagnostic]:
    from harnlite.host.linting import files_of, lint_files

    if STDIN not in request.paths:
        return lint_files(request.wishes, files_of(request.desk, request.paths))
    found: list[Diagnostic] = []
    for path in request.paths:
        if path == STDIN:
            found += _readable(lambda: request.desk.lint(read_program(STDIN, request.name)))
        else:
            found += lint_files(request.wishes, files_of(request.desk, [path]))
    return found


def _readable(look: Callable[[], list[Diagnostic]]) -> list[Diagnostic]:
    from harnlite.host.linting import unreadable

    try:
        return look()
    except LanguageError as error:
        return unreadable(error)


def _fix(request: LintRequest) -> list[Diagnostic]:
    """Fix one file after another; return the findings that remain."""
    from harnlite.analysis.linting.fixing import fixes_of
    from harnlite.host.linting import files_of, lint_files

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


def _write(request: LintRequest, found: Sequence[Diagnostic]) -> None:
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
        write_report(file, report)
    if style == TEXT and not request.quiet:
        sys.stderr.write(summary(found, request.applied))
