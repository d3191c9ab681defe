def memo(f):
    cache = {}

    def g(n):
        key = str(n)
        if key in cache:
            return cache[key]
        v = f(n)
        cache[key] = v
        return v

    return g


def curry(a):
    return lambda b: lambda c: a + b * c


def multiplier(k):
    return lambda x: x * k


def work(n):
    sq = memo(lambda x: x * x)
    s = 0
    for i in range(n):
        s += sq(i % 100) + curry(i)(2)(3)
    fs = [multiplier(k) for k in [1, 2, 3, 4]]
    for i in range(n):
        for f in fs:
            s += f(i)
    return s
