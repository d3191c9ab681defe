"""`harnlite fmt`: formats programs, or lists those that are not formatted."""

from __future__ import annotations

import os
import sys

import click

from harnlite.cli import exit_codes
from harnlite.cli.differences import painted
from harnlite.cli.shared_options import read_program, report_options, stdin_name
from harnlite.cli.terminal import wants_color
from harnlite.diagnostics.errors import InternalError, LanguageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

STDIN = "-"


class _Run:
    """The counts of a run so far."""

    __slots__ = ("changed", "failed", "kept")

    def __init__(self) -> None:
        self.changed = 0
        self.kept = 0
        self.failed = 0

    def fail(self, message: str) -> None:
        """Count a file that could not be read or written, and report why."""
        sys.stderr.write(f"error: {message}\n")
        self.failed += 1

    def summary(self, verb: str) -> str:
        """Return the summary line."""
        counts = ((self.changed, verb), (self.kept, "already formatted"), (self.failed, "left unchanged"))
        parts = [f"{count} file{'s' * (count != 1)} {what}" for count, what in counts if count]
        return f"{', '.join(parts) or 'no .harn files found'}\n"


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(allow_dash=True, exists=True))
@click.option("--check", is_flag=True, help="Change nothing; list the files that would change.")
@click.option("--diff", is_flag=True, help="Change nothing; show the changes as a diff.")
@click.option("-q", "--quiet", is_flag=True, help="Do not print a summary.")
@stdin_name
@report_options
def command(
    paths: tuple[str, ...],
    check: bool,  # noqa: FBT001 - a flag
    diff: bool,  # noqa: FBT001 - a flag
    quiet: bool,  # noqa: FBT001 - a flag
    name: str | None,
    style: str | None,
    color: str,
    debug: bool,  # noqa: ARG001, FBT001 - the entry point reads it
) -> None:
    """Format PATHs, by default the current folder.

    A folder means every .harn file in it that git does not ignore. '-' means standard input; the formatted program is
    then written to standard output.
    """
    run = _Run()
    paths = paths or (STDIN if name else ".",)
    bug = None
    for path in _files(paths):
        try:
            changed = _format(path, name, check=check, diff=diff, color=diff and wants_color(color, sys.stdout))
        except LanguageError as error:
            _report(error, style, color)
            run.failed += 1
        except InternalError as error:
            bug = bug or error
            run.fail(str(error))
        except BrokenPipeError:
            raise
        except click.UsageError as error:
            run.fail(error.message)
        except OSError as error:
            run.fail(f"cannot write {path!r}: {error.strerror}")
        else:
            run.changed += changed
            run.kept += not changed
    if not quiet and STDIN not in paths:
        sys.stderr.write(run.summary("to format" if check or diff else "formatted"))
    if bug is not None:
        raise bug
    has_findings = run.changed and (check or diff)
    sys.exit(exit_codes.USAGE if run.failed else exit_codes.FINDINGS if has_findings else exit_codes.OK)


def _files(paths: Sequence[str]) -> list[str]:
    """Return the files at these paths, without duplicates."""
    found: dict[str, str] = {}
    for path in paths:
        for file in _programs(path) if os.path.isdir(path) else (path,):
            found.setdefault(file if file == STDIN else os.path.abspath(file), file)
    return list(found.values())


def _programs(folder: str) -> Iterator[str]:
    """Return the programs in a folder, without those that its configuration excludes."""
    from harnlite.analysis.files.discovery import programs_in
    from harnlite.analysis.linting.configuration_files import ConfigurationError, find_project_file
    from harnlite.analysis.linting.context.configuration import LintConfig

    try:
        project = find_project_file(folder)
    except ConfigurationError as error:
        raise click.UsageError(str(error)) from None
    if project is None:
        return programs_in(folder, lambda _: False)
    config = LintConfig(**project.section("fmt"), root=os.path.dirname(project.path))
    return programs_in(folder, config.excludes, gitignore=config.respect_gitignore)


def _format(path: str, name: str | None, *, check: bool, diff: bool, color: bool) -> bool:
    """Format one file; return whether that changes it."""
    from harnlite.diagnostics.excerpt import without_controls
    from harnlite.diagnostics.text_changes import difference, replace_text
    from harnlite.syntax.printer import format_source

    source = read_program(path, name)
    text = format_source(source)
    changed = text != source.text
    if diff:
        shown = difference(source, text)
        sys.stdout.write(painted(shown) if color else shown)
    elif check:
        sys.stdout.write(f"would format {without_controls(source.name)}\n" if changed else "")
    elif path == STDIN:
        sys.stdout.write(text)
    elif changed:
        replace_text(path, text)
    return changed


def _report(error: LanguageError, style: str | None, color: str) -> None:
    from harnlite.diagnostics.renderers import RENDERERS, TEXT

    sys.stderr.write(RENDERERS[style or TEXT](error.diagnostics, color=wants_color(color, sys.stderr)))
