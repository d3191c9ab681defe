"""The hand-written Python equivalent of records_sort.harn."""


def people(n):
    names = ["ann", "bob", "cid", "dee", "eve"]
    teams = ["red", "green", "blue"]
    out = []
    for i in range(n):
        out.append({"name": names[i % 5], "team": teams[i % 3], "score": (i * 37) % 101, "active": i % 4 != 0})
    return out


def work(n):
    everyone = people(n)
    active = [p for p in everyone if p["active"]]
    ranked = sorted(active, key=lambda p: p["score"])
    groups = {}
    for p in active:
        groups.setdefault(p["team"], []).append(p)
    text = ""
    for team in sorted(groups):
        members = groups[team]
        total = sum(p["score"] for p in members)
        text = text + f"{team}:{total}/{len(members)};"
    best = ranked[-1]
    return text + best["name"] + str(sum(p["score"] for p in ranked))
