"""The hand-written Python equivalent of strings.harn."""


def work(n):
    text = ""
    for i in range(n):
        text = text + f"item {i}, "
    return len(text.split(", "))
