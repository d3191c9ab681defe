"""The hand-written Python equivalent of text_build.harn."""


def caesar(text, shift):
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    out = ""
    for ch in text:
        at = alphabet.find(ch)
        out = out + (ch if at < 0 else alphabet[(at + shift) % 26])
    return out


def is_palindrome(text):
    return text == text[::-1]


def vowels(text):
    count = 0
    for ch in text:
        if ch in "aeiou":
            count += 1
    return count


def work(n):
    text = "a man a plan a canal panama"
    total = 0
    for i in range(n):
        moved = caesar(text, i % 26)
        total += vowels(moved)
        if is_palindrome(moved.replace(" ", "")):
            total += 1
        line = f"{i}: {moved}"
        total += len(line.rjust(40))
    return total
