"""The same work as fib.harn, by hand."""


def work(n):
    if n < 2:
        return n
    return work(n - 1) + work(n - 2)
