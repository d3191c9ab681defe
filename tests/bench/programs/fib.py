"""The hand-written Python equivalent of fib.harn."""


def work(n):
    if n < 2:
        return n
    return work(n - 1) + work(n - 2)
