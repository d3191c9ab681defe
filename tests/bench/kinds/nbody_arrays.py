"""The hand-written Python equivalent of nbody_arrays.harn."""

from math import sqrt


def work(n):
    xs = [0.0, 10.0, 0.0, -30.0]
    ys = [0.0, 0.0, 20.0, 5.0]
    vxs = [0.0, 0.0, 7.0, 0.5]
    vys = [0.0, 10.0, 0.0, -6.0]
    mass = [1000.0, 1.0, 2.0, 0.5]
    count = len(xs)
    dt = 0.01
    for _ in range(n):
        for i in range(count):
            for j in range(count):
                if i != j:
                    dx = xs[j] - xs[i]
                    dy = ys[j] - ys[i]
                    d2 = dx * dx + dy * dy + 0.01
                    f = mass[j] / (d2 * sqrt(d2))
                    vxs[i] = vxs[i] + dx * f * dt
                    vys[i] = vys[i] + dy * f * dt
        for i in range(count):
            xs[i] = xs[i] + vxs[i] * dt
            ys[i] = ys[i] + vys[i] * dt
    energy = 0.0
    for i in range(count):
        energy += 0.5 * mass[i] * (vxs[i] * vxs[i] + vys[i] * vys[i])
    return energy
