def letters(w):
    d = {}
    for c in w:
        d[c] = d.get(c, 0) + 1
    return d


def signature(w):
    return "".join(sorted(w))


def work(n):
    words = ["listen", "silent", "enlist", "google", "elgoog", "abc", "cab", "bca", "stone", "notes"]
    groups = {}
    vowels = 0
    for i in range(n):
        w = words[i % len(words)]
        s = signature(w)
        groups.setdefault(s, []).append(w)
        d = letters(w)
        for v in ["a", "e", "i", "o", "u"]:
            vowels += d.get(v, 0)
    big = 0
    for v in groups.values():
        if len(v) > big:
            big = len(v)
    return big * 10000 + vowels
