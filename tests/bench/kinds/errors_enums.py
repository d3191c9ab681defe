class NotFound(Exception):
    def __init__(self, number):
        self.number = number


class Denied(Exception):
    def __init__(self, who):
        self.who = who


def find(number):
    if number % 5 == 0:
        raise NotFound(number)
    if number % 7 == 0:
        raise Denied(f"u{number}")
    return {"id": number, "value": number * 2}


def lookup(number):
    try:
        return find(number)["value"]
    except NotFound as e:
        return -e.number
    except Denied as e:
        return len(e.who)


def retrying(number):
    tries = 0
    while tries < 3:
        try:
            r = find(number + tries)
        except (NotFound, Denied):
            r = None
        if r is not None:
            return r["value"]
        tries += 1
    return 0


def work(n):
    t = 0
    for i in range(n):
        t += lookup(i) + retrying(i)
    return t
