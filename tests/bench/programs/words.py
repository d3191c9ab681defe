"""The hand-written Python equivalent of words.harn."""

TEXT = "the quick brown fox jumps over the lazy dog and the cat sat on the mat while a dog barked at the moon"


def work(n):
    counts = {}
    for _ in range(n):
        for word in TEXT.split(" "):
            if len(word) > 2:
                key = word.upper()
                counts[key] = counts.get(key, 0) + 1
    ranked = sorted(({"key": key, "value": counts[key]} for key in sorted(counts)), key=lambda entry: -entry["value"])
    return ",".join(f"{entry['key']}={entry['value']}" for entry in ranked[:3])
