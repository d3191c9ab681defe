"""The hand-written Python equivalent of fib_typed.harn."""


def fib(n: int) -> int:
    return n if n <= 1 else fib(n - 1) + fib(n - 2)


def tak(x: int, y: int, z: int) -> int:
    if y >= x:
        return z
    return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y))


def work(n: int) -> int:
    total = 0
    for i in range(n + 1):
        total += fib(i)
    return total + tak(n // 2, n // 4, 0)
