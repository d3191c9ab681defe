"""The hand-written Python equivalent of closures_objects.harn."""


def account(start):
    balance = start

    def deposit(amount):
        nonlocal balance
        balance += amount

    def withdraw(amount):
        nonlocal balance
        if amount > balance:
            return False
        balance -= amount
        return True

    return {"deposit": deposit, "withdraw": withdraw, "balance": lambda: balance}


def work(n):
    a = account(100)
    refused = 0
    for i in range(n):
        a["deposit"](i % 7)
        if not a["withdraw"](i % 11):
            refused += 1
    return a["balance"]() + refused
