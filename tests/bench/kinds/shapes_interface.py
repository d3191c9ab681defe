class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.14159 * self.r * self.r

    def perimeter(self):
        return 2.0 * 3.14159 * self.r


class Rect:
    def __init__(self, w, h):
        self.w = w
        self.h = h

    def area(self):
        return self.w * self.h

    def perimeter(self):
        return 2.0 * (self.w + self.h)


def total_area(shapes):
    t = 0.0
    for s in shapes:
        t += s.area()
    return t


def work(n):
    shapes = []
    for i in range(n):
        if i % 2 == 0:
            shapes.append(Circle(float(i % 10)))
        else:
            shapes.append(Rect(float(i % 7), 2.5))
    big = [s for s in shapes if s.area() > 10.0]
    p = 0.0
    for s in shapes:
        p = p + s.perimeter()
    return round(total_area(big) + p)
