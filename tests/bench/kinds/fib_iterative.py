"""The hand-written Python equivalent of fib_iterative.harn."""


def fib(n):
    a = 0
    b = 1
    for _ in range(n):
        a, b = b, a + b
    return a


def work(n):
    total = 0
    for i in range(n):
        total = (total + fib(i % 80)) % 1000007
    return total
