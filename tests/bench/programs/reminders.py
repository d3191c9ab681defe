"""The hand-written Python equivalent of reminders.harn."""


def make(i):
    return {"id": f"r{i}", "body": f"Reminder number {i}", "key": f"k{i % 13}", "ttl": i % 5 + 1}


def inject(pending, reminder):
    return [*(old for old in pending if old["key"] != reminder["key"]), reminder]


def expire(pending):
    kept = []
    for reminder in pending:
        if reminder["ttl"] > 1:
            kept.append({**reminder, "ttl": reminder["ttl"] - 1})
    return kept


def work(n):
    pending = []
    seen = 0
    for turn in range(n):
        for i in range(4):
            pending = inject(pending, make(turn * 3 + i))
        seen += len(pending)
        pending = expire(pending)
    return seen
