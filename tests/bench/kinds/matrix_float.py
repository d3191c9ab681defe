"""The hand-written Python equivalent of matrix_float.harn."""


def make(n, scale):
    return [[(i * n + j) * scale for j in range(n)] for i in range(n)]


def transpose(m, n):
    out = []
    for j in range(n):
        row = []
        for i in range(n):
            row.append(m[i][j])
        out.append(row)
    return out


def multiply(a, b, n):
    columns = transpose(b, n)
    out = []
    for row in a:
        line = []
        for column in columns:
            total = 0.0
            for k in range(n):
                total += row[k] * column[k]
            line.append(total)
        out.append(line)
    return out


def work(n):
    m = multiply(make(n, 0.5), make(n, 0.25), n)
    trace = 0.0
    for i in range(n):
        trace += m[i][i]
    return trace
