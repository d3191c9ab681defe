"""std/math and std/json, run as programs."""

from __future__ import annotations

import harnlite

RESULTS = [
    ("clamp(5, 1, 3)", "3"),
    ("clamp(2.5, 1, 3)", "2.5"),
    ("lerp(0, 10, 0.25)", "2.5"),
    ("map_range(5, 0, 10, 0, 100)", "0"),
    ("map_range(5.0, 0, 10, 0, 100)", "50.0"),
    ("map_range(1, 2, 2, 0, 1)", "Division by zero"),
    ("deg_to_rad(180)", "3.141592653589793"),
    ("rad_to_deg(pi)", "180.0"),
    ("sum([])", "0"),
    ("sum([1, 2])", "3"),
    ("sum([1, 2.5])", "3.5"),
    ("avg([])", "0"),
    ("mean([1, 2])", "1.5"),
    ("median([3, 1, 2])", "2"),
    ("median([4, 1, 2, 3])", "2.5"),
    ("percentile([7], 3)", "7"),
    ("percentile([1, 2, 3], 50)", "2"),
    ("percentile([1, 2, 3, 4], 90)", "3.7"),
    ("argsort([3, 1, 2, 1])", "[1, 3, 2, 0]"),
    ('argsort(["ccc", "a", "bb"], len)', "[1, 2, 0]"),
    ("top_k([3, 1, 2, 3], 2)", "[3, 3]"),
    ('top_k(["a", "bb", "cc"], 2, len)', "[bb, cc]"),
    ("top_k([1, 2], 2.0)", "[]"),
    ("top_k([1], 5)", "[1]"),
    ("variance([1, 2, 3, 4])", "1.25"),
    ("stddev([1, 2, 3], true)", "1.0"),
    ("minmax_scale([1, 2, 3])", "[0.0, 0.5, 1.0]"),
    ("minmax_scale([2, 2])", "[0.0, 0.0]"),
    ("zscore([1, 2, 3], true)", "[-1.0, 0.0, 1.0]"),
    ("zscore([2, 2])", "[0.0, 0.0]"),
    ("weighted_mean([1, 2, 3], [1, 1, 2])", "2.25"),
    ('weighted_choice(["a", "b"], [0, 1])', "b"),
    ('weighted_choice(["a"])', "a"),
    ("softmax([1, 1])", "[0.5, 0.5]"),
    ("sum(softmax([1, 2, 3], 0.5)) - 1.0 < 0.000001", "true"),
    ("normal_pdf(0)", "0.3989422804014327"),
    ("normal_pdf(3, 0, 2) * 2 == normal_pdf(1)", "true"),
    ("abs(normal_cdf(0) - 0.5) < 0.00000001", "true"),
    ("round(normal_cdf(-1.96) * 1000)", "25"),
    ("round(normal_quantile(0.975) * 1000)", "1960"),
    ("normal_quantile(0.5)", "0.0"),
    ("round(normal_quantile(0.01, 10, 2) * 1000)", "5347"),
    ("dot([], [])", "0.0"),
    ("dot([1, 2], [3, 4])", "11.0"),
    ("vector_norm([3, 4])", "5.0"),
    ("vector_normalize([3, 4])", "[0.6, 0.8]"),
    ("cosine_similarity([1, 0], [0, 2])", "0.0"),
    ("euclidean_distance([0, 0], [3, 4])", "5.0"),
    ("manhattan_distance([1, 2], [4, 0])", "5.0"),
    ("chebyshev_distance([1, 2], [4, 0])", "3"),
    ("chebyshev_distance([1], [1])", "0.0"),
    ("covariance([1, 2, 3], [2, 4, 6])", "1.3333333333333333"),
    ("correlation([1, 2, 3], [6, 4, 2], true)", "-1.0"),
    ("moving_avg([1, 2, 3, 4], 2)", "[1.5, 2.5, 3.5]"),
    ("ema([1, 2, 3], 0.5)", "[1.0, 1.5, 2.25]"),
    (
        "kmeans([[0, 0], [0, 1], [10, 10], [10, 11]], 2)",
        (
            "{assignments: [0, 0, 1, 1], centroids: [[0.0, 0.5], [10.0, 10.5]], converged: true, counts: [2, 2], "
            "inertia: 1.0, iterations: 2}"
        ),
    ),
    (
        "kmeans([[0], [1], [10], [11], [5]], 2, {max_iterations: 1})",
        (
            "{assignments: [0, 0, 1, 1, 0], centroids: [[2.0], [10.5]], converged: false, counts: [3, 2], "
            "inertia: 14.5, iterations: 1}"
        ),
    ),
    (
        "kmeans([[1], [1]], 2)",
        (
            "{assignments: [0, 0], centroids: [[1.0], [1.0]], converged: true, counts: [2, 0], inertia: 0.0, "
            "iterations: 2}"
        ),
    ),
    ("sum(1)", "items must be a list"),
    ('sum(["a"])', "items must contain only numbers"),
    ("median([])", "items must not be empty"),
    ('percentile([1], "x")', "percentile must be numeric"),
    ("percentile([1], 101)", "percentile must be between 0 and 100"),
    ("argsort(1)", "items must be a list"),
    ('top_k([1], "x")', "k must be numeric"),
    ("top_k([1], 1.5)", "k must be an integer"),
    ("top_k([1], -1)", "k must be non-negative"),
    ("variance([1], true)", "sample variance requires at least 2 values"),
    ("stddev([1], true)", "sample variance requires at least 2 values"),
    ("weighted_mean([1], [-1])", "weights must contain only non-negative numbers"),
    ("weighted_mean([1], [1, 2])", "items and weights must have the same length"),
    ("weighted_mean([1], [0])", "weights must sum to a positive value"),
    ("weighted_choice([])", "items must not be empty"),
    ("softmax([1], 0)", "temperature must be greater than 0"),
    ('softmax([1], "x")', "temperature must be numeric"),
    ('normal_pdf("x")', "x must be numeric"),
    ('normal_pdf(1, "x")', "mean must be numeric"),
    ('normal_cdf(1, 0, "x")', "stddev must be numeric"),
    ("normal_cdf(1, 0, 0)", "stddev must be greater than 0"),
    ('normal_quantile("x")', "probability must be numeric"),
    ("normal_quantile(1)", "probability must be between 0 and 1"),
    ("dot(1, [])", "a must be a list"),
    ('dot([], ["x"])', "b must contain only numbers"),
    ("dot([1], [1, 2])", "vectors must have the same length"),
    ("vector_norm(1)", "vector must be a list"),
    ("vector_normalize([0])", "cannot normalize a zero vector"),
    ("cosine_similarity([0], [1])", "cosine similarity requires non-zero vectors"),
    ("covariance([], [])", "xs must not be empty"),
    ("covariance([1], [1, 2])", "xs and ys must have the same length"),
    ("covariance([1], [1], true)", "sample covariance requires at least 2 values"),
    ("correlation([1], [1], true)", "sample correlation requires at least 2 values"),
    ("correlation([1, 1], [1, 2])", "correlation requires non-constant inputs"),
    ('moving_avg([1], "x")', "window must be numeric"),
    ("moving_avg([1], 1.5)", "window must be an integer"),
    ("moving_avg([1], 0)", "window must be at least 1"),
    ("moving_avg([1], 2)", "window must not exceed the number of items"),
    ('ema([1], "x")', "alpha must be numeric"),
    ("ema([1], 1)", "alpha must be between 0 and 1"),
    ("kmeans(1, 1)", "points must be a list"),
    ("kmeans([], 1)", "points must not be empty"),
    ("kmeans([1], 1)", "point must be a list"),
    ('kmeans([["a"]], 1)', "point must contain only numbers"),
    ("kmeans([[]], 1)", "points must have at least one dimension"),
    ("kmeans([[1], [1, 2]], 1)", "all points must have the same dimension"),
    ('kmeans([[1]], "x")', "k must be numeric"),
    ("kmeans([[1]], 1.5)", "k must be an integer"),
    ("kmeans([[1]], -1)", "k must be non-negative"),
    ("kmeans([[1]], 0)", "k must be at least 1"),
    ("kmeans([[1]], 2)", "k must not exceed the number of points"),
    ('kmeans([[1]], 1, {max_iterations: "x"})', "max_iterations must be numeric"),
    ("kmeans([[1]], 1, {max_iterations: 1.5})", "max_iterations must be an integer"),
    ("kmeans([[1]], 1, {max_iterations: 0})", "max_iterations must be at least 1"),
    ('pretty("a")', '"a"'),
    ("pretty([])", "[]"),
    ("pretty({})", "{}"),
    ('safe_parse("[1]")', "[1]"),
    ('safe_parse("nope")', "nil"),
    ("merge({a: 1}, {a: 2, b: 3})", "{a: 2, b: 3}"),
    ('pick({a: 1, b: nil, c: 3}, ["a", "b", "z"])', "{a: 1}"),
    ('omit({a: 1, b: nil, c: 3}, ["a", "z"])', "{b: nil, c: 3}"),
]
PRETTY = """\
{
  "a b": {
    "x": []
  },
  "list": [
    1,
    2.5,
    [
      null
    ]
  ],
  "p": {
    "x": 1
  },
  "s": [
    "q"
  ]
}
"""


def output(*lines: str) -> list[str]:
    text = "\n".join(('import "std/math"', 'import "std/json"', *lines))
    result = harnlite.Engine(cache=False).run(text)
    assert result.stderr == ""
    return result.stdout.splitlines()


def test_results_and_errors():
    programs = [f"println(try {{\n{expression}\n}} catch (e) {{ e }})" for expression, _ in RESULTS]
    expected = dict(RESULTS)
    assert dict(zip(expected, output(*programs), strict=True)) == expected


def test_pretty():
    value = '{list: [1, 2.5, [nil]], s: set("q"), "a b": {x: []}, p: P {x: 1}}'
    assert output("struct P { x: int }", f"println(pretty({value}))") == PRETTY.splitlines()
