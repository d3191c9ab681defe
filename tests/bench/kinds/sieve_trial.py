"""The hand-written Python equivalent of sieve_trial.harn."""


def is_prime(n):
    if n < 2:
        return False
    d = 2
    while d * d <= n:
        if n % d == 0:
            return False
        d += 1
    return True


def collatz(start):
    n = start
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def work(n):
    found = []
    longest = 0
    for i in range(1, n + 1):
        if is_prime(i):
            found.append(i)
        steps = collatz(i)
        if steps > longest:
            longest = steps
    return len(found) * 1000 + longest
