"""The hand-written Python equivalent of words_count.harn."""

TEXT = "the quick brown fox jumps over the lazy dog and the cat sat on the mat while a dog barked at the moon"


def count_words(text):
    counts = {}
    for word in text.split(" "):
        key = word.lower()
        if key != "":
            counts[key] = counts.get(key, 0) + 1
    return counts


def work(n):
    best = ""
    total = 0
    for _ in range(n):
        counts = count_words(TEXT)
        most = 0
        for key in sorted(counts):
            value = counts[key]
            total += value
            if value > most:
                most = value
                best = key
    return best + str(total)
