"""The hand-written Python equivalent of errors_results.harn."""


class Ok:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Err:
    __slots__ = ("reason",)

    def __init__(self, reason):
        self.reason = reason


class Failure(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value


def to_int(text):
    try:
        return int(text)
    except ValueError:
        return None


def parse(text):
    number = to_int(text)
    if number is None:
        return Err(f"not a number: {text}")
    return Ok(number)


def doubled(text):
    number = parse(text)
    if isinstance(number, Err):
        return number
    return Ok(number.value * 2)


def work(n):
    inputs = ["12", "x", "7", "", "300"]
    total = 0
    bad = 0
    for i in range(n):
        result = doubled(inputs[i % 5])
        match result:
            case Ok():
                total += result.value
            case Err():
                bad += 1
        try:
            if i % 4 == 0:
                raise Failure({"kind": "quota", "at": i})
            total += 1
        except Failure as error:
            if error.value["kind"] == "quota":
                bad += 1
        finally:
            total += 2
    return total * 10 + bad
