"""The hand-written Python equivalent of queens.harn."""


def safe(rows, row):
    column = len(rows)
    for i in range(column):
        other = rows[i]
        if other == row or other - i == row - column or other + i == row + column:
            return False
    return True


def place(rows, n):
    if len(rows) == n:
        return 1
    found = 0
    for row in range(n):
        if safe(rows, row):
            found += place([*rows, row], n)
    return found


def work(n):
    return place([], n)
