"""The hand-written Python equivalent of shapes_nested.harn."""


class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def add(self, o):
        return Point(self.x + o.x, self.y + o.y)

    def dist2(self, o):
        dx = self.x - o.x
        dy = self.y - o.y
        return dx * dx + dy * dy


class Rect:
    __slots__ = ("max", "min")

    def __init__(self, low, high):
        self.min = low
        self.max = high

    def width(self):
        return self.max.x - self.min.x

    def height(self):
        return self.max.y - self.min.y

    def area(self):
        return self.width() * self.height()

    def contains(self, p):
        return p.x >= self.min.x and p.x <= self.max.x and p.y >= self.min.y and p.y <= self.max.y


def work(n):
    r = Rect(Point(0.0, 0.0), Point(10.0, 5.0))
    inside = 0
    total = 0.0
    p = Point(0.0, 0.0)
    d = Point(0.01, 0.007)
    for _ in range(n):
        p = p.add(d)
        if r.contains(p):
            inside += 1
        total += r.area() + p.dist2(d)
    return inside + round(total)
