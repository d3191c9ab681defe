"""The hand-written Python equivalent of matrix_literal.harn."""


def identity(n):
    rows = []
    for i in range(n):
        row = []
        for j in range(n):
            row.append(1 if i == j else 0)
        rows.append(row)
    return rows


def filled(n):
    rows = []
    for i in range(n):
        row = []
        for j in range(n):
            row.append((i + j) % 7)
        rows.append(row)
    return rows


def product(a, b):
    n = len(a)
    result = []
    for i in range(n):
        row = []
        for j in range(n):
            total = 0
            for k in range(n):
                total = total + a[i][k] * b[k][j]
            row.append(total)
        result.append(row)
    return result


def work(n):
    a = filled(n)
    b = product(product(a, identity(n)), a)
    total = 0
    for row in b:
        for cell in row:
            total += cell
    return total
