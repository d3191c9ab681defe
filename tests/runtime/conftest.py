"""A run for experiments, with access to its output."""

import io

import pytest

from harnlite.runtime.concurrency.entry_points import spawn
from harnlite.runtime.tasks.execution import Execution
from harnlite.stack import on_large_stack


class Bench:
    """One run whose output is kept."""

    def __init__(self):
        self.out = io.StringIO()
        self.err = io.StringIO()
        self.run = Execution(stdout=self.out, stderr=self.err)

    def enter(self, main):
        """Run a main program on a large stack."""
        return on_large_stack(lambda: self.run.enter(main), self.run.interrupt)

    def say(self, *values):
        """Write a line as the current task."""
        self.run.write(" ".join(map(str, values)) + "\n")

    def spawn(self, body):
        """Make a task."""
        return spawn(self.run, lambda *_: body())

    @property
    def lines(self):
        """The lines of the output."""
        return self.out.getvalue().splitlines()


@pytest.fixture
def bench():
    return Bench()
