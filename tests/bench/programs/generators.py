"""The hand-written Python equivalent of generators.harn."""


def up(n):
    i = 0
    while i < n:
        yield i
        i += 1


def work(n):
    total = 0
    for x in up(n):
        total += x
    return total
