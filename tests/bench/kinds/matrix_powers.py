def make(n, f):
    m = []
    for i in range(n):
        row = []
        for j in range(n):
            row.append(f(i, j))
        m.append(row)
    return m


def mat_mul(a, b):
    out = []
    for row in a:
        r = []
        for j in range(len(b[0])):
            s = 0
            for k in range(len(b)):
                s += row[k] * b[k][j]
            r.append(s)
        out.append(r)
    return out


def mat_pow(m, p):
    result = make(len(m), lambda i, j: 1 if i == j else 0)
    base = m
    e = p
    while e > 0:
        if e % 2 == 1:
            result = mat_mul(result, base)
        base = [[x % 1000 for x in r] for r in mat_mul(base, base)]
        e = e // 2
    return result


def work(n):
    m = mat_pow(make(n, lambda i, j: (i + j) % 5), 10)
    return sum(sum(r) for r in m)
