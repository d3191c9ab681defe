"""The hand-written Python equivalent of matrix_places.harn."""


def zeros(n):
    m = []
    for _i in range(n):
        row = []
        for _j in range(n):
            row.append(0)
        m.append(row)
    return m


def multiply(a, b, n):
    c = zeros(n)
    for i in range(n):
        for j in range(n):
            s = 0
            for k in range(n):
                s = s + a[i][k] * b[k][j]
            c[i][j] = s
    return c


def work(n):
    a = zeros(n)
    b = zeros(n)
    for i in range(n):
        for j in range(n):
            a[i][j] = i + j
            b[i][j] = i - j
    c = multiply(a, b, n)
    total = 0
    for i in range(n):
        total += c[i][n - 1 - i]
    return total
