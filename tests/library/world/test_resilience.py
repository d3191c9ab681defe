from __future__ import annotations

import pytest

from harnlite.values.errors import ScriptError, thrown


def test_breaker_opens_once(run):
    assert run.call("circuit_breaker", "db", 2, 1000) == "db"
    assert run.call("circuit_check", "db") == "closed"
    assert [run.call("circuit_record_failure", "db") for _ in range(3)] == [False, True, False]
    assert run.call("circuit_check", "db") == "open"
    run.clock.advance(0.9)
    assert run.call("circuit_check", "db") == "open"
    run.clock.advance(0.2)
    assert run.call("circuit_check", "db") == "half_open"
    assert run.call("circuit_record_failure", "db") is False
    assert run.call("circuit_check", "db") == "half_open"
    run.call("circuit_record_success", "db")
    assert run.call("circuit_check", "db") == "closed"
    assert run.call("circuit_record_failure", "db") is False


def test_breaker_defaults_and_reset(run):
    assert run.call("circuit_breaker") == "default"
    assert [run.call("circuit_record_failure", "default") for _ in range(5)] == [False] * 4 + [True]
    run.call("circuit_reset", "default")
    assert run.call("circuit_check", "default") == "closed"
    run.call("circuit_breaker", "default", "x", 2.5)
    assert run.call("circuit_record_failure", "default") is False


def test_unknown_breaker(run):
    assert run.call("circuit_check", "none") == "closed"
    assert run.call("circuit_record_failure", "none") is False
    assert run.call("circuit_record_success", "none") is None
    assert run.call("circuit_reset", "none") is None


def failing(error, times):
    left = [error] * times

    def call():
        if left:
            raise left.pop()
        return "done"

    return call


@pytest.mark.parametrize(
    "error",
    [thrown({"category": "overloaded"}), thrown("429"), ScriptError("Deadline exceeded"), thrown("Connection reset")],
)
def test_passing_errors_are_retried(run, error):
    assert run.call("with_rate_limit", "p", failing(error, 3)) == "done"
    assert run.slept == [1, 2, 4]


def test_the_last_error_is_thrown(run):
    options = {"max_retries": 2, "backoff_ms": 20_000}
    assert run.error("with_rate_limit", "p", failing(thrown("429"), 9), options) == "429"
    assert run.slept == [20, 30]


def test_other_errors_are_thrown_at_once(run):
    assert run.error("with_rate_limit", "p", failing(thrown("401"), 1)) == "401"
    assert run.slept == []


def test_window(run, monkeypatch):
    monkeypatch.setenv("HARN_RATE_LIMIT_MY_MODEL", "1")
    monkeypatch.setenv("HARNLITE_RATE_LIMIT_MY_MODEL", "2")
    for _ in range(5):
        run.call("with_rate_limit", "my-model", lambda: 1)
    assert run.slept == [60, 60]


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ((), "Runtime error: with_rate_limit: provider name is required"),
        (("p",), "Runtime error: with_rate_limit: second argument must be a closure"),
        (("p", 5), "Runtime error: with_rate_limit: second argument must be a closure"),
    ],
)
def test_errors(run, args, error):
    assert run.error("with_rate_limit", *args) == error
