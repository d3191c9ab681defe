"""The hand-written Python equivalent of shapes_methods.harn."""


class Square:
    __slots__ = ("side",)

    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side * self.side

    def scaled(self, factor):
        return Square(self.side * factor)


class Circle:
    __slots__ = ("radius",)

    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return 3.14159 * self.radius * self.radius

    def scaled(self, factor):
        return Circle(self.radius * factor)


def total_area(shapes):
    total = 0.0
    for shape in shapes:
        total += shape.area()
    return total


def work(n):
    shapes = [Square(2.0), Circle(1.5), Square(0.5)]
    total = 0.0
    for i in range(n):
        total += total_area(shapes) + shapes[i % 3].scaled(0.5).area()
        total += shapes[0].side
    return total
