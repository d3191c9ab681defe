"""The hand-written Python equivalent of sieve.harn."""


def work(n):
    composite = []
    for _ in range(n + 1):
        composite.append(False)
    count = 0
    for i in range(2, n + 1):
        if not composite[i]:
            count += 1
            j = i * i
            while j <= n:
                composite[j] = True
                j += i
    return count
