"""The flag that makes the code of a run poll is lost in no order of steps of two threads."""

import pytest

from harnlite.values.interrupts import raise_flag, take_flag


class Run:
    """A run whose flag another thread raises between two steps: when its hash is taken for the given time."""

    def __init__(self, step):
        self.steps_left = step
        self.is_raised = False

    def __hash__(self):
        self.steps_left -= 1
        if not self.steps_left:
            self.is_raised = True
            raise_flag(self)
        return id(self)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_flag_that_is_raised_meanwhile_is_taken_now_or_later(step):
    run, other = Run(step), Run(0)
    raise_flag(other)  # without another flag there is nothing to look up
    taken = [take_flag(run) for _ in range(4)]
    assert take_flag(other)
    assert run.is_raised
    assert taken.count(True) == 1
