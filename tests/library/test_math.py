"""Math and random numbers."""

from __future__ import annotations

import math
import random
from types import SimpleNamespace

import pytest

from harnlite.library import math as builtins
from harnlite.library import random as chance
from harnlite.values.display import display
from harnlite.values.errors import ScriptError

NAN, INF = math.nan, math.inf
LARGEST, SMALLEST = 2**63 - 1, -(2**63)

CASES = [
    (builtins.absolute, (-3,), 3),
    (builtins.absolute, (SMALLEST,), 2.0**63),
    (builtins.absolute, (-0.5,), 0.5),
    (builtins.absolute, ("1",), None),
    (builtins.absolute, (True,), None),
    (builtins.minimum, (2, 1), 1),
    (builtins.minimum, (1, 2.0), 1.0),
    (builtins.minimum, (NAN, 2), 2.0),
    (builtins.minimum, (1,), None),
    (builtins.maximum, (2, 1), 2),
    (builtins.maximum, (2, NAN), 2.0),
    (builtins.maximum, (1, "a"), None),
    (builtins.floor, (-0.5,), -1),
    (builtins.floor, (LARGEST,), LARGEST),
    (builtins.floor, ("x",), None),
    (builtins.ceil, (0.1,), 1),
    (builtins.round_half_away, (0.49999999999999994,), 0),
    (builtins.round_half_away, (2.5,), 3),
    (builtins.round_half_away, (-2.5,), -3),
    (builtins.round_half_away, (4503599627370497.0,), 4503599627370497),
    (builtins.sqrt, (-1,), NAN),
    (builtins.sqrt, (9,), 3.0),
    (builtins.power, (2, 62), 2**62),
    (builtins.power, (2, 63), 2.0**63),
    (builtins.power, (-2, 63), SMALLEST),
    (builtins.power, (3, 2**32 - 1), INF),
    (builtins.power, (-1, 2**32 - 1), -1),
    (builtins.power, (0, 0), 1),
    (builtins.power, (0, 5), 0),
    (builtins.power, (1, 2**32), 1.0),
    (builtins.power, (2, -1), 0.5),
    (builtins.power, (2, 0.5), math.sqrt(2)),
    (builtins.power, (-8, 0.5), NAN),
    (builtins.power, (0, -1), INF),
    (builtins.power, (-10, 309), -INF),
    (builtins.power, ("2", 1), None),
    (builtins.sin, (0,), 0.0),
    (builtins.tan, (INF,), NAN),
    (builtins.acos, (2,), NAN),
    (builtins.atan2, (1, 1), math.pi / 4),
    (builtins.atan2, (1,), None),
    (builtins.ln, (0,), -INF),
    (builtins.ln, (-1,), NAN),
    (builtins.log2, (8,), 3.0),
    (builtins.log10, (1000,), 3.0),
    (builtins.exp, (1000,), INF),
    (builtins.exp, (None,), None),
    (builtins.sign, (-0.5,), -1),
    (builtins.sign, (0.0,), 0),
    (builtins.sign, (7,), 1),
    (builtins.sign, (NAN,), NAN),
    (builtins.sign, ("x",), None),
    (builtins.is_nan, (NAN,), True),
    (builtins.is_nan, (1,), False),
    (builtins.is_infinite, (-INF,), True),
    (builtins.is_infinite, ("inf",), False),
    (builtins.mean, ([],), 0.0),
    (builtins.mean, ([1, 2],), 1.5),
    (builtins.median, ([3, 1, 2],), 2.0),
    (builtins.median, ([4, 1, 2, 3],), 2.5),
    (builtins.variance, ([1, 2, 3, 4],), 1.25),
    (builtins.variance, ([1, 2, 3], True), 1.0),
    (builtins.stddev, ([2, 4, 4, 4, 5, 5, 7, 9],), 2.0),
    (builtins.percentile, ([4, 1, 2, 3], 50), 2.5),
    (builtins.percentile, ([1, 2, 3, 4], 100), 4.0),
    (builtins.percentile, ([1, 2, 3, 4], 0), 1.0),
    (builtins.percentile, ([5], 33.3), 5.0),
]


@pytest.mark.parametrize(("builtin", "args", "expected"), CASES)
def test_results_and_their_types(builtin, args, expected):
    result = builtin(*args)
    assert display(result) == display(expected)
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("builtin", "args", "text"),
    [
        (builtins.floor, (NAN,), "Runtime error: cannot convert non-finite float to int"),
        (builtins.ceil, (1e300,), "Runtime error: float is outside the representable int range"),
        (builtins.round_half_away, (2.0**63,), "Runtime error: float is outside the representable int range"),
        (builtins.mean, (1,), "Type error: mean: items must be a list"),
        (builtins.mean, (["a"],), "Type error: mean must be numeric"),
        (builtins.median, ([],), "Runtime error: median: items must not be empty"),
        (builtins.stddev, ([],), "Runtime error: stddev: items must not be empty"),
        (builtins.stddev, ([1], True), "Runtime error: sample variance requires at least 2 values"),
        (builtins.variance, ([1], True), "Runtime error: sample variance requires at least 2 values"),
        (builtins.percentile, ([], 1), "Runtime error: percentile: items must not be empty"),
        (builtins.percentile, ([1], "x"), "Type error: percentile must be numeric"),
        (builtins.percentile, ([1], 101), "Runtime error: percentile must be between 0 and 100"),
        (chance.rng_seed, ("x",), "Type error: rng_seed(seed): seed must be an integer"),
        (chance.random_int, (None, 1.0, 2), "Type error: random_int: min must be an integer"),
        (chance.random_int, (None, 1, "2"), "Type error: random_int: max must be an integer"),
    ],
)
def test_errors(builtin, args, text):
    with pytest.raises(ScriptError) as caught:
        builtin(*args) if args[0] is not None else builtin(run(), *args[1:])
    assert caught.value.value == text


def run(seed: int = 1) -> SimpleNamespace:
    return SimpleNamespace(random=random.Random(seed))


def test_a_seed_gives_the_same_sequence_and_copies_share_it():
    one, other = chance.rng_seed(7), chance.rng_seed(7)
    draws = [chance.random_int(run(), one, 0, 10**9) for _ in range(5)]
    assert draws == [chance.random_int(run(), other, 0, 10**9) for _ in range(5)]
    assert chance.random_float(run(), one) != chance.random_float(run(), one)
    assert display(one) == "<rng>"
    assert one.harn_type == "rng"


def test_without_a_seed_the_source_of_the_run_is_used():
    assert chance.random_float(run(3)) == random.Random(3).random()
    assert chance.random_int(run(), 5, 5) == 5
    assert chance.random_int(run(), 5, 4) is None
    assert chance.random_int(run(), 5) is None
    assert chance.random_int(run()) is None


def test_choice_and_shuffle():
    rng = chance.rng_seed(1)
    assert chance.random_choice(run(), rng, [4]) == 4
    assert chance.random_choice(run(), []) is None
    assert chance.random_choice(run(), "abc") is None
    items = list(range(20))
    shuffled = chance.random_shuffle(run(), rng, items)
    assert shuffled != items
    assert sorted(shuffled) == items
    assert items == list(range(20))
    assert chance.random_shuffle(run(), "abc") is None
