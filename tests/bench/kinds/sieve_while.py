def work(n):
    flags = [True for _ in range(n + 1)]
    flags[0] = False
    flags[1] = False
    i = 2
    while i * i <= n:
        if flags[i]:
            j = i * i
            while j <= n:
                flags[j] = False
                j += i
        i += 1
    primes = []
    for k in range(n + 1):
        if flags[k]:
            primes.append(k)
    return len(primes) * 100000 + primes[-1]
