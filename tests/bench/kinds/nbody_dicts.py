"""The hand-written Python equivalent of nbody_dicts.harn."""

from math import sqrt


def bodies():
    return [
        {"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 0.0, "mass": 1000.0},
        {"x": 10.0, "y": 0.0, "vx": 0.0, "vy": 10.0, "mass": 1.0},
        {"x": 0.0, "y": 20.0, "vx": 7.0, "vy": 0.0, "mass": 2.0},
        {"x": -30.0, "y": 5.0, "vx": 0.5, "vy": -6.0, "mass": 0.5},
    ]


def step(bodies, dt):
    out = []
    for body in bodies:
        ax = 0.0
        ay = 0.0
        for other in bodies:
            dx = other["x"] - body["x"]
            dy = other["y"] - body["y"]
            d2 = dx * dx + dy * dy
            if d2 > 0.0:
                d = sqrt(d2)
                f = other["mass"] / (d2 * d)
                ax += dx * f
                ay += dy * f
        vx = body["vx"] + ax * dt
        vy = body["vy"] + ay * dt
        out.append({"x": body["x"] + vx * dt, "y": body["y"] + vy * dt, "vx": vx, "vy": vy, "mass": body["mass"]})
    return out


def work(n):
    current = bodies()
    for _ in range(n):
        current = step(current, 0.01)
    energy = 0.0
    for body in current:
        energy += 0.5 * body["mass"] * (body["vx"] * body["vx"] + body["vy"] * body["vy"])
    return energy
