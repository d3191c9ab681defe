"""The hand-written Python equivalent of errors.harn."""


def risky(n):
    if n % 10 == 0:
        raise ValueError("bad")
    return n


def work(n):
    failed = 0
    for i in range(n):
        try:
            risky(i)
        except ValueError:
            failed += 1
    return failed
