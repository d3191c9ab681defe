def tokenize(text):
    words = []
    current = ""
    for ch in text.lower():
        if ch >= "a" and ch <= "z":
            current += ch
        elif current != "":
            words.append(current)
            current = ""
    if current != "":
        words.append(current)
    return words


def top(counts, n):
    return sorted(sorted(counts.items()), key=lambda e: -e[1])[:n]


def work(n):
    text = "The quick brown fox. The lazy dog! A fox, a dog, the end?"
    counts = {}
    for _ in range(n):
        for w in tokenize(text):
            old = counts.get(w)
            counts[w] = 1 if old is None else old + 1
    return ",".join(f"{k}:{v}" for k, v in top(counts, 3))
