"""The hand-written Python equivalent of properties.harn."""


def work(n):
    point = {"x": 1, "y": 2, "nested": {"z": 3}}
    total = 0
    for _ in range(n):
        total += point["x"] + point["y"] * point["nested"]["z"]
    return total
