"""The speed of `csv_parse` and `csv_stringify` as ratios to Python's csv module."""

from __future__ import annotations

import csv
import io

from tests.bench.programs import best, within

PROGRAM = """fn parse(text) { return csv_parse(text) }
fn parse_dicts(text) { return csv_parse(text, {headers: true}) }
fn stringify(rows) { return csv_stringify(rows) }
fn stringify_dicts(rows) { return csv_stringify(rows, {headers: true}) }
"""
RECORDS = 20_000


def csv_ratios() -> dict[str, float]:
    """Return how many times longer each direction takes than Python's csv, for lists and for dicts."""
    text = "a,b,c,d,e,f\n" + "".join(f'{n},name {n},"quoted, {n}",{n * 1.5},,x\n' for n in range(RECORDS))
    rows: list[list[object]] = [[n, f"name {n}", f"quoted, {n}", "1.5", "", "x"] for n in range(RECORDS)]
    dicts = list(csv.DictReader(io.StringIO(text, newline="")))

    def written() -> str:
        file = io.StringIO(newline="")
        csv.writer(file, lineterminator="\n").writerows(rows)
        return file.getvalue()

    def written_dicts() -> str:
        file = io.StringIO(newline="")
        writer = csv.DictWriter(file, sorted(dicts[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(dicts)
        return file.getvalue()

    works = {
        "parse": (text, lambda: list(csv.reader(io.StringIO(text, newline="")))),
        "parse_dicts": (text, lambda: list(csv.DictReader(io.StringIO(text, newline="")))),
        "stringify": (rows, written),
        "stringify_dicts": (dicts, written_dicts),
    }

    def measure(functions: dict) -> dict[str, float]:
        found = {}
        for name, (value, theirs) in works.items():
            ours = functions[name]
            if ours(value) != theirs():
                message = f"{name}: the results differ"
                raise AssertionError(message)
            own, hand = best(lambda ours=ours, value=value: ours(value), theirs)
            found[name] = own / hand
        return found

    return within(PROGRAM, measure)
