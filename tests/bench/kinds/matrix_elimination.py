def determinant(m):
    a = [row[:] for row in m]
    n = len(a)
    det = 1.0
    for i in range(n):
        p = i
        for r in range(i + 1, n):
            if abs(a[r][i]) > abs(a[p][i]):
                p = r
        if a[p][i] == 0.0:
            return 0.0
        if p != i:
            tmp = a[i]
            a[i] = a[p]
            a[p] = tmp
            det = -det
        det *= a[i][i]
        for r in range(i + 1, n):
            f = a[r][i] / a[i][i]
            for c in range(i, n):
                a[r][c] -= f * a[i][c]
    return det


def work(n):
    m = []
    for i in range(n):
        row = []
        for j in range(n):
            row.append(float((i * 7 + j * 3) % 11) + (5.0 if i == j else 0.0))
        m.append(row)
    t = 0.0
    for _ in range(20):
        t += determinant(m)
    return round(t / 1000.0)
