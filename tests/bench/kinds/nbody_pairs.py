from math import sqrt


def energy(bodies):
    e = 0.0
    n = len(bodies)
    for i in range(n):
        b = bodies[i]
        e += 0.5 * b["mass"] * (b["vx"] * b["vx"] + b["vy"] * b["vy"] + b["vz"] * b["vz"])
        for j in range(i + 1, n):
            c = bodies[j]
            dx = b["x"] - c["x"]
            dy = b["y"] - c["y"]
            dz = b["z"] - c["z"]
            e -= b["mass"] * c["mass"] / sqrt(dx * dx + dy * dy + dz * dz)
    return e


def advance(bodies, dt):
    n = len(bodies)
    for i in range(n):
        b = bodies[i]
        for j in range(i + 1, n):
            c = bodies[j]
            dx = b["x"] - c["x"]
            dy = b["y"] - c["y"]
            dz = b["z"] - c["z"]
            d2 = dx * dx + dy * dy + dz * dz
            mag = dt / (d2 * sqrt(d2))
            b["vx"] -= dx * c["mass"] * mag
            b["vy"] -= dy * c["mass"] * mag
            b["vz"] -= dz * c["mass"] * mag
            c["vx"] += dx * b["mass"] * mag
            c["vy"] += dy * b["mass"] * mag
            c["vz"] += dz * b["mass"] * mag
    return [{**b, "x": b["x"] + dt * b["vx"], "y": b["y"] + dt * b["vy"], "z": b["z"] + dt * b["vz"]} for b in bodies]


def work(n):
    bodies = [
        {"x": 0.0, "y": 0.0, "z": 0.0, "vx": 0.0, "vy": 0.0, "vz": 0.0, "mass": 39.47},
        {"x": 4.84, "y": -1.16, "z": -0.1, "vx": 0.6, "vy": 2.81, "vz": -0.02, "mass": 0.037},
        {"x": 8.34, "y": 4.12, "z": -0.4, "vx": -1.01, "vy": 1.82, "vz": 0.008, "mass": 0.011},
        {"x": 12.89, "y": -15.11, "z": -0.22, "vx": 1.08, "vy": 0.86, "vz": -0.01, "mass": 0.0017},
    ]
    for _ in range(n):
        bodies = advance(bodies, 0.01)
    return round(energy(bodies) * 1000000.0)
