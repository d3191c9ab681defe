"""The options of `harnlite test`, and what they come to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from harnlite.cli.request import COLORS
from harnlite.cli.terminal import wants_color
from harnlite.host.testing import TIMEOUT_MS, Rules, processors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

_FILE = click.Path(dir_okay=False)
_OPTIONS = (
    click.option("--filter", "wanted", metavar="TEXT", default="", help="Only tests with TEXT in their name or path."),
    click.option("--parallel", is_flag=True, help="Run the tests in several processes."),
    click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="How many processes; with --parallel."),
    click.option("--watch", is_flag=True, help="Run the tests again whenever a file changes."),
    click.option(
        "--timeout",
        type=click.IntRange(min=1),
        metavar="MS",
        default=TIMEOUT_MS,
        show_default=True,
        help="The time each test has.",
    ),
    click.option("--junit", type=_FILE, metavar="FILE", help="Write the results as JUnit XML too."),
    click.option("--update", is_flag=True, help="Write snapshots that have changed instead of failing."),
    click.option("--durations", type=click.IntRange(min=1), metavar="N", help="Show the N slowest tests."),
    click.option("--cov", "coverage", is_flag=True, help="Show which lines and branches the tests have run."),
    click.option("--cov-html", type=_FILE, metavar="FILE", help="Write that as a page for a browser; implies --cov."),
    click.option("--color", type=click.Choice(COLORS), default=COLORS[0], help="Colour in reports."),
    click.option("--debug", is_flag=True, help="Show Python tracebacks of internal errors."),
)


def test_options(command: F) -> F:
    """Add what `test` has."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class TestRequest:
    """What a call of `harnlite test` asks for."""

    def __init__(self, paths: Sequence[str], options: Mapping[str, Any]) -> None:
        self.paths = paths
        self.wanted: str = options["wanted"]
        self.watch: bool = options["watch"]
        self.junit: str | None = options["junit"]
        self.durations: int | None = options["durations"]
        self.cov_html: str | None = options["cov_html"]
        self.coverage: bool = options["coverage"] or self.cov_html is not None
        jobs: int | None = options["jobs"]
        self.parallel: bool = options["parallel"] or (jobs or 1) > 1
        self.workers = (jobs or processors()) if self.parallel else 1
        self.color = wants_color(options["color"], sys.stdout)
        self.rules = Rules(
            timeout_ms=options["timeout"], update=options["update"], color=self.color, coverage=self.coverage
        )
