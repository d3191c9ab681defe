"""The hand-written Python equivalent of errors_throw.harn."""


class Failure(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value


def check(n):
    if n % 3 == 0:
        raise Failure("divisible by three")
    if n % 7 == 0:
        raise Failure({"code": n, "reason": "seven"})
    return n * 2


def safe(n):
    try:
        return check(n)
    except Failure:
        return -1


def work(n):
    total = 0
    failures = 0
    for i in range(n):
        value = safe(i)
        if value < 0:
            failures += 1
        else:
            total += value
    return total + failures
