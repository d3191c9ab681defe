def fib_pair(n):
    if n == 0:
        return [0, 1]
    a, b = fib_pair(n // 2)
    c = a * (2 * b - a)
    d = a * a + b * b
    if n % 2 == 0:
        return [c, d]
    return [d, c + d]


def fib_list(n):
    xs = [0, 1]
    for i in range(2, n + 1):
        xs.append(xs[i - 1] + xs[i - 2])
    return xs[n]


def collatz(n):
    steps = 0
    x = n
    while x != 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
    return steps


def work(n):
    t = 0
    for i in range(n // 10):
        t += fib_pair(i % 80)[0] % 1000
        t += fib_list(i % 40) % 1000
        t += collatz(i + 1)
    return t
