"""The hand-written Python equivalent of text_methods.harn."""


def slug(title):
    return title.strip().lower().replace(" ", "-").replace("!", "")


def is_command(line):
    return line.startswith("/") and not line.endswith("?")


def work(n):
    lines = ["  Hello World ", "/run Fast!", "/help?", "Some Longer Title Of A Page"]
    total = 0
    commands = 0
    for i in range(n):
        line = lines[i % 4]
        name = slug(line)
        if "-" in name:
            total += len(name.split("-"))
        if is_command(line):
            commands += 1
        if name.upper() == "HELLO-WORLD":
            total += name.find("w")
    return total * 1000 + commands
