"""The hand-written Python equivalent of nbody_structs.harn."""

from math import sqrt


class Body:
    __slots__ = ("mass", "vx", "vy", "x", "y")

    def __init__(self, x, y, vx, vy, mass):
        self.x = x
        self.y = y
        self.vx = vx
        self.vy = vy
        self.mass = mass


def pull(body, bodies, dt):
    vx = body.vx
    vy = body.vy
    for other in bodies:
        dx = other.x - body.x
        dy = other.y - body.y
        squared = dx * dx + dy * dy + 0.05
        force = other.mass * dt / (squared * sqrt(squared))
        vx = vx + dx * force
        vy = vy + dy * force
    return Body(body.x + vx * dt, body.y + vy * dt, vx, vy, body.mass)


def work(n):
    bodies = [
        Body(0.0, 0.0, 0.0, 0.0, 1000.0),
        Body(10.0, 0.0, 0.0, 10.0, 1.0),
        Body(0.0, 20.0, 7.0, 0.0, 2.0),
    ]
    for _ in range(n):
        bodies = [pull(body, bodies, 0.01) for body in bodies]
    total = 0.0
    for body in bodies:
        total += body.x * body.mass
    return total
