"""The hand-written Python equivalent of records_update.harn."""


def total_of(order):
    total = 0
    for item in order["items"]:
        total += item["price"] * item["quantity"]
    return total


def work(n):
    balances = {}
    shipped = 0
    for i in range(n):
        order = {
            "id": i,
            "customer": f"c{i % 10}",
            "items": [{"price": i % 13, "quantity": 2}, {"price": 5, "quantity": i % 3}],
            "status": "open" if i % 2 == 0 else "shipped",
        }
        updated = {**order, "total": total_of(order)}
        if updated["status"] == "shipped":
            shipped += updated["total"]
        else:
            balances[updated["customer"]] = balances.get(updated["customer"], 0) + updated["total"]
    total = shipped
    for value in balances.values():
        total += value
    return total
