def work(n):
    users = [
        {
            "id": i,
            "name": f"user{i}",
            "age": 18 + i % 50,
            "tags": ["a", "b"],
            "address": {"city": ["rome", "oslo", "bern"][i % 3], "zip": 1000 + i},
        }
        for i in range(n)
    ]
    by_city = {}
    for u in users:
        c = u["address"]["city"]
        by_city.setdefault(c, []).append(u["id"])
    adults = [u for u in users if u["age"] >= 30 and u["address"]["zip"] % 2 == 0]
    older = [{**u, "age": u["age"] + 1} for u in adults]
    total = 0
    for u in older:
        total += u["age"] + len(u["tags"]) + len(u["name"])
    users = sorted(users, key=lambda u: -u["age"])
    oldest = users[0]
    return total + len(by_city["rome"]) + oldest["age"]
