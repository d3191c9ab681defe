"""The hand-written Python equivalent of shapes_match.harn."""


class Circle:
    __slots__ = ("r",)
    __match_args__ = ("r",)

    def __init__(self, r):
        self.r = r


class Rect:
    __slots__ = ("h", "w")
    __match_args__ = ("w", "h")

    def __init__(self, w, h):
        self.w = w
        self.h = h


class Dot:
    __slots__ = ()


def area(shape):
    match shape:
        case Circle(r):
            return 3.14159 * r * r
        case Rect(w, h):
            return w * h
        case Dot():
            return 0.0


def work(n):
    shapes = [Circle(2.0), Rect(3.0, 4.5), Dot(), Rect(1.0, 1.0)]
    total = 0.0
    for i in range(n):
        total += area(shapes[i % 4])
    return total
