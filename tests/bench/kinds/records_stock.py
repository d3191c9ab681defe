from dataclasses import dataclass


@dataclass
class Item:
    sku: str
    qty: int
    price: float


def work(n):
    items = []
    for i in range(n):
        items.append(Item(f"s{i % 40}", i % 9, 1.5 * float(i % 20)))
    stock = {}
    for it in items:
        old = stock.get(it.sku)
        if old is None:
            stock[it.sku] = {"qty": it.qty, "value": it.price * float(it.qty)}
        else:
            stock[it.sku]["qty"] += it.qty
            stock[it.sku]["value"] += it.price * float(it.qty)
    best = ""
    most = -1.0
    for k, v in stock.items():
        if v["value"] > most:
            most = v["value"]
            best = k
    return best + str(round(most))
