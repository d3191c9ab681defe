"""The hand-written Python equivalent of closures_counters.harn."""

from math import fmod


def counter():
    count = 0

    def act(step):
        nonlocal count
        count += step
        return count

    return act


def apply_n(f, n):
    last = 0
    for i in range(n):
        last = f(i)
    return last


def work(n):
    first = counter()
    second = counter()
    a = apply_n(first, n)
    b = apply_n(lambda x: second(x) + 1, n)
    handlers = [lambda x: x + 1, lambda x: x * 2, lambda x: x - 3]
    value = 0
    for i in range(n):
        handler = handlers[i % 3]
        value = int(fmod(handler(value), 1000))
    return a + b + value
