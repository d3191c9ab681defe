"""The hand-written Python equivalent of nbody_places.harn."""

from math import sqrt


def bodies():
    return [
        {"x": 0.0, "y": 0.0, "z": 0.0, "vx": 0.0, "vy": 0.0, "vz": 0.0, "mass": 39.47},
        {"x": 4.84, "y": -1.16, "z": -0.10, "vx": 0.6, "vy": 2.8, "vz": -0.02, "mass": 0.037},
        {"x": 8.34, "y": 4.12, "z": -0.4, "vx": -1.01, "vy": 1.82, "vz": 0.008, "mass": 0.011},
        {"x": 12.89, "y": -15.11, "z": -0.22, "vx": 1.08, "vy": 0.86, "vz": -0.01, "mass": 0.0017},
    ]


def energy(bs):
    e = 0.0
    for i in range(len(bs)):
        b = bs[i]
        e += 0.5 * b["mass"] * (b["vx"] * b["vx"] + b["vy"] * b["vy"] + b["vz"] * b["vz"])
        for j in range(i + 1, len(bs)):
            o = bs[j]
            dx = b["x"] - o["x"]
            dy = b["y"] - o["y"]
            dz = b["z"] - o["z"]
            e -= b["mass"] * o["mass"] / sqrt(dx * dx + dy * dy + dz * dz)
    return e


def advance(bs, dt):
    for i in range(len(bs)):
        for j in range(i + 1, len(bs)):
            dx = bs[i]["x"] - bs[j]["x"]
            dy = bs[i]["y"] - bs[j]["y"]
            dz = bs[i]["z"] - bs[j]["z"]
            d2 = dx * dx + dy * dy + dz * dz
            mag = dt / (d2 * sqrt(d2))
            mi = bs[i]["mass"]
            mj = bs[j]["mass"]
            bs[i]["vx"] -= dx * mj * mag
            bs[i]["vy"] -= dy * mj * mag
            bs[i]["vz"] -= dz * mj * mag
            bs[j]["vx"] += dx * mi * mag
            bs[j]["vy"] += dy * mi * mag
            bs[j]["vz"] += dz * mi * mag
    for i in range(len(bs)):
        bs[i]["x"] += dt * bs[i]["vx"]
        bs[i]["y"] += dt * bs[i]["vy"]
        bs[i]["z"] += dt * bs[i]["vz"]
    return bs


def work(n):
    bs = bodies()
    for _ in range(n):
        bs = advance(bs, 0.01)
    return round(energy(bs) * 1000000.0)
