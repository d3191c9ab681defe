"""The hand-written Python equivalent of loop_sum.harn."""


def work(n):
    total = 0
    i = 0
    while i < n:
        total = total + i * 3 % 7
        i = i + 1
    return total
