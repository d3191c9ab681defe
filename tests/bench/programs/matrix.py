"""The hand-written Python equivalent of matrix.harn."""


def build(n, seed):
    rows = []
    for i in range(n):
        row = []
        for j in range(n):
            row.append((i * seed + j) % 10)
        rows.append(row)
    return rows


def multiply(a, b, n):
    result = []
    for i in range(n):
        left = a[i]
        row = []
        for j in range(n):
            total = 0
            for k in range(n):
                total += left[k] * b[k][j]
            row.append(total)
        result.append(row)
    return result


def work(n):
    product = multiply(build(n, 3), build(n, 7), n)
    trace = 0
    for i in range(n):
        trace += product[i][i]
    return trace
