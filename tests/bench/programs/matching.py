"""The hand-written Python equivalent of matching.harn."""


def kind(n):
    match n % 5:
        case 0:
            return "zero"
        case 1 | 2:
            return "small"
        case 3:
            return "three"
        case _:
            return "big"


def work(n):
    small = 0
    for i in range(n):
        if kind(i) == "small":
            small += 1
    return small
