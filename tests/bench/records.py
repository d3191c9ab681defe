"""The speed of JSON and of `schema_is` as ratios to Python's json and to checks that are written by hand."""

from __future__ import annotations

import json

from tests.bench.programs import best, within

CHECKS = 500
PROGRAM = """fn parse(text) { return json_parse(text) }
fn stringify(value) { return json_stringify(value) }
fn check(value, schema, times) {
  var found = 0
  for n in 1 to times { if schema_is(value, schema) { found = found + 1 } }
  return found
}
"""
KINDS: list[tuple[str, object, type]] = [
    ("int", 3, int),
    ("string", "ab", str),
    ("bool", True, bool),
    ("float", 1.5, float),
]
FIELDS = [(f"field_{number}", *KINDS[number % 4]) for number in range(20)]


def json_ratios() -> dict[str, float]:
    """Return how many times longer each direction takes than Python's json."""
    records = [
        {
            "id": number,
            "name": f"point number {number}",
            "open": number % 2 == 0,
            "score": number * 1.25,
            "tags": ["a", "b"],
            "owner": {"name": "Zoë", "mail": None},
            "note": "some longer text with a few words and a line break\n" * 2,
        }
        for number in range(3_000)
    ]
    fields = [{name: value for name, _, value, _ in FIELDS} | {"field_0": number} for number in range(2_000)]
    nested = [{"a": {"b": [number]}} for number in range(6_000)]

    def measure(functions: dict) -> dict[str, float]:
        parse, stringify = functions["parse"], functions["stringify"]
        found = {}
        for name, value in (("", records), (" records of 20 fields", fields), (" nested containers", nested)):
            text = json.dumps(value)
            if parse(text) != value or json.loads(stringify(value)) != value:
                message = "the values differ"
                raise AssertionError(message)
            parsed = best(lambda text=text: parse(text), lambda text=text: json.loads(text))
            written = best(lambda value=value: stringify(value), lambda value=value: json.dumps(value))
            found[f"parse{name}"] = parsed[0] / parsed[1]
            found[f"stringify{name}"] = written[0] / written[1]
        return found

    return within(PROGRAM, measure)


def schema_ratio() -> float:
    """Return how many times longer `schema_is` takes for a record of 20 fields than a check of each field by hand."""
    properties = {name: {"type": kind} for name, kind, _, _ in FIELDS}
    schema = {"type": "dict", "required": [name for name, *_ in FIELDS], "properties": properties}
    record = {name: value for name, _, value, _ in FIELDS}
    tests = " and ".join(f"isinstance(value[{name!r}], {made.__name__})" for name, _, _, made in FIELDS)
    space: dict = {}
    exec(f"def by_hand(value):\n    return isinstance(value, dict) and {tests}\n", space)
    by_hand = space["by_hand"]

    def all_by_hand() -> int:
        return sum(by_hand(record) for _ in range(CHECKS))

    def measure(functions: dict) -> float:
        check = functions["check"]
        if check(record, schema, CHECKS) != all_by_hand():
            message = "the checks differ"
            raise AssertionError(message)
        own, hand = best(lambda: check(record, schema, CHECKS), all_by_hand)
        return own / hand

    return within(PROGRAM, measure)
