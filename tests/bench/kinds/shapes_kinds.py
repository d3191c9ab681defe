from math import sqrt


class Circle:
    __slots__ = __match_args__ = ("r",)

    def __init__(self, r):
        self.r = r


class Rect:
    __slots__ = __match_args__ = ("w", "h")

    def __init__(self, w, h):
        self.w = w
        self.h = h


class Tri:
    __slots__ = __match_args__ = ("a", "b", "c")

    def __init__(self, a, b, c):
        self.a = a
        self.b = b
        self.c = c


def area(s):
    match s:
        case Circle(r):
            return 3.14159 * r * r
        case Rect(w, h):
            return w * h
        case Tri(a, b, c):
            p = (a + b + c) / 2.0
            return sqrt(p * (p - a) * (p - b) * (p - c))


def name(s):
    match s:
        case Circle(_):
            return "circle"
        case Rect(w, h) if w == h:
            return "square"
        case Rect(_, _):
            return "rect"
        case _:
            return "other"


def work(n):
    shapes = []
    for i in range(n):
        k = float(i % 5 + 1)
        shapes.append(Circle(k) if i % 3 == 0 else Rect(k, 2.0) if i % 3 == 1 else Tri(3.0, 4.0, 5.0))
    total = 0.0
    counts = {}
    for s in shapes:
        total += area(s)
        key = name(s)
        counts[key] = counts.get(key, 0) + 1
    return f"{round(total)} {counts['circle']} {counts['square']}"
