"""The hand-written Python equivalent of sieve_flags.harn."""


def sieve(limit):
    flags = []
    for _ in range(limit + 1):
        flags.append(True)
    i = 2
    while i * i <= limit:
        if flags[i]:
            multiple = i * i
            while multiple <= limit:
                flags[multiple] = False
                multiple = multiple + i
        i = i + 1
    primes = []
    for k in range(2, limit + 1):
        if flags[k]:
            primes.append(k)
    return primes


def work(n):
    primes = sieve(n)
    total = 0
    for p in primes:
        total += p
    return total + len(primes)
