"""The hand-written Python equivalent of floats.harn."""


def escape(cx, cy):
    x = 0.0
    y = 0.0
    steps = 0
    while steps < 40 and x * x + y * y < 4.0:
        following = x * x - y * y + cx
        y = 2.0 * x * y + cy
        x = following
        steps += 1
    return steps


def work(n):
    total = 0
    for row in range(n):
        for column in range(n):
            total += escape(column * 3.0 / n - 2.0, row * 2.0 / n - 1.0)
    return total
