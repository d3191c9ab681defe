"""`harnlite check`: reports errors and warnings in programs without running them."""

from __future__ import annotations

import os
import sys

import click

from harnlite.cli import exit_codes
from harnlite.cli.report_files import write_report
from harnlite.cli.shared_options import read_program, report_options, stdin_name
from harnlite.cli.terminal import wants_color
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.renderers import RENDERERS, TEXT
from harnlite.diagnostics.source_files import read_source
from harnlite.resources import SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.diagnostics.source import Source


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True))
@click.option("--output-file", type=click.Path(dir_okay=False), help="Write the report to a file.")
@stdin_name
@report_options
def command(
    files: tuple[str, ...],
    output_file: str | None,
    name: str | None,
    style: str | None,
    color: str,
    debug: bool,  # noqa: ARG001, FBT001 - the entry point reads it
) -> None:
    """Report errors and warnings in FILEs.

    A folder means every .harn file in it; '-' means standard input.
    """
    findings = [finding for file in files for finding in _findings_at(file, name)]
    colored = output_file is None and wants_color(color, sys.stdout)
    report = RENDERERS[style or TEXT](findings, color=colored)
    if output_file is None:
        sys.stdout.write(report)
    else:
        write_report(output_file, report)
    sys.exit(exit_codes.FINDINGS if any(finding.is_error for finding in findings) else exit_codes.OK)


def _findings_at(path: str, name: str | None) -> Iterator[Diagnostic]:
    if os.path.isdir(path):
        for folder, folders, names in os.walk(path):
            folders.sort()
            for file in sorted(names):
                if file.endswith(SUFFIX):
                    yield from _findings_inside(os.path.join(folder, file))
    else:
        yield from _findings(lambda: read_program(path, name))


def _findings_inside(path: str) -> list[Diagnostic]:
    """Return the findings of a file in a folder; a file that cannot be read has one error."""
    try:
        return _findings(lambda: read_source(path))
    except OSError as error:
        from harnlite.host.linting import missing_file

        return [missing_file(path, error)]


def _findings(read: Callable[[], Source]) -> list[Diagnostic]:
    from harnlite.host.toolchain import findings

    try:
        return findings(read())
    except LanguageError as error:
        return list(error.diagnostics)
