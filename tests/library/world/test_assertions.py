from __future__ import annotations

import pytest

from harnlite.values.errors import ScriptError


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("assert", (False,), "Assertion failed"),
        ("assert", (), "Assertion failed"),
        ("assert", (0, "why"), "why"),
        ("assert", (0, None), "nil"),
        ("assert_eq", (1, 2), "Assertion failed: expected 2, got 1"),
        ("assert_eq", ([1], ["1"]), "Assertion failed: expected [1], got [1]"),
        ("assert_eq", (True, 1), "Assertion failed: expected 1, got true"),
        ("assert_eq", (1, 2, 3), "3"),
        ("assert_eq", (1, 2, None), "nil"),
        ("assert_eq", (1,), "assert_eq requires at least 2 arguments"),
        ("assert_ne", ({"a": 1}, {"a": 1.0}), "Assertion failed: values should not be equal: {a: 1}"),
        ("assert_ne", (1, 1, "same"), "same"),
        ("assert_ne", (), "assert_ne requires at least 2 arguments"),
    ],
)
def test_failing_assertions(run, name, args, text):
    with pytest.raises(ScriptError) as caught:
        run.call(name, *args)
    assert caught.value.value == text
    assert caught.value.thrown


@pytest.mark.parametrize(
    ("name", "args"), [("assert", (1,)), ("assert_eq", (1, 1.0)), ("assert_ne", (1, True)), ("assert_eq", (None, None))]
)
def test_holding_assertions(run, name, args):
    assert run.call(name, *args) is None


@pytest.mark.parametrize(
    ("args", "value"),
    [
        (("m",), {"category": "generic", "message": "m"}),
        (("m", "timeout"), {"category": "timeout", "message": "m"}),
        ((3, "nonsense"), {"category": "generic", "message": "3"}),
    ],
)
def test_throw_error(run, args, value):
    assert run.error("throw_error", *args) == value


@pytest.mark.parametrize(
    ("error", "category"),
    [
        ({"category": "auth"}, "auth"),
        ({"category": None}, "nil"),
        ({}, "generic"),
        (None, "generic"),
        (404, "generic"),
        ("HTTP 401", "auth"),
        ("403 Forbidden", "auth"),
        ("404", "not_found"),
        ("410 gone", "not_found"),
        ("408", "timeout"),
        ("504", "timeout"),
        ("x522y", "timeout"),
        ("524", "timeout"),
        ("429 slow down", "rate_limit"),
        ("503", "overloaded"),
        ("529", "overloaded"),
        ("500", "server_error"),
        ("502", "server_error"),
        ("418 then 404", "not_found"),
        ("5000 items, 1429", "generic"),
        ("Deadline exceeded", "timeout"),
        ("context deadline exceeded", "timeout"),
        ("deadline exceeded", "generic"),
        ("overloaded_error", "overloaded"),
        ("api_error", "server_error"),
        ("insufficient_quota", "rate_limit"),
        ("billing_hard_limit_reached", "rate_limit"),
        ("invalid_api_key", "auth"),
        ("authentication_error", "auth"),
        ("not_found_error", "not_found"),
        ("model_not_found", "not_found"),
        ("circuit_open", "circuit_open"),
        ("Connection RESET by peer", "transient_network"),
        ("unexpected EOF", "transient_network"),
        ("connection refused: 500", "server_error"),
        ("anything", "generic"),
    ],
)
def test_categories(run, error, category):
    assert run.call("error_category", error) == category
    assert run.call("is_timeout", error) is (category == "timeout")
    assert run.call("is_rate_limited", error) is (category == "rate_limit")
