def reverse_words(s):
    return " ".join("".join(reversed(list(w))) for w in s.split(" "))


def count_vowels(s):
    n = 0
    for c in s:
        if c in "aeiou":
            n += 1
    return n


def rle(s):
    out = ""
    i = 0
    while i < len(s):
        j = i
        while j < len(s) and s[j] == s[i]:
            j += 1
        out += f"{s[i]}{j - i}"
        i = j
    return out


def work(n):
    total = 0
    for i in range(n):
        s = f"hello wonderful world number {i}"
        total += count_vowels(s) + len(reverse_words(s)) + len(rle("aaabbbccd" + str(i)))
    return total
