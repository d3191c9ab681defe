"""The hand-written Python equivalent of structs.harn."""


class Counter:
    __slots__ = ("step", "value")

    def __init__(self, value, step):
        self.value = value
        self.step = step

    def next(self):
        return Counter(self.value + self.step, self.step)


def work(n):
    counter = Counter(0, 3)
    for _ in range(n):
        counter = counter.next()
    return counter.value
