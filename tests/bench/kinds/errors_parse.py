class E(Exception):
    def __init__(self, code, text):
        self.code = code
        self.text = text


def parse_age(text):
    try:
        v = int(text)
    except ValueError:
        v = None
    if v is None:
        raise E("bad", text)
    if v < 0:
        raise E("negative", text)
    return v


def safe(text):
    try:
        return parse_age(text)
    except E as e:
        if e.code == "bad":
            return -1
        return -2


def work(n):
    inputs = ["12", "x", "-5", "7", "99"]
    good = 0
    bad = 0
    for i in range(n):
        r = safe(inputs[i % 5])
        if r >= 0:
            good += r
        else:
            bad += 1
    return good * 1000 + bad
