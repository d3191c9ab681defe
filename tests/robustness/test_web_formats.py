"""Large URLs, headers, forms and tables have a result or a clear error, and a deadline ends their reading soon."""

import time

import pytest

import harnlite

LATE = "Deadline exceeded"
LARGE = "Value too large"
PATIENCE = 40
"""Seconds after which a call hangs; a deadline of 20 ms ends each in less than one."""

LONG = {
    "csv_parse": 'len(csv_parse("a,b,\\"c d\\",1\\n".repeat(1000000)))',
    "csv_parse with headers": 'len(csv_parse("a,b,\\"c d\\",1\\n".repeat(1000000), {headers: true}))',
    "csv_stringify": 'len(csv_stringify(range(500000).map({ n -> [n, 1.5, "x"] }).to_list()))',
    "query_parse": 'len(query_parse("a=%41&".repeat(1000000)))',
    "query_parse of one value": 'len(query_parse("a=" + "%41".repeat(8000000)))',
    "query_stringify": 'len(query_stringify([{key: "a", value: "é".repeat(5000000)}]))',
    "cookie_parse": 'len(cookie_parse("a=b; ".repeat(2000000)).pairs)',
    "parse_junit_xml": """len(parse_junit_xml("<testcase name='a'><failure>x</failure></testcase>".repeat(200000)))""",
    "parse_junit_xml of damage": 'len(parse_junit_xml("<testcase ".repeat(200000)))',
    "parse_junit_xml of marks": 'len(parse_junit_xml("&<".repeat(3000000)))',
}


def run(expression, **options):
    start = time.process_time()
    result = harnlite.Engine(cache=False, capabilities=[], **options).run(
        f"println(try {{ {expression} }} catch (e) {{ e }})\n"
    )
    assert result.exit_code == 0, result.error
    assert time.process_time() - start < PATIENCE
    return result.stdout.strip()


@pytest.mark.parametrize("name", LONG)
def test_a_deadline_ends_long_work(name):
    assert run(f"deadline 20ms {{ {LONG[name]} }}") == LATE


BOMBS = {
    "cells": ('csv_parse(",".repeat(60000000))', LARGE),
    "the keys of a table": ('csv_parse("a,".repeat(20000) + "\\n" + "x\\n".repeat(20000), {headers: true})', None),
    "the columns of a table": ('csv_stringify(range(20000).map({ n -> {["k${n}"]: n} }).to_list())', LARGE),
    "pairs": ('query_parse("&a".repeat(10000000))', LARGE),
    "cookies": ('cookie_parse("a=b;".repeat(10000000))', LARGE),
    "test cases": ('parse_junit_xml("<testcase".repeat(5000000))', LARGE),
    "marks": ('parse_junit_xml("<".repeat(26000000))', LARGE),
    "entities": (
        """parse_junit_xml("<!DOCTYPE a [<!ENTITY b 'x'><!ENTITY c '&b;&b;'>]><testcase name='&c;'/>")[0].name""",
        "&c;",
    ),
    "nesting": ('parse_junit_xml("<a>".repeat(300000))', "[]"),
    "a form of any size": (
        'multipart_parse("x".repeat(9000000), "multipart/form-data; boundary=b")',
        "Runtime error: multipart_parse: total body size 9000000 exceeds max_total_bytes 8388608",
    ),
    "a long URL": ('len(url_parse("http://a/" + "../a/".repeat(500000)).path)', "3"),
    "a long host": ('url_parse("http://" + "a.".repeat(500000) + "/").scheme', "http"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_have_an_end(name):
    expression, expected = BOMBS[name]
    found = run(expression if expected is not None else f"len({expression})")
    assert found == (LARGE if expected is None else expected)
