"""The hand-written Python equivalent of words_index.harn."""


def longest(words):
    best = ""
    for word in words:
        if len(word) > len(best):
            best = word
    return best


def index(words):
    found = {}
    for word in words:
        found.setdefault(word[0], []).append(word)
    return found


def work(n):
    words = "apple banana avocado blueberry cherry almond coconut date durian elderberry fig".split(" ")
    total = 0
    for _ in range(n):
        by_letter = index(words)
        for letter in sorted(by_letter):
            total += len(by_letter[letter])
        total += len(longest(words))
        title = " ".join([w[0].upper() + w[1:] for w in words])
        total += len(title)
    return total
