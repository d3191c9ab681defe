"""The hand-written Python equivalent of closures_pipeline.harn."""

from functools import reduce


def adder(n):
    return lambda x: x + n


def compose(f, g):
    return lambda x: g(f(x))


def work(n):
    act = compose(adder(3), lambda x: x * 2)
    total = 0
    for i in range(n):
        total += act(i)
    squares = [x for x in [x * x for x in range(n)] if x % 2 == 0]
    return total + reduce(lambda acc, x: acc + x, squares, 0)
