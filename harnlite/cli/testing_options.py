"""The options of `harnlite test` and the resulting request."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from harnlite.analysis.linting.configuration_files import ConfigurationError
from harnlite.analysis.linting.context.configuration import TEST_KEYS, TEST_TIMEOUT_MS
from harnlite.cli.run_request import COLORS
from harnlite.cli.shared_options import script_options
from harnlite.cli.terminal import wants_color
from harnlite.host.engine import Engine
from harnlite.host.script_limits import engine_settings
from harnlite.host.testing import Rules, processors
from harnlite.host.testing_settings import chosen_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

_FILE = click.Path(dir_okay=False)
_COUNT = click.IntRange(min=1)
_OPTIONS = (
    click.option("--filter", metavar="TEXT", help="Run only tests with TEXT in their name or path."),
    click.option("--parallel/--no-parallel", default=None, help="Run the tests in several processes."),
    click.option(
        "-j", "--jobs", type=_COUNT, metavar="N", help="The number of processes; more than 1 implies --parallel."
    ),
    click.option("--watch", is_flag=True, help="Rerun the tests whenever a file changes."),
    click.option(
        "--timeout", type=_COUNT, metavar="MS", help=f"The time limit for each test; default: {TEST_TIMEOUT_MS}."
    ),
    click.option("--junit", type=_FILE, metavar="FILE", help="Also write the results as JUnit XML."),
    click.option("--update", is_flag=True, help="Update changed snapshots instead of failing."),
    click.option("--durations", type=_COUNT, metavar="N", help="Show the N slowest tests."),
    click.option("--cov/--no-cov", default=None, help="Measure which lines and branches the tests run."),
    click.option("--cov-html", type=_FILE, metavar="FILE", help="Write the coverage as an HTML page; implies --cov."),
    click.option(
        "--cov-min",
        type=click.FloatRange(0, 100),
        metavar="PERCENT",
        help="Fail if the line coverage is lower; implies --cov.",
    ),
    click.option("--config", type=click.Path(dir_okay=False, exists=True), help="Use this configuration file."),
    click.option("--isolated", is_flag=True, help="Use no configuration file."),
    click.option("--color", type=click.Choice(COLORS), default=COLORS[0], help="When to use colour in reports."),
    click.option("--debug", is_flag=True, help="Show Python tracebacks for internal errors."),
)


def test_options(command: F) -> F:
    """Add the options of `test`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return script_options(command)


class TestRequest:
    """A call of `harnlite test`; raises ConfigurationError or ValueError if a configuration or option is invalid."""

    def __init__(self, paths: Sequence[str], options: Mapping[str, Any]) -> None:
        given = {key: options[key] for key in TEST_KEYS if key in options}
        values = chosen_settings(
            {**given, "paths": paths or None}, file=options["config"], isolated=options["isolated"]
        )
        self.paths: Sequence[str] = values["paths"]
        missing = next((path for path in self.paths if not os.path.exists(path)), None)
        if missing is not None:
            raise ConfigurationError(f"test.paths: {missing!r} does not exist")
        self.filter: str = values["filter"]
        self.watch: bool = options["watch"]
        self.junit: str | None = values["junit"]
        self.durations: int | None = values["durations"]
        self.cov_html: str | None = values["cov_html"]
        self.cov_min: float | None = values["cov_min"]
        is_measured = values["cov"] or self.cov_html is not None or self.cov_min is not None
        self.coverage: bool = is_measured and options["cov"] is not False
        jobs: int | None = values["jobs"]
        self.parallel: bool = (values["parallel"] or (jobs or 1) > 1) and options["parallel"] is not False
        self.workers = (jobs or processors()) if self.parallel else 1
        self.color = wants_color(options["color"], sys.stdout)
        names = ("allow", "deny", "sandbox", "limit", "max_memory")
        engine = Engine(**engine_settings({key: options[key] for key in names}))
        self.rules = Rules(
            timeout_ms=values["timeout"],
            update=options["update"],
            color=self.color,
            coverage=self.coverage,
            permissions=engine.permissions,
            limits=engine.limits,
            sandbox=engine.sandbox,
        )
