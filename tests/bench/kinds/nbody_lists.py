from math import sqrt


def step(p, v, ms, dt):
    n = len(p)
    for i in range(n):
        ax = 0.0
        ay = 0.0
        for j in range(n):
            if i == j:
                continue
            dx = p[j][0] - p[i][0]
            dy = p[j][1] - p[i][1]
            d = sqrt(dx * dx + dy * dy) + 0.001
            f = ms[j] / (d * d * d)
            ax += dx * f
            ay += dy * f
        v[i][0] += ax * dt
        v[i][1] += ay * dt
    for i in range(n):
        p[i][0] += v[i][0] * dt
        p[i][1] += v[i][1] * dt
    return {"p": p, "v": v}


def work(n):
    p = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [3.0, 1.0]]
    v = [[0.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.5, 0.5]]
    ms = [10.0, 1.0, 1.0, 0.5]
    for _ in range(n):
        s = step(p, v, ms, 0.001)
        p = s["p"]
        v = s["v"]
    return round(p[1][0] * 1000000.0)
