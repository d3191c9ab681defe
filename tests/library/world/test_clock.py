from __future__ import annotations

import pytest


def test_real_clock(run):
    assert run.call("elapsed") == 0
    assert run.call("timestamp") == run.clock.wall
    assert run.call("now_ms") == 1774794600123
    run.clock.advance(1.5)
    assert run.call("elapsed") == run.call("monotonic_ms") == 1500
    run.call("sleep_ms", 250)
    assert run.slept == [0.25]
    for ms in (0, -1, 1.5, None, True):
        run.call("sleep_ms", ms)
    assert run.slept == [0.25]


def test_mocked_clock(run):
    run.call("mock_time", 5500)
    assert (run.call("timestamp"), run.call("now_ms"), run.call("elapsed")) == (5.5, 5500, 0)
    run.call("sleep_ms", 500)
    run.clock.advance(99)
    assert (run.call("timestamp"), run.call("now_ms"), run.call("monotonic_ms")) == (6.0, 6000, 500)
    assert run.call("advance_time", 250) == 6250
    assert run.call("advance_time") == 6250
    assert run.call("advance_time", "x") == 6250
    assert run.slept == []
    run.call("mock_time", 7)
    assert run.call("elapsed") == 0
    run.call("unmock_time")
    assert run.call("now_ms") == 1774794699123


@pytest.mark.parametrize("ms", [None, 1.5, "5", True])
def test_mock_time_error(run, ms):
    assert run.error("mock_time", ms) == "mock_time(ms): expected an integer millisecond timestamp"


def test_advance_error(run):
    assert run.error("advance_time", 5) == "advance_time: no mock active. Call mock_time(ms) first."


def test_timers_follow_the_real_clock(run):
    run.call("mock_time", 0)
    assert run.call("timer_start") == {"name": "default", "start_ms": 1774794600123}
    timer = run.call("timer_start", "load")
    run.clock.advance(0.042)
    assert run.call("timer_end", timer) in {41, 42}
    assert run.out.startswith("[timer] load: 4")
    assert run.error("timer_end", 5) == "timer_end: argument must be a timer dict from timer_start"
    assert run.error("timer_end") == "timer_end: argument must be a timer dict from timer_start"
