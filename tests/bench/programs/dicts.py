"""The hand-written Python equivalent of dicts.harn."""


def work(n):
    counts = {}
    for i in range(n):
        key = f"k{i % 97}"
        counts[key] = counts.get(key, 0) + 1
    total = 0
    for key in sorted(counts):
        total += counts[key]
    return total
