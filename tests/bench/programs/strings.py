"""The same work as strings.harn, by hand."""


def work(n):
    text = ""
    for i in range(n):
        text = text + f"item {i}, "
    return len(text.split(", "))
