"""Nothing costs more than in proportion to its size, but for a little: the small form of `tests/bench/growth.py`."""

import pytest

from tests.bench.growth import SIZES, growths, slope

PART = 0.25
MOST = 1.3
"""More than in the bench: other work takes the caches away from the larger sizes first."""
ATTEMPTS = 8
"""A busy machine makes single measurements too long, so the least of a few counts."""


def test_the_slope_is_that_of_the_line():
    assert slope([0.0, 1.0, 2.0], [5.0, 7.0, 9.0]) == pytest.approx(2)


@pytest.mark.parametrize("name", SIZES)
def test_growth(name):
    measure = dict(growths(PART, rounds=2))[name]
    found = []
    for _ in range(ATTEMPTS):
        found.append(measure())
        if found[-1] <= MOST:
            return
    pytest.fail(f"{name}: the cost grows with the size to the power of {min(found):.2f}")
