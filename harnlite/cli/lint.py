"""`harnlite lint`: finds mistakes in programs and fixes those that can be fixed."""

from __future__ import annotations

import sys

import click

from harnlite.cli.lint_options import lint_options
from harnlite.cli.shared_options import report_options, stdin_name


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
    from harnlite.cli.lint_request import LintRequest
    from harnlite.cli.linting import fails, findings_of, status_of, write_findings

    request = LintRequest(paths or (".",), options)
    try:
        found = findings_of(request)
    except ConfigurationError as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        raise click.UsageError(f"cannot read {error.filename!r}: {error.strerror}") from None
    if request.diff:
        sys.exit(status_of(request, request.applied > 0))
    write_findings(request, found)
    sys.exit(status_of(request, fails(request, found)))
