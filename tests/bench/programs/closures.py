"""The hand-written Python equivalent of closures.harn."""

from functools import reduce


def work(n):
    items = []
    for i in range(n):
        items.append(i)
    doubled = [(lambda x: x * 2)(x) for x in items]
    kept = [x for x in doubled if (lambda x: x % 3 == 0)(x)]
    return reduce(lambda sum, x: sum + x, kept, 0)
